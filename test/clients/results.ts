/**
 * What came of the programs that use libraries, kept for the tables of `docs/evidence/clients.md`.
 *
 * @module
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The dialect of a server. */
export type Dialect = "kubernetes" | "neutral";

/** What came of one thing that a program tried. */
export interface Check {
  readonly part: string;
  readonly dialect: Dialect;
  readonly name: string;
  /** Absent when it came as it should. */
  readonly why?: string;
}

/** What came of one library. */
export interface LibraryResult {
  readonly name: string;
  readonly language: string;
  readonly version: string;
  readonly checks: readonly Check[];
}

const FOLDER = new URL("../../.results/libraries/", import.meta.url).pathname;

/** Keeps the results of one library in place of its last ones. */
export function writeLibrary(result: LibraryResult): void {
  mkdirSync(FOLDER, { recursive: true });
  const file = `${result.name.replaceAll("@", "").replaceAll("/", "-")}.json`;
  writeFileSync(join(FOLDER, file), `${JSON.stringify(result, null, 1)}\n`);
}

/** The last results of every library, in the order of languages and names. */
export function readLibraries(): readonly LibraryResult[] {
  if (!existsSync(FOLDER)) return [];
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(join(FOLDER, name), "utf8")) as LibraryResult)
    .toSorted((a, b) => a.language.localeCompare(b.language) || a.name.localeCompare(b.name));
}
