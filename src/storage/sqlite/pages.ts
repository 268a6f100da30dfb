/**
 * The pages of a database file, read without SQLite: for looking at a store that SQLite may refuse to open.
 *
 * A page that is in the write-ahead log is read from there, as SQLite would. File format:
 * https://www.sqlite.org/fileformat2.html
 *
 * @module
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { PAGE_BYTES } from "./schema.ts";
import type { WalScan } from "./wal.ts";

/** Pages by number, from 1. */
export interface Pages extends Disposable {
  readonly count: number;
  /** Bytes of a page that belong to SQLite. */
  readonly pageBytes: number;
  /** A page, undefined when it is not there. */
  read(page: number): Buffer | undefined;
  /** Numbers of the pages that hold nothing any more, as far as the list of them can be followed. */
  free(): Set<number>;
}

/** Opens the pages of `file`, overlaid with those of `wal` when there is one. */
export function openPages(file: string, wal: WalScan | undefined): Pages {
  const descriptor = openSync(file, "r");
  const inFile = Math.floor(fstatSync(descriptor).size / PAGE_BYTES);
  const overlay = new Map<number, number>();
  const frames = wal?.pageBytes === PAGE_BYTES ? [...wal.believed, ...wal.unreachable] : [];
  for (const { page, offset } of frames) overlay.set(page, offset);
  const count = frames.reduce((most, { page }) => Math.max(most, page), inFile);
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

/** Follows the chain of trunk pages, each of which lists leaves. */
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
