/**
 * The pages about the sources name files and folders that exist.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url).pathname;
const pages = ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/contributing/controllers.md", "docs/contributing/inside.md"];
/** Folders of the project that are no rooms of `src/`; with `src/` they are the beginnings of paths. */
const ROOMS =
  /^(app|cli|testing|cluster|controllers|sidecars|node|why|runtime|claims|drivers|csi|volumes|client|server|fairness|auth|audit|registry|admission|extension|hooks|cache|schema|kinds|cel|apply|patch|encryption|storage|grpc|http2|wire|pki|value|meta|util)\//;

/** The paths that a page names as code: those below `src/` with or without it, and those below `test/` and `tools/`. */
function pathsOf(page: string): string[] {
  const text = readFileSync(join(root, page), "utf8").replace(/^```[^]*?^```$/gm, "");
  const named = [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]*)`/g)].map(([, path]) => path!);
  return named.flatMap((path) => (ROOMS.test(path) ? [`src/${path}`] : /^(src|test|tools)\//.test(path) ? [path] : []));
}

test.each(pages)("%s names files and folders that exist", (page) => {
  const paths = pathsOf(page);
  expect(paths.length).toBeGreaterThan(4);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
