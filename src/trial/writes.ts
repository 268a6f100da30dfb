/**
 * The writes in the history of a store, in their order.
 *
 * The store delivers changes as fast as it reads them. Their evaluation is slower, so the watch ends when enough changes wait,
 * and starts again at the revision where it has ended.
 *
 * @module
 */
import { type Store, StoreError, type StoreEvent } from "../storage/contract.ts";

/** The maximum number of bytes of waiting changes. */
const MAX_WAITING_BYTES = 4 << 20;

type Watched = Pick<Store, "watch">;

/** Some changes of the history, and the revision up to which all were read. */
interface Part {
  readonly events: readonly StoreEvent[];
  readonly revision: number;
}

/** The changes after a revision and up to another one, part by part. Rejects with {@link StoreError}. */
export async function* changesOf(
  store: Watched,
  { since, until }: { readonly since: number; readonly until: number },
): AsyncGenerator<readonly StoreEvent[]> {
  let at = since;
  while (at < until) {
    const { events, revision } = await nextPart(store, at, until);
    yield events.filter((event) => event.revision <= until);
    at = revision;
  }
}

/**
 * Reads changes after a revision until enough of them wait, or all have arrived. In a shared store the last revisions
 * may be of keys that are not watched: the store then reports its progress.
 */
async function nextPart(store: Watched, after: number, until: number): Promise<Part> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const events: StoreEvent[] = [];
  let bytes = 0;
  let reached = after;
  const watch = store.watch("", after, {
    events(batch) {
      for (const event of batch) bytes += event.value.length;
      events.push(...batch);
      reached = batch.at(-1)?.revision ?? reached;
      if (reached >= until || bytes > MAX_WAITING_BYTES) resolve();
    },
    progress(revision) {
      reached = Math.max(reached, revision);
      if (reached >= until) resolve();
    },
    ended: reject,
  });
  try {
    await promise;
    // More may have arrived meanwhile.
    return { events, revision: reached };
  } finally {
    watch.close();
  }
}

/** Whether a read has failed because the history was compacted meanwhile. */
export const isCompacted = (error: unknown): boolean => error instanceof StoreError && error.code === "compacted";
