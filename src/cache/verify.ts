/**
 * Compares the cache with the store. A cache that differs gives wrong results without any other sign, so tests do this after every
 * random history, and production every few minutes (see `checks.ts`).
 *
 * @module
 */
import type { Store } from "../storage/contract.ts";
import { type Pause, readAll } from "./load.ts";
import type { ResourceCache } from "./resource.ts";

/** The difference of a resource in the cache from the store at one revision. */
export interface Mismatch {
  readonly prefix: string;
  readonly revision: number;
  /** The numbers of objects, and of those that the store has in another version or alone. */
  readonly inCache: number;
  readonly inStore: number;
  readonly different: number;
  /** Some of the keys that the store has in another version or alone. */
  readonly keys: readonly string[];
}

/** The maximum of keys in a mismatch. */
const MAX_KEYS = 10;

/**
 * Compares a resource with the store at the current revision of the cache. When each record of the store is in the cache with the same
 * revision and their numbers are equal, they are the same: no key can be in the cache alone. Rejects with StoreError.
 */
export async function compareWithStore(
  store: Store,
  cache: ResourceCache,
  pause: Pause,
): Promise<Mismatch | undefined> {
  const { prefix } = cache.resource;
  const snapshot = cache.snapshot();
  const { revision, size: inCache } = snapshot;
  const keys: string[] = [];
  let inStore = 0;
  let different = 0;
  await readAll(store, prefix, revision, pause, (record) => {
    inStore++;
    const key = record.key.slice(prefix.length);
    if (snapshot.get(key)?.revision === record.revision) return;
    different++;
    if (keys.length < MAX_KEYS) keys.push(key);
  });
  return different === 0 && inCache === inStore ? undefined : { prefix, revision, inCache, inStore, different, keys };
}
