/**
 * The keys in etcd, below one prefix (`/keelson` by default):
 *
 *     /keelson/data<key>        a record: the key of the contract, the value byte for byte
 *     /keelson/meta/format      the version of the layout and the owner, as JSON; written once
 *     /keelson/meta/last-value  the last value in the event of a delete, where it differs from the stored one
 *     /keelson/meta/last-value/1  the same for the second such delete of a transaction, and so on: a transaction of etcd writes
 *                               each key once. Servers that do not know these keys show the stored value.
 *     /keelson/meta/progress    written to learn the progress of a watch, on an etcd that does not report it reliably
 *
 * @module
 */
import { withoutTrailing } from "../../util/scan.ts";
import { StoreError } from "../contract.ts";
import type { StoredRecord, StoreEvent } from "../contract.ts";
import type { KeyValue, WatchChange } from "./messages.ts";

/** The default prefix. */
export const DEFAULT_PREFIX = "/keelson";

const SLASH = 47;

/** A range of keys in etcd, `end` excluded. */
export interface KeyRange {
  readonly key: Uint8Array;
  readonly end: Uint8Array;
}

/** Translates keys and changes; see the head of this file. */
export class Layout {
  readonly #data: string;
  readonly #dataBytes: Buffer;
  /** Records and metadata. */
  readonly everything: KeyRange;
  readonly format: Buffer;
  readonly #lastValue: string;
  readonly #lastValueBytes: Buffer;
  readonly progress: Buffer;

  /** @param prefix of all keys, with or without a slash at its end */
  constructor(prefix: string) {
    const root = withoutTrailing(prefix, "/");
    this.#data = `${root}/data`;
    this.#dataBytes = Buffer.from(this.#data);
    this.everything = rangeOf(`${root}/`);
    this.format = Buffer.from(`${root}/meta/format`);
    this.#lastValue = `${root}/meta/last-value`;
    this.#lastValueBytes = Buffer.from(this.#lastValue);
    this.progress = Buffer.from(`${root}/meta/progress`);
  }

  /** The key of the `index`th last value that a transaction stores, from 0. */
  lastValue(index: number): Buffer {
    return index === 0 ? this.#lastValueBytes : Buffer.from(`${this.#lastValue}/${index}`);
  }

  /** The key in etcd of a record. */
  key(key: string): Buffer {
    return Buffer.from(this.#data + key);
  }

  /** The range of the records whose keys begin with `prefix`, from `start` on. */
  range(prefix: string, start = ""): KeyRange {
    const { key, end } = rangeOf(this.#data + prefix);
    const from = this.key(start);
    return { key: Buffer.compare(from, key) > 0 ? from : key, end };
  }

  /** A record with a copy of the value, so that it does not keep the whole response in memory. */
  record({ key, value, modRevision }: KeyValue): StoredRecord {
    return { key: this.#nameOf(key), value: Buffer.from(value), revision: modRevision };
  }

  /**
   * The changes of records in a watch over {@link Layout.everything}, in order.
   *
   * @throws StoreError `compacted` when the state before a change is needed and was compacted
   */
  events(changes: readonly WatchChange[]): StoreEvent[] {
    const events: StoreEvent[] = [];
    for (const { deleted, now, before } of changes) {
      const revision = now.modRevision;
      if (!this.#isData(now.key)) {
        const last = events.at(-1);
        // The delete has the same revision and comes just before.
        if (last?.type === "delete" && last.revision === revision && this.#isLastValue(now.key)) {
          events[events.length - 1] = { ...last, value: Buffer.from(now.value) };
        }
        continue;
      }
      if (before === undefined && (deleted || now.createRevision !== revision)) {
        throw new StoreError("compacted", `The state before revision ${revision} has been compacted`, { revision });
      }
      const { value } = (deleted && before) || now;
      events.push({
        type: deleted ? "delete" : "put",
        key: this.#nameOf(now.key),
        revision,
        value: Buffer.from(value),
        previousRevision: before?.modRevision ?? 0,
      });
    }
    return events;
  }

  #isData(key: Uint8Array): boolean {
    const length = this.#dataBytes.length;
    return key.length > length && this.#dataBytes.equals(key.subarray(0, length));
  }

  #isLastValue(key: Uint8Array): boolean {
    const { length } = this.#lastValueBytes;
    return this.#lastValueBytes.equals(key.subarray(0, length)) && (key.length === length || key[length] === SLASH);
  }

  #nameOf(key: Uint8Array): string {
    return Buffer.from(key.buffer, key.byteOffset, key.length).toString("utf8", this.#dataBytes.length);
  }
}

/** The range of all keys that begin with `prefix`, whose last byte is below 255: it is UTF-8. */
function rangeOf(prefix: string): KeyRange {
  const key = Buffer.from(prefix);
  const end = Buffer.from(key);
  end[end.length - 1]! += 1;
  return { key, end };
}
