/**
 * Parsed objects that are asked for often.
 *
 * All kinds of a registry share them, and they are bounded by what they cost: what was not used for longest goes first,
 * whether its entry is still served or not.
 *
 * @module
 */
import type { ApiObject } from "../schema/definition.ts";
import type { Entry } from "../cache/index.ts";

/** What an object costs beside its bytes. */
const OVERHEAD = 1024;
const MOST_BYTES = 16 << 20;

interface Hot {
  /** In whose version it is. */
  readonly kind: object;
  readonly object: ApiObject;
}

const costOf = (entry: Entry): number => OVERHEAD + entry.bytes.length;

/** See the head of this file. */
export class HotObjects {
  readonly #most: number;
  readonly #objects = new Map<Entry, Hot>();
  #bytes = 0;

  /** @param most bytes of entries, each with some 1 KiB more */
  constructor(most: number = MOST_BYTES) {
    this.#most = most;
  }

  /** The object of `entry` in the version of `kind`; parsed when it is not hot. Read only: it is shared. */
  get(kind: object, entry: Entry, parse: () => ApiObject): ApiObject {
    const found = this.#objects.get(entry);
    if (found) this.#drop(entry);
    const hot = found?.kind === kind ? found : { kind, object: parse() };
    this.#objects.set(entry, hot);
    this.#bytes += costOf(entry);
    while (this.#bytes > this.#most) this.#drop(this.#objects.keys().next().value!);
    return hot.object;
  }

  #drop(entry: Entry): void {
    this.#objects.delete(entry);
    this.#bytes -= costOf(entry);
  }
}
