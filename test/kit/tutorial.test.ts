/**
 * The code of pages, as a reader types it: written into an empty folder, type-checked, and where it is tests, run.
 *
 * @module
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ReaderFolder } from "./reader-folder.ts";

const root = new URL("../../", import.meta.url).pathname;
const folder = await ReaderFolder.make("tutorial");
afterAll(() => folder[Symbol.dispose]());

/** Blocks that begin with the name of a file, and programs without one. */
const BLOCK = /^```(?:ts|yaml)\n(?:(?:\/\/|#) (\S+)\n|(?=import ))([^]*?)^```$/gm;
const PAGES = [
  "docs/guides/testing-kit.md",
  "docs/guides/controllers.md",
  "docs/guides/from-client-node.md",
  "docs/guides/workloads.md",
  "docs/tutorial.md",
  "README.md",
];

const files: string[] = [];
beforeAll(() => {
  for (const page of PAGES) {
    for (const [, name, text] of readFileSync(join(root, page), "utf8").matchAll(BLOCK)) {
      const path = name ?? `${basename(page, ".md")}.ts`;
      mkdirSync(join(folder.path, dirname(path)), { recursive: true });
      writeFileSync(join(folder.path, path), text!);
      files.push(path);
    }
  }
});

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
    "from-client-node.ts",
    "database.ts",
    "database.test.ts",
    "image.test.ts",
    "night.test.ts",
    "stages.yaml",
    "stages.test.ts",
    "lost-zone.test.ts",
    "web.yaml",
    "maps.ts",
    "web.yaml",
    "README.ts",
  ]);
});

test("its types are right", { timeout: 300_000 }, async () => {
  expect(await folder.typeFaults()).toBe("");
});

test("its tests pass with vitest", { timeout: 120_000 }, async () => {
  expect(await folder.complaint(`${root}node_modules/vitest/vitest.mjs`, "run")).toBe("");
});

test("its tests pass with node:test", { timeout: 120_000 }, async () => {
  expect(await folder.complaint("--import", "./alias.mjs", "--test", "node.test-with-node.ts")).toBe("");
});
