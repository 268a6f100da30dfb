import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** Prints the modules of what explores that are loaded once the kit is imported, and once it has explored. */
const PROBE = `
  import { registerHooks } from "node:module";
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  const count = () => loaded.filter((url) => url.includes("/src/explore/")).length;
  const { explore } = await import(process.argv[1]);
  const imported = count();
  await explore({}, {}).catch(() => {});
  console.log(JSON.stringify([imported, count() > 0]));
`;

test("the kit loads what explores when explore() is called, and not before", { timeout: 120_000 }, async () => {
  const kit = new URL("../index.ts", import.meta.url).href;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", PROBE, kit]);
  expect(JSON.parse(stdout)).toEqual([0, true]);
});
