import { chmodSync, lstatSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { isUtf8 } from "node:buffer";
import type { Tree, TreeEntry } from "./cases.ts";

const WRITE = /^\.\.\d{4}_/;

/** Gives the directories of writes the numbers of their appearance: `..1`, `..2`. */
export class WriteNames {
  readonly #numbers = new Map<string, string>();

  /** A path or the end of a link with its directory of a write by number. */
  numbered(path: string): string {
    const [first = "", ...rest] = path.split("/");
    if (!WRITE.test(first)) return path;
    let number = this.#numbers.get(first);
    if (number === undefined) this.#numbers.set(first, (number = `..${this.#numbers.size + 1}`));
    return [number, ...rest].join("/");
  }
}

/** What lies in a directory, and itself as `.`; undefined where there is none. */
export function treeOf(directory: string, names: WriteNames): Tree | undefined {
  if (lstatSync(directory, { throwIfNoEntry: false }) === undefined) return undefined;
  const paths = [".", ...pathsIn(directory)];
  return Object.fromEntries(paths.map((path) => [names.numbered(path), entryOf(`${directory}/${path}`, names)]));
}

/** Every path below a directory; links are not followed. */
const pathsIn = (directory: string): string[] =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? [entry.name, ...pathsIn(`${directory}/${entry.name}`).map((path) => `${entry.name}/${path}`)]
      : [entry.name],
  );

function entryOf(path: string, names: WriteNames): TreeEntry {
  const found = lstatSync(path);
  const owner = { ...(found.uid === 0 ? {} : { uid: found.uid }), ...(found.gid === 0 ? {} : { gid: found.gid }) };
  if (found.isSymbolicLink()) return { ...owner, to: names.numbered(readlinkSync(path)) };
  const mode = (found.mode & 0o7777).toString(8).padStart(4, "0");
  if (found.isDirectory()) return { mode, ...owner };
  const bytes = readAnyway(path, found.mode & 0o7777);
  return { mode, ...owner, ...(isUtf8(bytes) ? { text: bytes.toString() } : { base64: bytes.toString("base64") }) };
}

/** A file also where its own mode keeps it from its owner: only root reads that as it is. */
function readAnyway(path: string, mode: number): Buffer {
  chmodSync(path, mode | 0o400);
  try {
    return readFileSync(path);
  } finally {
    chmodSync(path, mode);
  }
}
