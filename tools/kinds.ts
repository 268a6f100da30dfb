/**
 * Writes the files of `keelson/kinds`; a test compares them with the output of this program.
 *
 *     npm run kinds
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { kindFiles } from "./kinds/files.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
for (const [path, text] of kindFiles()) writeFileSync(join(root, path), text);
