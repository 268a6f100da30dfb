/**
 * What every backend does the same way with keys and writes: their order, their ranges and the checks at the door.
 *
 * @module
 */
import { MAX_TRANSACTION_BYTES, MAX_TRANSACTION_WRITES, MAX_VALUE_BYTES, StoreError } from "./contract.ts";
import type { StoreEvent, Write } from "./contract.ts";

/** Moves surrogates above the rest of the basic plane, so that code units compare like the code points they encode. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);

/** Compares two keys as their UTF-8 bytes would; negative when `a` comes first. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/**
 * Checks a write before a backend takes it.
 *
 * @throws StoreError `tooLarge` for a value over {@link MAX_VALUE_BYTES}
 * @throws TypeError for a key that is empty or that UTF-8 cannot encode (a lone surrogate): two such keys would
 *   become one on disk
 */
export function checkWrite(write: Write): void {
  const { key, value } = write;
  if (key === "" || !key.isWellFormed()) {
    throw new TypeError(`Expected a key to be a non-empty, well-formed string, got ${JSON.stringify(key)}`);
  }
  if (value.length > MAX_VALUE_BYTES) {
    const message = `Expected a value of at most ${MAX_VALUE_BYTES} bytes for ${key}, got ${value.length}`;
    throw new StoreError("tooLarge", message, { key });
  }
}

/**
 * Checks the writes of a transaction before a backend takes them.
 *
 * @throws StoreError `tooLarge` for a transaction over its bounds, and for a value as {@link checkWrite} does
 * @throws TypeError for a key that stands twice, and for a key as {@link checkWrite} does
 */
export function checkTransaction(writes: readonly Write[]): void {
  for (const write of writes) checkWrite(write);
  if (writes.length < 2) return;
  if (writes.length > MAX_TRANSACTION_WRITES) {
    const message = `Expected a transaction of at most ${MAX_TRANSACTION_WRITES} writes, got ${writes.length}`;
    throw new StoreError("tooLarge", message);
  }
  const keys = new Set<string>();
  let bytes = 0;
  for (const { key, value } of writes) {
    if (keys.has(key)) throw new TypeError(`Expected each key once in a transaction, got ${key} twice`);
    keys.add(key);
    bytes += Buffer.byteLength(key) + value.length;
  }
  if (bytes <= MAX_TRANSACTION_BYTES) return;
  const message = `Expected a transaction of at most ${MAX_TRANSACTION_BYTES} bytes of keys and values, got ${bytes}`;
  throw new StoreError("tooLarge", message);
}

/** The revisions of `count` writes that were numbered one after the other. */
export const revisionsFrom = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => first + i);

/** How a message names the writes of a transaction. */
export const namesOf = ([first, ...others]: readonly Pick<Write, "key">[]): string =>
  others.length === 0 ? first!.key : `${first!.key} and ${others.length} more`;

/** Whether the condition of a write holds where its key has `revision` (0: the key is not there). */
export const holds = (write: Write, revision: number): boolean =>
  write.type === "create" ? revision === 0 : revision !== 0 && revision === write.expected;

/** What watchers see of a write that has got `revision`. */
export const eventOf = (write: Write, revision: number): StoreEvent => ({
  type: write.type === "delete" ? "delete" : "put",
  key: write.key,
  revision,
  value: write.value,
  previousRevision: write.type === "create" ? 0 : write.expected,
});

/** The refusal of a write whose key has `revision` (0: the key is not there). */
export function conditionError(write: Write, revision: number): StoreError {
  const { key } = write;
  if (write.type === "create") {
    return new StoreError("exists", `Expected ${key} not to exist, found it at revision ${revision}`, {
      key,
      revision,
    });
  }
  if (revision === 0) {
    return new StoreError("notFound", `Expected ${key} at revision ${write.expected}, found no such key`, { key });
  }
  const message = `Expected ${key} at revision ${write.expected}, found it at revision ${revision}`;
  return new StoreError("conflict", message, { key, revision });
}

/** The refusal to read or watch from `revision` when the history begins after it. */
export function compactedError(revision: number, compacted: number): StoreError {
  const message = `Expected a revision of at least ${compacted}, got ${revision}: older history has been compacted`;
  return new StoreError("compacted", message, { revision: compacted });
}

/** The refusal to read or watch from a `revision` that the store has not reached. */
export function futureError(revision: number, newest: number): StoreError {
  return new StoreError("future", `Expected a revision of at most ${newest}, got ${revision}`, { revision: newest });
}
