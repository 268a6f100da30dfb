/**
 * The versions of one key, newest first, and when the history was written.
 *
 * A version names the one that it replaced, so most steps read one row of the log. Only below a version that created the key, and
 * for a key that does not exist, the log is searched for an earlier delete: a window at a time, so that writes come in between.
 * The log has no index by key: it would cost every write more than it saves here.
 *
 * @module
 */
import type { DatabaseSync } from "node:sqlite";
import type { StoredVersion, StoreMoments } from "../contract.ts";
import { momentsOf } from "../moments.ts";
import type { Ledger } from "./ledger.ts";
import { DELETE_ROW } from "./protocol.ts";
import type { HistoryPosition } from "./protocol.ts";
import { type Row, validRow } from "./chains.ts";
import { type ArrayStatement, arrayStatement } from "./statements.ts";

/** The maximum of versions in one reply, and of their bytes. */
const MAX_VERSIONS = 100;
const MAX_BYTES = 1 << 20;
/** Rows of the log that one search reads. */
const WINDOW = 2000;

const COLUMNS = "CAST(key AS BLOB), revision, previous, kind, time, checksum, value";

type RevisionRow = readonly [revision: number];

/** See the head of this file. */
export class Versions {
  readonly #ledger: Ledger;
  readonly #live: ArrayStatement<RevisionRow>;
  readonly #at: ArrayStatement<Row>;
  readonly #floor: ArrayStatement<RevisionRow>;
  readonly #search: ArrayStatement<RevisionRow>;
  readonly #time: ArrayStatement<readonly [time: number]>;

  constructor(db: DatabaseSync, ledger: Ledger) {
    const prepare = (sql: string): ArrayStatement<RevisionRow> => arrayStatement(db, sql);
    this.#ledger = ledger;
    this.#live = prepare("SELECT revision FROM live WHERE key = ?1");
    this.#at = arrayStatement(db, `SELECT ${COLUMNS} FROM log WHERE revision = ?1`);
    this.#time = arrayStatement(db, "SELECT time FROM log WHERE revision = ?1");
    this.#floor = prepare(
      "SELECT revision FROM log WHERE revision < ?1 AND revision > ?2 ORDER BY revision DESC LIMIT 1 OFFSET ?3",
    );
    this.#search = prepare(
      "SELECT revision FROM log WHERE revision < ?1 AND revision >= ?2 AND key = ?3 ORDER BY revision DESC LIMIT 1",
    );
  }

  /**
   * Reads from a position, or from the newest version.
   *
   * @returns some versions, perhaps none, and the next position; undefined at the end
   * @throws StoreError `corrupt` for a version with a wrong checksum
   */
  read(
    key: string,
    from: HistoryPosition | undefined,
    limit: number,
  ): { versions: StoredVersion[]; next: HistoryPosition | undefined } {
    const versions: StoredVersion[] = [];
    let position: HistoryPosition | undefined = from ?? this.#begin(key);
    let bytes = 0;
    while (position !== undefined && versions.length < Math.min(limit, MAX_VERSIONS) && bytes < MAX_BYTES) {
      // A search takes long; the next step is another request.
      if ("below" in position) return { versions, next: this.#find(key, position.below) };
      const version = this.#version(key, position.at);
      if (version === undefined) return { versions, next: undefined };
      versions.push(version);
      bytes += version.value.length;
      position = this.#before(version);
    }
    return { versions, next: position };
  }

  /** When the writes of the history were made; a search reads one column of some twenty rows. */
  moments(times: readonly number[]): StoreMoments {
    const { compacted, revision } = this.#ledger;
    return momentsOf(compacted, revision, (one) => this.#time.get(one)?.[0], times);
  }

  #begin(key: string): HistoryPosition {
    const revision = this.#liveRevision(key);
    return revision === undefined ? { below: this.#ledger.revision + 1 } : { at: revision };
  }

  /** The position before a version; undefined when it is before the history. */
  #before({ revision, previousRevision }: StoredVersion): HistoryPosition | undefined {
    if (revision <= this.#ledger.compacted) return undefined;
    return previousRevision > 0 ? { at: previousRevision } : { below: revision };
  }

  #version(key: string, revision: number): StoredVersion | undefined {
    const row = this.#at.get(revision);
    // Lost, unless the history has been compacted between two requests.
    if (row === undefined && revision <= this.#ledger.compacted && this.#liveRevision(key) !== revision)
      return undefined;
    const found = row ?? [Buffer.from(key), revision, null, null, null, null, null];
    const [, , previousRevision, kind, time, , value] = validRow(found);
    return { type: kind === DELETE_ROW ? "delete" : "put", revision, value, previousRevision, time };
  }

  #liveRevision(key: string): number | undefined {
    return this.#live.get(key)?.[0];
  }

  /** Searches one window below a revision. */
  #find(key: string, below: number): HistoryPosition | undefined {
    const { compacted } = this.#ledger;
    const [floor = compacted + 1] = this.#floor.get(below, compacted, WINDOW) ?? [];
    const [found] = this.#search.get(below, floor, key) ?? [];
    if (found !== undefined) return { at: found };
    return floor <= compacted + 1 ? undefined : { below: floor };
  }
}
