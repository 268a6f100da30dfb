/** What `tools/console.js` builds the page of: it must know each room of `src/` that the page imports, to see that a page is stale. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url).pathname;
const { SHARED_ROOMS } = (await import(join(root, "tools/console.js"))) as { SHARED_ROOMS: readonly string[] };

/** The files that some files import, and what these import, without types. */
function importsOf(files: readonly string[]): Set<string> {
  const found = new Set(files);
  for (const file of found) {
    for (const [, path] of readFileSync(file, "utf8").matchAll(
      /^(?:import|export) (?!type )[^;]*?from "(\.[^"]+\.tsx?)";/gm,
    ))
      found.add(join(dirname(file), path!));
  }
  return found;
}

test("the page is stale when a room has changed that it imports", () => {
  const sources = globSync("console/src/**/*.{ts,tsx}", { cwd: root }).filter(
    (file) => !/\.test\.|\/testing\//.test(file),
  );
  const imported = importsOf(sources.map((file) => join(root, file)));
  const rooms = [...imported].flatMap((file) => /^src\/([^/]+)\//.exec(file.slice(root.length))?.[1] ?? []);
  expect([...new Set(rooms)].toSorted()).toEqual(SHARED_ROOMS);
});
