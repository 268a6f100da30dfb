/**
 * What all backends share: the order of keys, checks of writes, and errors.
 *
 * @module
 */
import { MAX_TRANSACTION_BYTES, MAX_TRANSACTION_WRITES, MAX_VALUE_BYTES, StoreError } from "./contract.ts";
import type { StoreEvent, Write } from "./contract.ts";

/** Moves surrogates above the rest of the basic plane, so that code units sort like code points. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);

/** Compares two keys as UTF-8 bytes; negative when `a` comes first. */
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
 * Checks a write.
 *
 * @throws StoreError `tooLarge` for a value over {@link MAX_VALUE_BYTES}
 * @throws TypeError for an empty key, and for a lone surrogate: UTF-8 would encode two such keys as one
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
 * Checks the writes of a transaction.
 *
 * @throws StoreError `tooLarge` for a transaction or a value over its bounds
 * @throws TypeError for a key that occurs twice, and as {@link checkWrite}
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

/** `count` consecutive revisions. */
export const revisionsFrom = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => first + i);

/** The keys of a transaction in messages. */
export const namesOf = ([first, ...others]: readonly Pick<Write, "key">[]): string =>
  (first?.key ?? "") + (others.length === 0 ? "" : ` and ${others.length} more`);

/** Whether the condition of a write holds for a key at `revision` (0: the key does not exist). */
export const holds = (write: Write, revision: number): boolean =>
  write.type === "create" ? revision === 0 : revision !== 0 && revision === write.expected;

/** The event of a write at `revision`. */
export const eventOf = (write: Write, revision: number): StoreEvent => ({
  type: write.type === "delete" ? "delete" : "put",
  key: write.key,
  revision,
  value: write.value,
  previousRevision: write.type === "create" ? 0 : write.expected,
});

/** The error of a write whose key is at `revision` (0: the key does not exist). */
export function conditionError(write: Write, revision: number): StoreError {
  const { key } = write;
  if (write.type === "create") {
    const message = `Expected ${key} not to exist, found it at revision ${revision}`;
    return new StoreError("exists", message, { key, revision });
  }
  if (revision === 0) {
    return new StoreError("notFound", `Expected ${key} at revision ${write.expected}, found no such key`, { key });
  }
  const message = `Expected ${key} at revision ${write.expected}, found it at revision ${revision}`;
  return new StoreError("conflict", message, { key, revision });
}

/** The error of a read or watch from `revision`, older than the history. */
export function compactedError(revision: number, compacted: number): StoreError {
  const message = `Expected a revision of at least ${compacted}, got ${revision}: older history has been compacted`;
  return new StoreError("compacted", message, { revision: compacted });
}

/** The error of a read or watch from `revision`, newer than the store. */
export function futureError(revision: number, newest: number): StoreError {
  return new StoreError("future", `Expected a revision of at most ${newest}, got ${revision}`, { revision: newest });
}
