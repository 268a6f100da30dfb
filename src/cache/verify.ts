/**
 * Does the cache say what the store says? A cache that has drifted answers wrongly without any other sign, so this is
 * asked after every random history in tests, and every few minutes in production (see `checks.ts`).
 *
 * @module
 */
import type { Store } from "../storage/contract.ts";
import { type Pause, readAll } from "./load.ts";
import type { ResourceCache } from "./resource.ts";

/** How a resource in the cache differs from the store at one revision. */
export interface Mismatch {
  readonly prefix: string;
  readonly revision: number;
  /** Objects that the two have in different numbers, and how many the store has in another version or alone. */
  readonly inCache: number;
  readonly inStore: number;
  readonly different: number;
  /** Some of the keys that the store has in another version or alone. */
  readonly keys: readonly string[];
}

/** Keys that a mismatch names. */
const MOST_KEYS = 10;

/**
 * Compares a resource with the store as of the present revision of the cache. When each record of the store is in the
 * cache with the same revision and there are as many in both, they are the same: no key can be in the cache alone.
 * Rejects with StoreError.
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
    if (keys.length < MOST_KEYS) keys.push(key);
  });
  return different === 0 && inCache === inStore ? undefined : { prefix, revision, inCache, inStore, different, keys };
}
