import type { Store } from "../storage/contract.ts";
import type { ClusterRegistry } from "./handlers.ts";

/** How long work on all objects waits for what other servers have stored. */
const FRESH_MS = 3000;

/** Resolves when the cache has everything that any server has stored so far; rejects where that takes too long. */
export async function whenFresh({ cacher }: Pick<ClusterRegistry, "cacher">, store: Store): Promise<void> {
  await cacher.waitFor(await store.currentRevision(), { timeoutMs: FRESH_MS });
}
