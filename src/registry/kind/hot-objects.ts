/**
 * Parsed objects that are used often.
 * All kinds of a registry share one cache, which is bounded by cost: the least recently used object is dropped first, whether its entry is
 * still served or not.
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import type { Entry } from "../../cache/index.ts";
import { BoundedCache } from "../../util/bounded-cache.ts";

/** The cost of an object besides its bytes. */
const OVERHEAD = 1024;
const MOST_BYTES = 16 << 20;

interface Hot {
  /** The kind in whose version it is. */
  readonly kind: object;
  readonly object: ApiObject;
  /** The bytes of its entry. */
  readonly bytes: number;
}

/** A cache of parsed objects. */
export class HotObjects {
  readonly #objects: BoundedCache<Hot, Entry>;

  /** @param most bytes of entries, each with some 1 KiB more */
  constructor(most: number = MOST_BYTES) {
    this.#objects = new BoundedCache({ entries: Infinity, bytes: most, weigh: ({ bytes }) => OVERHEAD + bytes });
  }

  /** The object of `entry` in the version of `kind`; parsed when it is not cached. Read only: it is shared. */
  get(kind: object, entry: Entry, parse: () => ApiObject): ApiObject {
    const found = this.#objects.get(entry);
    if (found?.kind === kind) return found.object;
    const object = parse();
    this.#objects.set(entry, { kind, object, bytes: entry.bytes.length });
    return object;
  }
}
