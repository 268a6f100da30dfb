/**
 * The code of pages, as a reader types it: written into an empty folder, type-checked, and where it is tests, run.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = new URL("../../", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "keelson-tutorial-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Blocks that begin with the name of a file, and programs without one. */
const BLOCK = /^```(?:ts|yaml)\n(?:(?:\/\/|#) (\S+)\n|(?=import ))([^]*?)^```$/gm;
const PAGES = ["docs/guides/testing-kit.md", "docs/guides/controllers.md", "docs/tutorial.md", "README.md"];
const ENTRIES = ["client", "controller", "kinds", "testing", "testing/vitest"];

/** Where the exports of this package are in its sources. */
function sources(): Record<string, string> {
  const { exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
    exports: Record<string, { default: string }>;
  };
  const source = (entry: string): string =>
    join(root, exports[`./${entry}`]!.default.replace("./dist/", "src/").replace(/\.js$/, ".ts"));
  return Object.fromEntries(ENTRIES.map((entry) => [`keelson/${entry}`, source(entry)]));
}

const files: string[] = [];
beforeAll(() => {
  for (const page of PAGES) {
    for (const [, name, text] of readFileSync(join(root, page), "utf8").matchAll(BLOCK)) {
      const path = name ?? `${basename(page, ".md")}.ts`;
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text!);
      files.push(path);
    }
  }
  symlinkSync(`${root}node_modules`, join(folder, "node_modules"));
  const write = (name: string, value: unknown): void => writeFileSync(join(folder, name), JSON.stringify(value));
  write("package.json", { type: "module" });
  const paths = Object.fromEntries(Object.entries(sources()).map(([name, path]) => [name, [path]]));
  write("tsconfig.json", { extends: `${root}tsconfig.json`, compilerOptions: { paths }, include: ["*.ts"] });
  const alias = Object.entries(sources()).map(([name, path]) => ({ find: `^${name}$`, replacement: path }));
  writeFileSync(
    join(folder, "vitest.config.mjs"),
    `const alias = ${JSON.stringify(alias)}.map((one) => ({ ...one, find: new RegExp(one.find) }));
     export default { resolve: { alias }, server: { fs: { strict: false } } };`,
  );
  writeFileSync(
    join(folder, "alias.mjs"),
    `import { registerHooks } from "node:module";
     import { pathToFileURL } from "node:url";
     const sources = ${JSON.stringify(sources())};
     registerHooks({
       resolve: (name, context, next) =>
         sources[name] ? { url: pathToFileURL(sources[name]).href, shortCircuit: true } : next(name, context),
     });`,
  );
});

/** Runs a program in the folder; what it said, where it did not succeed. */
async function complaint(...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise((resolve) => child.on("close", resolve));
  return code === 0 ? "" : said;
}

test("every file of the pages is there", () => {
  expect(files).toEqual([
    "team.ts",
    "team.test.ts",
    "trial.ts",
    "trial.test.ts",
    "faults.test.ts",
    "fork.test.ts",
    "fixtures/shop.yaml",
    "node.test-with-node.ts",
    "controllers.ts",
    "web.yaml",
    "maps.ts",
    "web.yaml",
    "README.ts",
  ]);
});

test("its types are right", { timeout: 300_000 }, async () => {
  expect(await complaint(`${root}node_modules/typescript/bin/tsc`, "-p", ".")).toBe("");
});

test("its tests pass with vitest", { timeout: 120_000 }, async () => {
  expect(await complaint(`${root}node_modules/vitest/vitest.mjs`, "run")).toBe("");
});

test("its tests pass with node:test", { timeout: 120_000 }, async () => {
  expect(await complaint("--import", "./alias.mjs", "--test", "node.test-with-node.ts")).toBe("");
});
