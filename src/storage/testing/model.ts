/**
 * A simple model of a store, with which the contract suite compares every backend.
 *
 * It keeps every version for ever and knows neither disks nor promises.
 *
 * @module
 */
import type { RangeResult, StoreErrorCode, StoredRecord, StoreEvent, Write } from "../contract.ts";

/** A store as a list of changes. */
export class StoreModel {
  readonly log: StoreEvent[] = [];
  /** The same, those of each transaction together. */
  readonly transactions: (readonly StoreEvent[])[] = [];
  revision: number;
  compacted: number;
  readonly #numbersTransactions: boolean;

  /**
   * @param revision the first revision of the real store
   * @param numbersTransactions whether all writes of a transaction have one revision
   */
  constructor(revision = 0, numbersTransactions = false) {
    this.revision = revision;
    this.compacted = revision;
    this.#numbersTransactions = numbersTransactions;
  }

  /** The revision that the write gets, or the code with which it fails. */
  write(write: Write): number | StoreErrorCode {
    const outcome = this.transact([write]);
    return typeof outcome === "string" ? outcome : outcome[0]!;
  }

  /** The revisions that the writes get, or the code with which they fail. */
  transact(writes: readonly Write[]): readonly number[] | StoreErrorCode {
    const refusal = writes.map((write) => this.#refusalOf(write)).find((code) => code !== undefined);
    if (refusal !== undefined) return refusal;
    const first = this.revision + 1;
    const events = writes.map((write, i): StoreEvent => {
      const { key, value } = write;
      const revision = this.#numbersTransactions ? first : first + i;
      const previousRevision = this.get(key)?.revision ?? 0;
      return { type: write.type === "delete" ? "delete" : "put", key, value, revision, previousRevision };
    });
    this.log.push(...events);
    this.transactions.push(events);
    this.revision = events.at(-1)?.revision ?? this.revision;
    return events.map(({ revision }) => revision);
  }

  get(key: string, revision: number = this.revision): StoredRecord | undefined {
    const event = this.log.findLast((e) => e.key === key && e.revision <= revision);
    return event?.type === "put" ? { key, value: event.value, revision: event.revision } : undefined;
  }

  range(prefix: string, start = "", limit = Infinity, revision: number = this.revision): RangeResult | StoreErrorCode {
    if (revision > this.revision) return "future";
    if (revision < this.compacted) return "compacted";
    const keys = [...new Set(this.log.map((e) => e.key))]
      .filter((key) => key.startsWith(prefix) && bytes(key) >= bytes(start))
      .toSorted((a, b) => (bytes(a) < bytes(b) ? -1 : 1));
    const records = keys.map((key) => this.get(key, revision)).filter((record) => record !== undefined);
    return { records: records.slice(0, limit), revision, more: records.length > limit };
  }

  /** The events that a watch from `after` delivers. */
  events(prefix: string, after: number): StoreEvent[] | StoreErrorCode {
    if (after > this.revision) return "future";
    if (after < this.compacted) return "compacted";
    return this.log.filter((e) => e.revision > after && e.key.startsWith(prefix));
  }

  #refusalOf(write: Write): StoreErrorCode | undefined {
    const current = this.get(write.key)?.revision ?? 0;
    if (write.type === "create") return current > 0 ? "exists" : undefined;
    if (current === 0) return "notFound";
    return current === write.expected ? undefined : "conflict";
  }

  compact(revision: number): StoreErrorCode | undefined {
    if (revision > this.revision) return "future";
    this.compacted = Math.max(this.compacted, revision);
    return undefined;
  }
}

/** A string of the UTF-8 bytes, which sorts as they do. */
function bytes(key: string): string {
  return Buffer.from(key).toString("latin1");
}
