/**
 * The generated pages of the reference are what the sources make of them.
 *
 * @module
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { MADE } from "../../tools/reference/markdown.ts";
import { referencePages } from "../../tools/reference/pages.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = await referencePages(root);

test.for(pages)("%s is what npm run reference writes", ([path, text]) => {
  expect(readFileSync(join(root, path), "utf8")).toBe(text);
});

test("no page says of itself that it is made, and is not made any more", () => {
  const said = globSync("docs/**/*.md", { cwd: root }).filter((path) =>
    readFileSync(join(root, path), "utf8").includes(MADE),
  );
  expect(said.toSorted()).toEqual(pages.map(([path]) => path).toSorted());
});
