/**
 * Files in memory with the names of `node:fs` that commands use. The files are those of the terminal of a page.
 *
 * @module
 */
import { Buffer } from "./buffer.ts";
import { resolve } from "./path.ts";

/** The most bytes of one file. */
const MAX_FILE_BYTES = 1 << 20;
/** The most files of a page. */
const MAX_FILES = 200;

/** The files of the terminal, texts by absolute path. */
export const files = new Map<string, string>();

const missing = (what: string, path: string): Error =>
  Object.assign(new Error(`ENOENT: no such file or directory, ${what} '${path}'`), { code: "ENOENT" });

/** Reads a file: as bytes, or as text where an encoding is given. */
export function readFileSync(path: string | URL, encoding?: unknown): string | Buffer {
  const text = files.get(resolve(String(path)));
  if (text === undefined) throw missing("open", String(path));
  return encoding === undefined || encoding === null ? Buffer.from(text) : text;
}

/** Writes a file. @throws Error for more than a page keeps */
export function writeFileSync(path: string, content: string | Uint8Array): void {
  const text = typeof content === "string" ? content : Buffer.from(content).toString();
  if (text.length > MAX_FILE_BYTES) throw new Error(`expected a file of at most 1 MiB, got ${text.length} characters`);
  const name = resolve(path);
  if (!files.has(name) && files.size >= MAX_FILES) throw new Error(`expected at most ${MAX_FILES} files in a page`);
  files.set(name, text);
}

/** Whether a file is there, or a folder with files. */
export const existsSync = (path: string): boolean => files.has(resolve(path)) || isFolder(path);

const isFolder = (path: string): boolean => {
  const start = resolve(path) === "/" ? "/" : `${resolve(path)}/`;
  return [...files.keys()].some((name) => name.startsWith(start));
};

/** What is known of a file or a folder. */
interface Stats {
  isDirectory(): boolean;
  isFile(): boolean;
  readonly size: number;
}

const statsOf = (text: string | undefined): Stats => ({
  isDirectory: () => text === undefined,
  isFile: () => text !== undefined,
  size: text?.length ?? 0,
});

/** What is known of a file or a folder; undefined for what is missing, where that is no error. */
export function statSync(path: string): Stats;
export function statSync(path: string, options: { readonly throwIfNoEntry: false }): Stats | undefined;
export function statSync(
  path: string,
  { throwIfNoEntry = true }: { readonly throwIfNoEntry?: boolean } = {},
): Stats | undefined {
  const text = files.get(resolve(path));
  if (text !== undefined || isFolder(path)) return statsOf(text);
  if (throwIfNoEntry) throw missing("stat", path);
  return undefined;
}

/** The names in a folder, or each with what it is. */
export function readdirSync(path: string): readonly string[];
export function readdirSync(
  path: string,
  options: { readonly withFileTypes: true },
): readonly (Stats & { readonly name: string })[];
export function readdirSync(
  path: string,
  { withFileTypes = false }: { readonly withFileTypes?: boolean } = {},
): readonly (string | (Stats & { readonly name: string }))[] {
  if (!isFolder(path)) throw missing("scandir", path);
  const start = resolve(path) === "/" ? "/" : `${resolve(path)}/`;
  const inside = [...files.keys()].filter((name) => name.startsWith(start)).map((name) => name.slice(start.length));
  const names = [...new Set(inside.map((name) => name.split("/")[0]!))].toSorted();
  return withFileTypes ? names.map((name) => ({ name, ...statsOf(files.get(`${start}${name}`)) })) : names;
}

/** Removes a file. */
export const rmSync = (path: string): void => void files.delete(resolve(path));

/** An open file: its path, and what is read next. */
interface OpenFile {
  readonly path: string;
  at: number;
}

/** Opens a file for reading. @throws Error where it is missing */
export function openSync(path: string): OpenFile {
  statSync(path);
  return { path, at: 0 };
}

export const closeSync = (): void => {};
export const fstatSync = ({ path }: OpenFile): Stats => statSync(path);

/** Reads bytes, from where the last read ended or from an offset; the result is how many. */
export function readSync(
  file: OpenFile,
  into: Uint8Array,
  at = 0,
  length = into.length - at,
  from: number | null = null,
): number {
  const start = from ?? file.at;
  const bytes = (readFileSync(file.path) as Buffer).subarray(start, start + length);
  into.set(bytes, at);
  if (from === null) file.at += bytes.length;
  return bytes.length;
}

export const constants = { O_RDONLY: 0, O_NONBLOCK: 0, O_WRONLY: 1, O_CREAT: 64, R_OK: 4 };
export const realpathSync = resolve;
export default { readFileSync, existsSync, statSync, readdirSync, realpathSync };
