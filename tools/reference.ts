/**
 * Writes the generated pages of `docs/reference/`; a test compares them with the output of this program.
 *
 *     npm run reference
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { referencePages } from "./reference/pages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
for (const [path, text] of await referencePages(root)) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
