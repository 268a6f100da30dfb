/**
 * The versions of one key, from the newest downwards.
 *
 * A version names the one that it replaced, so most steps are one look into the log. Only below a version that created
 * the key, and for a key that is not there, has the log to be searched for an earlier delete: a window of it at a time, so
 * that writes pass in between. The log has no index by key: it would cost every write more than it saves here.
 *
 * @module
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StoredVersion } from "../contract.ts";
import type { Ledger } from "./ledger.ts";
import { DELETE_ROW } from "./protocol.ts";
import type { HistoryPlace } from "./protocol.ts";
import { type Row, whole } from "./chains.ts";

/** Versions of one answer, and bytes of them. */
const MOST_VERSIONS = 100;
const MOST_BYTES = 1 << 20;
/** Rows of the log that one search looks at. */
const WINDOW = 2000;

const COLUMNS = "CAST(key AS BLOB), revision, previous, kind, time, checksum, value";

/** See the head of this file. */
export class Versions {
  readonly #ledger: Ledger;
  readonly #live: StatementSync;
  readonly #at: StatementSync;
  readonly #floor: StatementSync;
  readonly #search: StatementSync;

  constructor(db: DatabaseSync, ledger: Ledger) {
    const prepare = (sql: string): StatementSync => {
      const statement = db.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    };
    this.#ledger = ledger;
    this.#live = prepare("SELECT revision FROM live WHERE key = ?1");
    this.#at = prepare(`SELECT ${COLUMNS} FROM log WHERE revision = ?1`);
    this.#floor = prepare(
      "SELECT revision FROM log WHERE revision < ?1 AND revision > ?2 ORDER BY revision DESC LIMIT 1 OFFSET ?3",
    );
    this.#search = prepare(
      "SELECT revision FROM log WHERE revision < ?1 AND revision >= ?2 AND key = ?3 ORDER BY revision DESC LIMIT 1",
    );
  }

  /**
   * Reads on from a place, or from the newest version.
   *
   * @returns some versions, perhaps none, and where to go on; no place when there are no others
   * @throws StoreError `corrupt` for a version whose checksum does not fit
   */
  read(
    key: string,
    from: HistoryPlace | undefined,
    limit: number,
  ): { versions: StoredVersion[]; next: HistoryPlace | undefined } {
    const versions: StoredVersion[] = [];
    let place: HistoryPlace | undefined = from ?? this.#begin(key);
    let bytes = 0;
    while (place !== undefined && versions.length < Math.min(limit, MOST_VERSIONS) && bytes < MOST_BYTES) {
      // A search takes its time; the next step is another request.
      if ("below" in place) return { versions, next: this.#find(key, place.below) };
      const version = this.#version(key, place.at);
      if (version === undefined) return { versions, next: undefined };
      versions.push(version);
      bytes += version.value.length;
      place = this.#before(version);
    }
    return { versions, next: place };
  }

  #begin(key: string): HistoryPlace {
    const [revision] = (this.#live.get(key) ?? []) as unknown as [number?];
    return revision === undefined ? { below: this.#ledger.revision + 1 } : { at: revision };
  }

  /** What a version follows; nothing when that is gone, or is before the history. */
  #before({ revision, previousRevision }: StoredVersion): HistoryPlace | undefined {
    if (revision <= this.#ledger.compacted) return undefined;
    return previousRevision > 0 ? { at: previousRevision } : { below: revision };
  }

  #version(key: string, revision: number): StoredVersion | undefined {
    const row = this.#at.get(revision) as unknown as Row | undefined;
    // Lost, unless the history has been compacted between two requests.
    if (row === undefined && revision <= this.#ledger.compacted && this.#liveRevision(key) !== revision)
      return undefined;
    const found = row ?? [Buffer.from(key), revision, null, null, null, null, null];
    const [, , previousRevision, kind, time, , value] = whole(found);
    return { type: kind === DELETE_ROW ? "delete" : "put", revision, value, previousRevision, time };
  }

  #liveRevision(key: string): number | undefined {
    return (this.#live.get(key) as unknown as [number] | undefined)?.[0];
  }

  /** Searches one window below a revision. */
  #find(key: string, below: number): HistoryPlace | undefined {
    const { compacted } = this.#ledger;
    const [floor = compacted + 1] = (this.#floor.get(below, compacted, WINDOW) ?? []) as unknown as [number?];
    const [found] = (this.#search.get(below, floor, key) ?? []) as unknown as [number?];
    if (found !== undefined) return { at: found };
    return floor <= compacted + 1 ? undefined : { below: floor };
  }
}
