/**
 * Where everything lies in etcd, below one prefix (`/keelson` by default):
 *
 *     /keelson/data<key>        a record: the key as the contract has it, the value byte for byte
 *     /keelson/meta/format      the layout and for whom it was made, as JSON; written once
 *     /keelson/meta/last-value  what a delete shows as the last value, where that differs from what was stored
 *     /keelson/meta/last-value/1  the same for the second such delete of a transaction, and so on: etcd takes each key of a
 *                               transaction once. Servers that do not know these keys show what was stored.
 *     /keelson/meta/progress    written to learn how far a watch is, on an etcd that cannot say so reliably
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
  /** Records and all that belongs to them. */
  readonly everything: KeyRange;
  readonly format: Buffer;
  readonly #lastValue: string;
  readonly #lastValueBytes: Buffer;
  readonly progress: Buffer;

  /** @param prefix of all keys; a slash at its end does not count */
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

  /** Where a transaction stores the last value of a delete: the `index`th one that it stores, from 0. */
  lastValue(index: number): Buffer {
    return index === 0 ? this.#lastValueBytes : Buffer.from(`${this.#lastValue}/${index}`);
  }

  /** The key in etcd of a record. */
  key(key: string): Buffer {
    return Buffer.from(this.#data + key);
  }

  /** The range of the records whose keys begin with `prefix`, from `start` on if that is inside. */
  range(prefix: string, start = ""): KeyRange {
    const { key, end } = rangeOf(this.#data + prefix);
    const from = this.key(start);
    return { key: Buffer.compare(from, key) > 0 ? from : key, end };
  }

  /** A record with a value of its own, so that it does not hold the whole answer in memory. */
  record({ key, value, modRevision }: KeyValue): StoredRecord {
    return { key: this.#nameOf(key), value: Buffer.from(value), revision: modRevision };
  }

  /**
   * The changes of records among those of a watch over {@link Layout.everything}, in order.
   *
   * @throws StoreError `compacted` when the state before a change is needed and no longer kept
   */
  events(changes: readonly WatchChange[]): StoreEvent[] {
    const events: StoreEvent[] = [];
    for (const { deleted, now, before } of changes) {
      const revision = now.modRevision;
      if (!this.#isData(now.key)) {
        const last = events.at(-1);
        // The delete that it belongs to has the same revision and comes just before.
        if (last?.type === "delete" && last.revision === revision && this.#isLastValue(now.key)) {
          events[events.length - 1] = { ...last, value: Buffer.from(now.value) };
        }
        continue;
      }
      if (before === undefined && (deleted || now.createRevision !== revision)) {
        throw new StoreError("compacted", `The state before revision ${revision} has been compacted`, { revision });
      }
      const value = deleted ? before!.value : now.value;
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

/** All keys that begin with `prefix`; its last byte is never 255, since it is UTF-8. */
function rangeOf(prefix: string): KeyRange {
  const key = Buffer.from(prefix);
  const end = Buffer.from(key);
  end[end.length - 1]! += 1;
  return { key, end };
}
