import { randomBytes } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { join, relative, sep } from "node:path";
import type { PageSource } from "../../console/index.ts";
import { codeOf } from "../../util/error.ts";
import { PACKAGE } from "../process/version.ts";

/** The maximum number of files of the page. */
const MAX_FILES = 1000;

/** Returns 24 random bytes as a text, which cannot be guessed. */
export const newSecret = (): string => randomBytes(24).toString("base64url");

/** Returns the page of the console in the package: `dist/page`, which a build has created. */
export const packagePage = (): PageSource => pageIn(fileURLToPath(new URL("dist/page/", PACKAGE)));

/** Returns the page in a folder. */
export const pageIn = (folder: string): PageSource => ({
  read: () => readFolder(folder),
  missing: "The console is not built in this checkout. Run `node tools/console.js` there, then load this page again.",
  secret: newSecret,
});

/** Reads all files of a folder; undefined if it does not exist. */
async function readFolder(folder: string): Promise<(readonly [string, Uint8Array])[] | undefined> {
  try {
    const entries = await readdir(folder, { withFileTypes: true, recursive: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    if (files.length > MAX_FILES)
      throw new Error(`expected at most ${MAX_FILES} files in ${folder}, found ${files.length}`);
    return await Promise.all(
      files.map(async (file) => [relative(folder, file).replaceAll(sep, "/"), await readFile(file)] as const),
    );
  } catch (error) {
    // A build replaces the old folder with a new one.
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
