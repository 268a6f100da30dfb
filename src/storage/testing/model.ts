/**
 * What a store should do, in the fewest words: the model that the contract suite holds every backend against.
 *
 * It keeps every version for ever and knows neither disks nor promises.
 *
 * @module
 */
import type { RangeResult, StoreErrorCode, StoredRecord, StoreEvent, Write } from "../contract.ts";

/** A store as a list of changes. */
export class StoreModel {
  readonly log: StoreEvent[] = [];
  revision: number;
  compacted: number;

  /** @param revision the one at which the real store begins */
  constructor(revision = 0) {
    this.revision = revision;
    this.compacted = revision;
  }

  /** The revision that the write gets, or the code with which it fails. */
  write(write: Write): number | StoreErrorCode {
    const current = this.get(write.key)?.revision ?? 0;
    if (write.type === "create" && current > 0) return "exists";
    if (write.type !== "create" && current === 0) return "notFound";
    if (write.type !== "create" && current !== write.expected) return "conflict";
    this.revision += 1;
    const type = write.type === "delete" ? "delete" : "put";
    const { key, value } = write;
    this.log.push({ type, key, value, revision: this.revision, previousRevision: current });
    return this.revision;
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

  /** What a watch from `after` delivers. */
  events(prefix: string, after: number): StoreEvent[] | StoreErrorCode {
    if (after > this.revision) return "future";
    if (after < this.compacted) return "compacted";
    return this.log.filter((e) => e.revision > after && e.key.startsWith(prefix));
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
