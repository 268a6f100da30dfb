import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";

/** A file of the build, as the manifest of Vite describes it. */
interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
}

const KIB = 1024;
const folder = mkdtempSync(join(tmpdir(), "keelson-budget-"));
const manifest: Record<string, Chunk> = {};

beforeAll(async () => {
  await build({
    configFile: new URL("../../console/vite.config.ts", import.meta.url).pathname,
    logLevel: "error",
    build: { outDir: folder, emptyOutDir: true, manifest: true },
  });
  Object.assign(manifest, JSON.parse(readFileSync(join(folder, ".vite/manifest.json"), "utf8")));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files that are loaded for these modules, and with `all` for what they load later; the page itself loads every view later. */
function filesOf(entries: readonly string[], all: boolean): Set<string> {
  const seen = new Set<string>();
  const files = new Set<string>();
  const add = (name: string): void => {
    const chunk = manifest[name];
    if (seen.has(name)) return;
    if (!chunk) throw new Error(`expected ${name} in the build`);
    seen.add(name);
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
    for (const next of [
      ...(chunk.imports ?? []),
      ...(all && name !== "index.html" ? (chunk.dynamicImports ?? []) : []),
    ])
      add(next);
  };
  for (const entry of entries) add(entry);
  return files;
}

const gzipped = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file)), { level: 9 }).length, 0);

test("the page takes at most 120 KiB before the editor is opened, with the first view and every list", () => {
  const files = filesOf(["index.html"], false);
  expect(files.size).toBeGreaterThan(1);
  expect(gzipped(files)).toBeLessThanOrEqual(120 * KIB);
  expect(gzipped(files)).toBeGreaterThan(10 * KIB);
});

test("with the object, its editor, and all that they load later it takes at most 260 KiB", () => {
  const page = filesOf(["index.html"], false);
  const object = filesOf(["src/views/object/index.tsx", "src/views/new/index.tsx"], true);
  const all = gzipped(new Set([...page, ...object]));
  expect(all).toBeLessThanOrEqual(260 * KIB);
  expect(all).toBeGreaterThan(gzipped(page));
});

test("nothing is inline in the page, and nothing comes from elsewhere", () => {
  const html = readFileSync(join(folder, "index.html"), "utf8");
  expect(html).not.toMatch(/<style|<script(?![^>]* src=)|style=|https?:/);
});
