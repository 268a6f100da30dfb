/**
 * Reads for the writer thread: one key, a range at a revision, the log.
 *
 * Every row is checked against its checksum; damage is an error that names the key.
 *
 * A range is read in chunks, and writes come between them. It still shows one revision: a key that has changed since is read from
 * the log, whose rows name the revision that they replaced. The history that a running range needs is pinned (see
 * {@link Reader.pinned}).
 *
 * @module
 */
import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "../contract.ts";
import { compactedError, futureError } from "../keys.ts";
import { type Row, validRow } from "./chains.ts";
import type { Ledger } from "./ledger.ts";
import type { Request } from "./protocol.ts";
import { RecordPacker } from "./records.ts";
import { type ArrayStatement, arrayStatement } from "./statements.ts";

/** Bytes and records after which a chunk of a range or a page of the log ends. */
const CHUNK_BYTES = 256 * 1024;
const CHUNK_RECORDS = 2000;
/** Rows of the log that one page reads. */
const LOG_ROWS = 5000;

const LOG_COLUMNS = "log.previous, log.kind, log.time, log.checksum, log.value";
/** No UTF-8 text contains this byte, so every key is less. */
const AFTER_ALL_KEYS = Buffer.from([0xff]);

/** A part of the reply to a range or log request. */
export interface Chunk {
  readonly packer: RecordPacker;
  readonly revision: number;
  readonly more: boolean;
  readonly done: boolean;
}

/** The bytes of a prefix, and the first key after all that begin with it. */
function bounds(prefix: string): { begin: Buffer; end: Buffer } {
  const begin = Buffer.from(prefix);
  if (begin.length === 0) return { begin, end: AFTER_ALL_KEYS };
  const end = Buffer.from(begin);
  end[end.length - 1]! += 1;
  return { begin, end };
}

/** Statements and checks that all reads share. */
export class Reader {
  readonly ledger: Ledger;
  readonly #one: ArrayStatement<Row>;
  readonly #range: ArrayStatement<Row>;
  readonly #version: ArrayStatement<Row>;
  readonly #changed: ArrayStatement<[key: Uint8Array, previous: number]>;
  readonly #log: ArrayStatement<Row>;
  readonly #pins = new Set<{ readonly revision: number }>();

  constructor(db: DatabaseSync, ledger: Ledger) {
    this.ledger = ledger;
    const prepare = <T = Row>(sql: string): ArrayStatement<T> => arrayStatement<T>(db, sql);
    const current = `SELECT CAST(live.key AS BLOB), live.revision, ${LOG_COLUMNS} FROM live LEFT JOIN log ON log.revision = live.revision`;
    this.#one = prepare(`${current} WHERE live.key = CAST(?1 AS TEXT)`);
    this.#range = prepare(
      `${current} WHERE live.key >= CAST(?1 AS TEXT) AND live.key < CAST(?2 AS TEXT) ORDER BY live.key`,
    );
    const log = `SELECT CAST(log.key AS BLOB), log.revision, ${LOG_COLUMNS} FROM log`;
    this.#version = prepare(`${log} WHERE revision = ?1`);
    const within =
      "revision > ?1 AND revision <= ?2 AND key >= CAST(?3 AS TEXT) AND key < CAST(?4 AS TEXT) ORDER BY revision";
    this.#changed = prepare(`SELECT CAST(key AS BLOB), previous FROM log WHERE ${within}`);
    this.#log = prepare(`${log} WHERE ${within}`);
  }

  /** Keeps the newest revision readable until {@link Reader.release}. */
  pin(): { readonly revision: number } {
    const pin = { revision: this.ledger.revision };
    this.#pins.add(pin);
    return pin;
  }

  /** The oldest revision that a running range or a pin needs; Infinity by default. */
  pinned(): number {
    let oldest = Infinity;
    for (const { revision } of this.#pins) oldest = Math.min(oldest, revision);
    return oldest;
  }

  /** The record of a key, or none. */
  get(key: string): Chunk {
    const row = this.#one.get(Buffer.from(key));
    const size = row?.[6] instanceof Uint8Array ? row[0].length + row[6].length : 0;
    const packer = new RecordPacker(size);
    if (row !== undefined) pack(packer, row);
    return { packer, revision: this.ledger.revision, more: false, done: true };
  }

  /** Starts to read a range. Throws StoreError `compacted` or `future`. */
  range(request: Request & { type: "range" }): RangeRead {
    const revision = request.revision ?? this.ledger.revision;
    if (revision > this.ledger.revision) throw futureError(revision, this.ledger.revision);
    if (revision < this.ledger.compacted) throw compactedError(revision, this.ledger.compacted);
    const read = new RangeRead(this, request, revision);
    this.#pins.add(read);
    return read;
  }

  /** Ends a range or a pin. */
  release(pinned: { readonly revision: number }): void {
    this.#pins.delete(pinned);
  }

  /** One page of the changes after `after` to keys that begin with `prefix`, up to the chunk's `revision`. */
  log(prefix: string, after: number): Chunk {
    if (after < this.ledger.compacted) throw compactedError(after, this.ledger.compacted);
    const { begin, end } = bounds(prefix);
    const through = Math.min(after + LOG_ROWS, this.ledger.revision);
    const packer = new RecordPacker(CHUNK_BYTES);
    let last = after;
    for (const row of this.#log.iterate(after, through, begin, end)) {
      pack(packer, row);
      if (row[1] <= last) throw new StoreError("corrupt", `The log is damaged: revision ${row[1]} comes after ${last}`);
      last = row[1];
      if (packer.bytes >= CHUNK_BYTES) return { packer, revision: row[1], more: true, done: true };
    }
    return { packer, revision: through, more: through < this.ledger.revision, done: true };
  }

  /** The current rows from `begin` on. */
  rows(begin: Uint8Array, end: Uint8Array): Iterable<Row> {
    return this.#range.iterate(begin, end);
  }

  /** The keys that changed after one revision and up to another, in order of revision, with their previous revisions. */
  changes(after: number, through: number, begin: Uint8Array, end: Uint8Array): Iterable<[Uint8Array, number]> {
    return this.#changed.iterate(after, through, begin, end);
  }

  /** The row of `key` in the log at `revision`, which must be there. */
  version(key: string, revision: number): Row {
    const row = this.#version.get(revision);
    const bytes = Buffer.from(key, "latin1");
    return [bytes, revision, row?.[2], row?.[3], row?.[4], row?.[5], row?.[6]];
  }
}

