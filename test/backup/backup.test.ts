/**
 * `keelson backup`, `restore`, `check` and `repair`: the executable, against a server and against files.
 */
import { execFile, execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StatusError } from "../../src/client/index.ts";
import { PLACE, World, configMap, run } from "../history/world.ts";
import { PROGRESS_ONLY, DIALECTS } from "../serve/keelson.ts";
import { beforeTries } from "../tries.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-backup-"));
let files = 0;
/** A path that nothing is at yet. */
const fresh = (): string => join(folder, `file-${++files}`);

describe.each(DIALECTS)("a server of the %s dialect", (dialect) => {
  let world: World;
  beforeTries(async () => {
    world = await World.start({ dialect });
    await world.configMaps.create(configMap("web", { colour: "red" }));
    return { [Symbol.asyncDispose]: () => world.end() };
  });

  test("is backed up while it serves, and restored to the same objects under a new revision", async () => {
    const file = fresh();
    let [writes, on] = [0, true];
    const writing = (async () => {
      while (on) await world.configMaps.create(configMap(`during-${writes++}`));
    })();
    const saved = await run(["backup", file, "--data-dir", world.dataDir]);
    on = false;
    await writing;
    expect(saved).toMatchObject({ code: 0, stdout: "" });
    const [, records, revision] = /^(\d+) records of revision (\d+) in /m.exec(saved.stderr) ?? [];
    const expected = await world.configMaps.list({ ...PLACE, ...atRevision(revision!) });
    const seen = (await world.configMaps.list(PLACE)).metadata.resourceVersion;

    const directory = fresh();
    const restored = await run(["restore", file, directory]);
    expect(restored).toMatchObject({ code: 0, stderr: expect.stringMatching(PROGRESS_ONLY) });
    expect(restored.stdout).toContain(`${records} records of revision ${revision} (`);
    const other = await World.start({ dialect, dataDir: directory });
    const { items, metadata } = await other.configMaps.list(PLACE);
    expect(items).toEqual(expected.items);
    expect(Number(metadata.resourceVersion)).toBeGreaterThan(Number(seen) + 100_000);
    expect(restored.stdout).toContain(`the store continues at revision ${metadata.resourceVersion}`);

    // Clients of the old server learn that the revisions that they know do not exist any more.
    for (const resourceVersion of [revision!, seen, items[0]!.metadata.resourceVersion!]) {
      const watch = other.configMaps.watch({ ...PLACE, resourceVersion, timeoutSeconds: 60 });
      const refused = await watch.next().catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(StatusError);
      expect((refused as StatusError).status).toMatchObject({ reason: "Expired", code: 410 });
    }
    const changed = await other.configMaps.patch({ name: "web", ...PLACE }, { data: { colour: "blue" } });
    expect(Number(changed.metadata.resourceVersion)).toBe(Number(metadata.resourceVersion) + 1);
    await other.end();
  });

  test("a restored store is that of its dialect alone, and what lies there is not written over", async () => {
    const [file, directory] = [fresh(), fresh()];
    const kubeconfig = join(world.dataDir, "admin.kubeconfig");
    const saved = await run(["backup", file, "--compression", "gzip"], { KUBECONFIG: kubeconfig });
    expect([saved.code, readFileSync(file).subarray(0, 2).toString("hex")]).toEqual([0, "1f8b"]);
    expect((await run(["restore", file, directory])).code).toBe(0);
    expect(JSON.parse(readFileSync(join(directory, "keelson.json"), "utf8"))).toMatchObject({ format: 1, dialect });
    const again = await run(["restore", file, directory]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("to hold no store yet")]);
    const onto = await run(["restore", file, world.dataDir]);
    expect([onto.code, onto.stderr]).toEqual([1, expect.stringContaining("to hold no store yet")]);
  });
});

const atRevision = (resourceVersion: string): object => ({ resourceVersion, resourceVersionMatch: "Exact" });

