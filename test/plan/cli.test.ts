/** `keelson plan` and `keelson apply` as programs: what they print, and how they end. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PLACE, World, configMap } from "../history/world.ts";

describe("keelson plan and keelson apply", { timeout: 120_000 }, () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world?.end());

  const file = (name: string, text: string): string => {
    const path = join(world.folder, name);
    writeFileSync(path, text);
    return path;
  };
  const manifest = (name: string, colour: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: default\ndata:\n  colour: ${colour}\n`;

  test("end with 2 where something would change, 0 where nothing would, 1 where a document is refused", async () => {
    const path = file("web.yaml", manifest("web", "red"));
    const first = await world.keelson(["plan", "-f", path]);
    expect([first.code, first.stdout]).toEqual([
      2,
      "+ ConfigMap default/web\n1 to create, 0 to change, 0 to delete, 0 unchanged, 0 refused\n",
    ]);
    const applied = await world.keelson(["apply", "-f", path, "--atomic"]);
    expect([applied.code, applied.stdout]).toEqual([
      0,
      "+ ConfigMap default/web\n1 created, 0 changed, 0 deleted, 0 unchanged, 0 refused\n",
    ]);
    expect((await world.keelson(["plan", "-f", path])).code).toBe(0);
    const changed = await world.keelson(["plan", "-f", file("web.yaml", manifest("web", "blue"))]);
    expect([changed.code, changed.stdout]).toEqual([
      2,
      expect.stringContaining('~ /data/colour: "red" -> "blue"  (keelson)'),
    ]);
    const refused = await world.keelson(["plan", "-f", file("bad.yaml", manifest("BAD", "x"))]);
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining("refused by validation")]);
  });

  test("apply all or none; the reason is printed and the exit code is 1", async () => {
    const path = file("two.yaml", `${manifest("one", "a")}---\n${manifest("BAD", "x")}`);
    const refused = await world.keelson(["apply", "-f", path, "--atomic"]);
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining("nothing was stored")]);
    expect(await world.configMaps.find({ name: "one", ...PLACE })).toBeUndefined();
  });

  test("apply without --atomic stores what is not refused, one after the other, and prints each", async () => {
    const path = file("some.yaml", [manifest("first", "x"), manifest("BAD", "x"), manifest("good", "x")].join("---\n"));
    const applied = await world.keelson(["apply", "-f", path]);
    expect([applied.code, applied.stdout.split("\n")]).toEqual([
      1,
      [
        "+ ConfigMap default/first",
        "! ConfigMap default/BAD",
        expect.stringContaining("refused by validation: "),
        "+ ConfigMap default/good",
        "2 created, 0 changed, 0 deleted, 0 unchanged, 1 refused",
        "",
      ],
    ]);
    expect(await world.configMaps.find({ name: "good", ...PLACE })).toBeDefined();
    expect((await world.keelson(["apply", "-f", path, "--prune", "-l", "a=b"])).stderr).toContain("--atomic");
  });

  test("print JSON and Markdown, in which nothing of the objects is markup", async () => {
    await world.configMaps.create(configMap("marked", { text: "old" }));
    const path = file("marked.yaml", manifest("marked", "'<b>|`x`'"));
    const json = await world.keelson(["plan", "-f", path, "-o", "json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ kind: "Plan", outcome: "planned" });
    const { stdout } = await world.keelson(["plan", "-f", path, "-o", "markdown"]);
    expect(stdout).toContain("| `~` changed | ConfigMap default/marked |");
    expect(stdout).toContain('```diff\n+ /data/colour: "<b>|`x`"');
  });

  test("prune a set, and say which flags belong together", async () => {
    const both = file("both.yaml", `${manifest("s1", "a")}---\n${manifest("s2", "a")}`);
    const one = file("one.yaml", manifest("s1", "a"));
    const set = ["--atomic", "--prune", "--set", "app"];
    expect((await world.keelson(["apply", "-f", both, ...set])).code).toBe(0);
    const pruned = await world.keelson(["apply", "-f", one, ...set]);
    expect([pruned.code, pruned.stdout]).toEqual([0, expect.stringContaining("- ConfigMap default/s2")]);
    expect(await world.configMaps.find({ name: "s2", ...PLACE })).toBeUndefined();
    for (const flags of [["--prune"], ["--set", "x"], ["--prune", "--set", "x", "-l", "a=b"]]) {
      expect(await world.keelson(["plan", "-f", one, ...flags])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("expected --prune together with either --selector or --set"),
      });
    }
    expect((await world.keelson(["plan", "-f", join(world.folder, "none")])).stderr).toContain("found nothing at");
  });
});
