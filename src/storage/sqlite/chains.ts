/**
 * The links between rows: the index has the current revision of each key, and each row the revision that it replaced, so every
 * row belongs to the chain of one key.
 *
 * A checksum detects a damaged row when it is read. A row whose key is damaged is not found by its key, and a missing row is
 * not read at all; the chains detect both.
 *
 * @module
 */
import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "../contract.ts";
import { crc32c, rowChecksum } from "./crc32c.ts";
import type { Ledger } from "./ledger.ts";
import { PUT_ROW } from "./protocol.ts";
import { arrayStatement } from "./statements.ts";

/** A row of the log: damage can change the type of a column, and a missing row has null in all columns. */
export type Row = readonly [
  key: Uint8Array,
  revision: number,
  previous: unknown,
  kind: unknown,
  time: unknown,
  checksum: unknown,
  value: unknown,
];

/** A row with a matching checksum. */
export type ValidRow = readonly [
  key: Uint8Array,
  revision: number,
  previous: number,
  kind: number,
  time: number,
  checksum: number,
  value: Uint8Array,
];

/** Checks a row. @throws StoreError `corrupt` that names the key */
export function validRow(row: Row): ValidRow {
  if (isValid(row)) return row;
  const [key, revision] = row;
  const name = Buffer.from(key).toString();
  const message = `The record of ${name} at revision ${revision} is damaged: its checksum does not fit`;
  throw new StoreError("corrupt", message, { key: name, revision });
}

function isValid(row: Row): row is ValidRow {
  const [key, revision, previous, kind, time, checksum, value] = row;
  if (typeof previous !== "number" || typeof kind !== "number" || typeof time !== "number") return false;
  if (!(value instanceof Uint8Array)) return false;
  return rowChecksum(crc32c(value, crc32c(key)), revision, previous, kind, time) === checksum;
}

/**
 * Checks all chains.
 *
 * @returns the newest revision that is missing, whose key is unknown, or that follows such a one: the history before it is
 *   incomplete. The newest revision when a row belongs to no chain, 0 when nothing is wrong
 * @throws StoreError `corrupt` when the index has the wrong key for a record: the keys of the store are then unknown
 */
export function checkChains(db: DatabaseSync, file: string, { revision, compacted, records }: Ledger): number {
  const { gap, puts, links, current } = followLinks(db, compacted);
  // As many current rows as keys: each entry of the index has its row.
  const index = current === records ? { gap: 0, lost: 0 } : checkIndex(db, file);
  // Every value is the current one of its key, or was replaced by another change.
  if (puts !== records - index.lost + links) return revision;
  return Math.max(index.gap, gap);
}

function checkIndex(db: DatabaseSync, file: string): { gap: number; lost: number } {
  const others = arrayStatement<readonly [...Row, type: string, other: unknown]>(
    db,
    `SELECT CAST(live.key AS BLOB), live.revision, previous, kind, time, checksum, value, typeof(live.key), log.key
     FROM live LEFT JOIN log ON log.revision = live.revision
     WHERE log.key IS NOT live.key OR typeof(live.key) <> 'text'`,
  );
  let gap = 0;
  let count = 0;
  for (const row of others.iterate()) {
    const [key, revision, , kind, , , , type, other] = row;
    const lost = kind === null;
    if (type !== "text" || !(lost || isValid(row.slice(0, 7) as unknown as Row))) {
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
  /** The newest change with a wrong predecessor. */
  readonly gap: number;
  readonly puts: number;
  /** Changes with an existing predecessor: it is kept until the change itself is compacted. */
  readonly links: number;
  /** Puts that are current in the index. */
  readonly current: number;
}

/** Reads the whole log once. */
function followLinks(db: DatabaseSync, compacted: number): Links {
  const followed = arrayStatement<readonly [number | null, number, number, number]>(
    db,
    `SELECT max(CASE WHEN log.previous <> 0 AND before.key IS NOT log.key
               AND (before.revision IS NOT NULL OR log.revision > ?1) THEN log.revision END),
       count(CASE WHEN log.kind = ?2 THEN 1 END), count(before.revision), count(live.revision)
     FROM log LEFT JOIN log AS before ON before.revision = log.previous
       LEFT JOIN live ON live.key = log.key AND live.revision = log.revision`,
  );
  const [gap, puts, links, current] = followed.get(compacted, PUT_ROW)!;
  return { gap: gap ?? 0, puts, links, current };
}
