/** `keelson explore MODULE`: controllers of a module, in several threads, and a finding of it from another folder. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { decodeFinding } from "../../src/explore/finding-file.ts";

const keelson = new URL("../../bin/keelson.js", import.meta.url).pathname;
const source = new URL("../../src/", import.meta.url).href;
const home = mkdtempSync(join(tmpdir(), "keelson-module-"));
afterAll(() => rmSync(home, { recursive: true }));
for (const folder of ["project", "elsewhere"]) mkdirSync(join(home, folder));
writeFileSync(
  join(home, "project/shop.explore.ts"),
  `
import { ConfigMap, Secret } from ${JSON.stringify(`${source}client/kinds/index.ts`)};
import { defineController, sharedInformer } from ${JSON.stringify(`${source}runtime/index.ts`)};
import { defineExploration } from ${JSON.stringify(`${source}testing/explore/explored.ts`)};
const shops = sharedInformer(ConfigMap, { labelSelector: "is=shop" });
const shop = () =>
  defineController({
    name: "shop",
    for: shops,
    owns: [Secret],
    async reconcile({ object, owned, create }) {
      if (owned(Secret).length === 0) await create(Secret, { metadata: { generateName: object.metadata.name + "-" } });
    },
  });
const metadata = { name: "one", namespace: "default", labels: { is: "shop" } };
export default defineExploration({
  scenario: { name: "a shop", steps: [{ create: { apiVersion: "v1", kind: "ConfigMap", metadata } }], quiet: "1h" },
  controllers: shop,
});
`,
);

async function keelsonExplore(folder: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [keelson, "explore", ...args], { cwd: join(home, folder), stdio: "pipe" });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, said };
}

describe("a module", { timeout: 240_000 }, () => {
  test("that computes without an end while it is loaded is ended by the first signal", async () => {
    writeFileSync(join(home, "project/endless.explore.ts"), "process.stderr.write('loaded\\n'); for (;;);");
    const args = [keelson, "explore", "endless.explore.ts"];
    const child = spawn(process.execPath, args, { cwd: join(home, "project"), stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    for await (const chunk of child.stderr) if ((said += String(chunk)).includes("loaded")) break;
    const ended = once(child, "close");
    child.kill("SIGINT");
    const late = setTimeout(() => child.kill("SIGKILL"), 20_000);
    expect(await ended).toEqual([null, "SIGINT"]);
    clearTimeout(late);
  });

  test("is explored in two threads, and its finding is found again from another folder", async () => {
    const limits = ["--workers", "2", "--only", "crash", "--plans", "4", "--budget", "2m", "--out", "found"];
    const { code, said } = await keelsonExplore("project", "shop.explore.ts", ...limits);
    expect({ code, said }).toMatchObject({
      code: 1,
      said: expect.stringContaining("one Secret default/one-* too many"),
    });
    expect(said).not.toContain("slow");
    const [name] = readdirSync(join(home, "project/found"));
    const finding = decodeFinding(readFileSync(join(home, "project/found", name!), "utf8"));
    expect(finding).toMatchObject({ scenario: { file: "../shop.explore.ts" }, replayed: { shown: 3, of: 3 } });
    expect(said).toContain(`keelson explore --replay found/${name} --trust\n`);
    const again = await keelsonExplore("elsewhere", "--replay", `../project/found/${name}`, "--trust");
    expect({ again }).toMatchObject({ again: { code: 1, said: expect.stringContaining("too many") } });
  });
});
