/**
 * What the rows of a store say of each other: the index names the row of each key, and each row the one that it replaced,
 * so that every row belongs to the chain of one key.
 *
 * A checksum tells whether a row is right once it has been found. A row whose key is damaged is not found any more by
 * who looks for that key, and a row that is gone is missed by nobody; the chain tells of both.
 *
 * @module
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { StoreError } from "../contract.ts";
import { crc32c, rowChecksum } from "./crc32c.ts";
import { PUT_ROW } from "./protocol.ts";

/** A row of the log as it is found: damage can make a column one of another type, and a lost row has null in all. */
export type Row = readonly [
  key: Uint8Array,
  revision: number,
  previous: unknown,
  kind: unknown,
  time: unknown,
  checksum: unknown,
  value: unknown,
];

/** A row whose checksum fits. */
export type WholeRow = readonly [
  key: Uint8Array,
  revision: number,
  previous: number,
  kind: number,
  time: number,
  checksum: number,
  value: Uint8Array,
];

/** The same row, checked. @throws StoreError `corrupt` that names the key */
export function whole(row: Row): WholeRow {
  if (fits(row)) return row;
  const [key, revision] = row;
  const name = Buffer.from(key).toString();
  const message = `The record of ${name} at revision ${revision} is damaged: its checksum does not fit`;
  throw new StoreError("corrupt", message, { key: name, revision });
}

function fits(row: Row): row is WholeRow {
  const [key, revision, previous, kind, time, checksum, value] = row;
  if (typeof previous !== "number" || typeof kind !== "number" || typeof time !== "number") return false;
  if (!(value instanceof Uint8Array)) return false;
  return rowChecksum(crc32c(value, crc32c(key)), revision, previous, kind, time) === checksum;
}

/**
 * Follows all chains.
 *
 * @returns the newest revision that is lost, whose key cannot be told, or that follows such a one: what the history has
 *   from before is not all that there was. The newest of all when a row belongs to no chain, 0 when nothing is wrong
 * @throws StoreError `corrupt` when the index has the wrong key for a record: then nobody knows which keys there are
 */
export function checkChains(db: DatabaseSync, file: string, { revision, compacted, records }: Counters): number {
  const { gap, puts, links, present } = followLinks(db, compacted);
  // As many records as keys: each entry of the index has its own.
  const index = present === records ? { gap: 0, lost: 0 } : checkIndex(db, file);
  // Every value is the present one of its key, or was replaced by another change.
  if (puts !== records - index.lost + links) return revision;
  return Math.max(index.gap, gap);
}

interface Counters {
  readonly revision: number;
  readonly compacted: number;
  readonly records: number;
}

function checkIndex(db: DatabaseSync, file: string): { gap: number; lost: number } {
  const others = arrays(
    db,
    `SELECT CAST(live.key AS BLOB), live.revision, previous, kind, time, checksum, value, typeof(live.key), log.key
     FROM live LEFT JOIN log ON log.revision = live.revision
     WHERE log.key IS NOT live.key OR typeof(live.key) <> 'text'`,
  );
  let gap = 0;
  let count = 0;
  for (const row of others.iterate() as unknown as Iterable<readonly [...Row, type: string, other: unknown]>) {
    const [key, revision, , kind, , , , type, other] = row;
    const lost = kind === null;
    if (type !== "text" || !(lost || fits(row.slice(0, 7) as unknown as Row))) {
      const [is, should] = [Buffer.from(key), other].map((name) => JSON.stringify(String(name)));
      throw new StoreError(
        "corrupt",
        `Expected the index of ${file} to have the key of each record, found ${is} for that of ${should} at revision ${revision}`,
      );
    }
    gap = Math.max(gap, revision);
    if (lost) count += 1;
  }
  return { gap, lost: count };
}

interface Links {
  /** The newest change whose predecessor is not what it should be. */
  readonly gap: number;
  readonly puts: number;
  /** Changes whose predecessor is there: what a change replaced is kept until that change itself is compacted. */
  readonly links: number;
  /** Puts that the index has as the present record of their key. */
  readonly present: number;
}

/** One walk over the log. */
function followLinks(db: DatabaseSync, compacted: number): Links {
  const followed = arrays(
    db,
    `SELECT max(CASE WHEN log.previous <> 0 AND before.key IS NOT log.key
               AND (before.revision IS NOT NULL OR log.revision > ?1) THEN log.revision END),
       count(CASE WHEN log.kind = ?2 THEN 1 END), count(before.revision), count(live.revision)
     FROM log LEFT JOIN log AS before ON before.revision = log.previous
       LEFT JOIN live ON live.key = log.key AND live.revision = log.revision`,
  );
  const row = followed.get(compacted, PUT_ROW) as unknown as [number | null, number, number, number];
  const [gap, puts, links, present] = row;
  return { gap: gap ?? 0, puts, links, present };
}

function arrays(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}