describe("a backup that cannot be right", () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
    for (let i = 0; i < 20; i++) await world.configMaps.create(configMap(`c${i}`, { text: "x".repeat(100 * i) }));
  });
  afterAll(() => world.end());

  test("is refused, and leaves neither a store nor a data directory", async () => {
    const file = fresh();
    await run(["backup", file, "--data-dir", world.dataDir]);
    const bytes = readFileSync(file);
    for (const damaged of [bytes.subarray(0, bytes.length - 200), bytes.subarray(0, 0), Buffer.from("hello\n")]) {
      const directory = fresh();
      writeFileSync(file, damaged);
      const { code, stderr } = await run(["restore", file, directory]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^keelson: (The backup is damaged|Expected a backup)/);
      const left = existsSync(directory) ? readdirSync(directory, { recursive: true }) : [];
      expect(left.filter((name) => /keelson\.(db|json)/.test(String(name)))).toEqual([]);
    }
  });

  test.skipIf(process.platform === "win32")("is written to a pipe, and through a link", async () => {
    const [pipe, file, link] = [fresh(), fresh(), fresh()];
    execFileSync("mkfifo", [pipe]);
    const reading = promisify(execFile)("cat", [pipe], { encoding: "buffer", maxBuffer: 64 << 20 });
    expect((await run(["backup", pipe, "--data-dir", world.dataDir])).code).toBe(0);
    expect(statSync(pipe).isFIFO()).toBe(true);
    const { stdout } = await reading;
    const magicOfZstd = "28b52ffd";
    expect(stdout.toString("hex", 0, 4)).toBe(magicOfZstd);
    writeFileSync(file, "");
    symlinkSync(file, link);
    expect((await run(["backup", link, "--data-dir", world.dataDir, "--force"])).code).toBe(0);
    expect([lstatSync(link).isSymbolicLink(), readFileSync(file).toString("hex", 0, 4)]).toEqual([true, magicOfZstd]);
  });

  test("is not made: without a server, or where it cannot be written, nothing is left", async () => {
    const [file, empty] = [fresh(), fresh()];
    const nobody = await run(["backup", file, "--data-dir", empty]);
    expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining("expected a running server for")]);
    const nowhere = await run(["backup", join(empty, "b"), "--data-dir", world.dataDir]);
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining("ENOENT")]);
    expect([existsSync(file), existsSync(`${file}.new`)]).toEqual([false, false]);
    const odd = await world.ask("/keelson/v1/backup?compression=rar");
    expect(odd).toMatchObject({ status: 400, body: { reason: "BadRequest" } });
    const stranger = await world.ask("/keelson/v1/backup", { "impersonate-user": "nobody" });
    expect(stranger).toMatchObject({ status: 403, body: { reason: "Forbidden" } });
  });
});

test("check finds a damaged record by its key, serve refuses with what to do, repair copies the valid records", async () => {
  const world = await World.start();
  for (let i = 0; i < 5; i++) await world.configMaps.create(configMap(`c${i}`, { text: `value ${i}` }));
  const used = await run(["check", world.dataDir]);
  expect([used.code, used.stderr]).toEqual([1, expect.stringContaining("is in use by process")]);
  await world.server.close();
  expect(await run(["check", world.dataDir])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/result +valid/) as string,
  });

  const database = join(world.dataDir, "store", "keelson.db");
  const bytes = readFileSync(database);
  bytes[bytes.indexOf("value 3")]! ^= 1;
  writeFileSync(database, bytes);
  const found = await run(["check", world.dataDir, "-o", "json"]);
  expect(found.code).toBe(1);
  expect((JSON.parse(found.stdout) as { findings: object[] }).findings).toContainEqual(
    expect.objectContaining({ what: "record", key: "/core/configmaps/default/c3" }),
  );
  const refused = await run(["serve", "--data-dir", world.dataDir, "--port", "0"]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("The record of /core/configmaps/default/c3");
  expect(refused.stderr).toContain(`"keelson repair ${world.dataDir} NEW-DIR"`);
  expect(refused.stderr).not.toContain("    at ");
  expect(readFileSync(database)).toEqual(bytes);

  const directory = fresh();
  const repaired = await run(["repair", world.dataDir, directory]);
  expect(repaired).toMatchObject({ code: 0, stderr: expect.stringMatching(PROGRESS_ONLY) });
  expect(repaired.stdout).toContain("1 record lost:\n  /core/configmaps/default/c3 at revision ");
  const other = await World.start({ dataDir: directory });
  const { items, metadata } = await other.configMaps.list(PLACE);
  expect(items.map((item) => item.metadata.name)).toEqual(["c0", "c1", "c2", "c4"]);
  expect(Number(metadata.resourceVersion)).toBeGreaterThan(1_000_000);
  expect(other.server.pki.adminToken).toBe(readFileSync(join(world.dataDir, "admin.token"), "utf8").trim());
  await other.end();
  rmSync(world.folder, { recursive: true, force: true });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));
