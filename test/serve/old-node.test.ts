/**
 * An older Node.js says what to do, in one line. Real ones of three versions are downloaded once by the long run
 * (`LONG=1`), and used from then on.
 *
 * @module
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { built, isBuilt } from "../clients/built.ts";
import { LONG } from "../../src/util/testing/amount.ts";
import { EXECUTABLE, run } from "./keelson.ts";

/** Node.js as npm has it: a package for each platform, with no script that runs when it is installed. */
const platform = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

async function installed(version: string): Promise<string | undefined> {
  const name = `node-${platform}`;
  const args = ["--no-audit", "--no-fund", "--ignore-scripts", `${name}@${version}`];
  const source = {
    name: `node-${version}`,
    folder: import.meta.dirname,
    files: [],
    commands: (output: string) => [["npm", "install", "--prefix", output, ...args]],
  };
  if (!LONG && !isBuilt(source)) return undefined;
  const folder = await built(source);
  return folder === undefined ? undefined : join(folder, "node_modules", name, "bin/node");
}

describe.each(["14.21.3", "18.20.8", "20.20.2", "22.23.5"])("Node.js %s", async (version) => {
  const node = await installed(version);

  test.skipIf(node === undefined)("says which one is needed, and how to get it", async () => {
    expect(execFileSync(node!, ["--version"], { encoding: "utf8" })).toBe(`v${version}\n`);
    const { code, stdout, stderr } = await run(["serve", "--help"], { node: node! });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^keelson: expected Node\.js 24\.9 or newer, got v\S+: install Node\.js 24 .*\n$/);
    expect(stderr).toContain(`got v${version}:`);
  });
});

test("the first file has nothing that is newer than ES2020", () => {
  const source = readFileSync(EXECUTABLE, "utf8");
  const options = { target: ts.ScriptTarget.ES2020, module: ts.ModuleKind.ES2020, removeComments: true };
  const plain = (target: ts.ScriptTarget): string =>
    ts.transpileModule(source, { compilerOptions: { ...options, target } }).outputText;
  expect(plain(ts.ScriptTarget.ES2020)).toBe(plain(ts.ScriptTarget.ESNext));
  expect(source).not.toMatch(/^import |\bawait\b|\?\?=|\|\|=|&&=/m);
});
