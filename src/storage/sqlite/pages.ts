/**
 * Reads the pages of a database file without SQLite, which may refuse to open a damaged store.
 *
 * A page in the write-ahead log replaces that in the file, as in SQLite. File format: https://www.sqlite.org/fileformat2.html
 *
 * @module
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { PAGE_BYTES } from "./schema.ts";
import type { WalScan } from "./wal.ts";

/** Pages by number, from 1. */
export interface Pages extends Disposable {
  readonly count: number;
  /** The size of a page. */
  readonly pageBytes: number;
  /** A page, undefined when it does not exist. */
  read(page: number): Buffer | undefined;
  /** The numbers of free pages, as far as the list of them is readable. */
  free(): Set<number>;
}

/** Opens the pages of `file`, replaced by those of `wal`, if any. */
export function openPages(file: string, wal: WalScan | undefined): Pages {
  const descriptor = openSync(file, "r");
  const inFile = Math.floor(fstatSync(descriptor).size / PAGE_BYTES);
  const overlay = new Map<number, number>();
  const frames = wal?.pageBytes === PAGE_BYTES ? [...wal.committed, ...wal.unreachable] : [];
  for (const { page, offset } of frames) overlay.set(page, offset);
  const count = frames.reduce((max, { page }) => Math.max(max, page), inFile);
  const read = (page: number): Buffer | undefined => {
    if (page < 1 || page > count) return undefined;
    const at = overlay.get(page);
    if (at !== undefined) return wal!.bytes.subarray(at, at + PAGE_BYTES);
    const bytes = Buffer.alloc(PAGE_BYTES);
    const got = readSync(descriptor, bytes, 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
    return got === PAGE_BYTES ? bytes : undefined;
  };
  return {
    count,
    pageBytes: PAGE_BYTES,
    read,
    free: () => freePages(read, count),
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}

/** Follows the list of trunk pages, each of which contains leaves. */
function freePages(read: Pages["read"], count: number): Set<number> {
  const free = new Set<number>();
  let trunk = read(1)?.readUInt32BE(32) ?? 0;
  while (trunk > 0 && trunk <= count && !free.has(trunk)) {
    free.add(trunk);
    const page = read(trunk);
    if (page === undefined) break;
    const leaves = Math.min(page.readUInt32BE(4), PAGE_BYTES / 4 - 2);
    for (let i = 0; i < leaves; i++) free.add(page.readUInt32BE(8 + 4 * i));
    trunk = page.readUInt32BE(0);
  }
  return free;
}