/** A running read of a range. Keys are latin1 strings of their UTF-8 bytes, which sort as the bytes do. */
export class RangeRead {
  readonly id: number;
  readonly revision: number;
  readonly #reader: Reader;
  readonly #end: Buffer;
  #begin: Buffer;
  #left: number;
  /** The revision at `revision` of each key that has changed since. */
  readonly #before = new Map<string, number>();
  #seen: number;

  constructor(reader: Reader, request: Request & { type: "range" }, revision: number) {
    const { begin, end } = bounds(request.prefix);
    const start = Buffer.from(request.start ?? "");
    this.id = request.id;
    this.revision = revision;
    this.#reader = reader;
    this.#begin = Buffer.compare(start, begin) > 0 ? start : begin;
    this.#end = end;
    this.#left = request.limit;
    this.#seen = revision;
  }

  /** Reads the next chunk, until `done`. */
  next(): Chunk {
    const missing = this.#changedKeys();
    const packer = new RecordPacker(CHUNK_BYTES);
    let last: Uint8Array | undefined;
    let nextMissing = 0;
    for (const row of this.#reader.rows(this.#begin, this.#end)) {
      const full = packer.bytes >= CHUNK_BYTES || packer.count >= CHUNK_RECORDS;
      if (full) return this.#chunk(packer, last!);
      const key = this.#before.size === 0 ? "" : latin1(row[0]);
      for (; nextMissing < missing.length && missing[nextMissing]! < key; nextMissing++) {
        if (!this.#addOld(packer, missing[nextMissing]!)) return this.#finish(packer, true);
      }
      if (nextMissing < missing.length && missing[nextMissing] === key) {
        nextMissing += 1;
        if (!this.#addOld(packer, key)) return this.#finish(packer, true);
      } else if (!this.#before.has(key)) {
        if (this.#left === 0) return this.#finish(packer, true);
        pack(packer, row);
        this.#left -= 1;
      }
      last = row[0];
    }
    for (; nextMissing < missing.length; nextMissing++) {
      if (!this.#addOld(packer, missing[nextMissing]!)) return this.#finish(packer, true);
    }
    return this.#finish(packer, false);
  }

  /** Reads the changes since the last call; returns the keys that existed at `revision` and are still to be read, sorted. */
  #changedKeys(): string[] {
    const newest = this.#reader.ledger.revision;
    if (newest > this.#seen) {
      // An earlier change of a key counts: it names the older revision.
      for (const [bytes, previous] of this.#reader.changes(this.#seen, newest, this.#begin, this.#end)) {
        const key = latin1(bytes);
        if (!this.#before.has(key)) this.#before.set(key, previous);
      }
      this.#seen = newest;
    }
    const begin = latin1(this.#begin);
    const result: string[] = [];
    for (const [key, revision] of this.#before) if (revision > 0 && key >= begin) result.push(key);
    return result.toSorted();
  }

  #addOld(packer: RecordPacker, key: string): boolean {
    if (this.#left === 0) return false;
    pack(packer, this.#reader.version(key, this.#before.get(key)!));
    this.#left -= 1;
    return true;
  }

  #chunk(packer: RecordPacker, last: Uint8Array): Chunk {
    // The smallest key after `last`.
    this.#begin = Buffer.concat([last, Buffer.from([0])]);
    return { packer, revision: this.revision, more: true, done: false };
  }

  #finish(packer: RecordPacker, more: boolean): Chunk {
    this.#reader.release(this);
    return { packer, revision: this.revision, more, done: true };
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** Checks a row and packs it. */
function pack(packer: RecordPacker, row: Row): void {
  const [key, revision, previous, kind, , , value] = validRow(row);
  packer.add(key, value, revision, previous, kind);
}
