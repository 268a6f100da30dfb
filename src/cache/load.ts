import { compareKeys } from "../storage/keys.ts";
import type { Store, StoredRecord } from "../storage/contract.ts";
import { type CacheResource, type Entry, keyInside } from "./entry.ts";
import { ResourceState } from "./resource-state.ts";

/** Returns to the event loop, so that other work runs first. */
export type Pause = () => Promise<void>;

/** Records of one read. */
const PAGE = 1000;

/** Visits every record under a prefix at a revision, in pages, in the order of the store. Rejects with StoreError. */
export async function readAll(
  store: Store,
  prefix: string,
  revision: number,
  pause: Pause,
  visit: (record: StoredRecord) => void,
  onPage?: (records: number) => void,
): Promise<void> {
  let start = prefix;
  for (;;) {
    const page = await store.range(prefix, { start, limit: PAGE, revision });
    for (const record of page.records) visit(record);
    onPage?.(page.records.length);
    const last = page.records.at(-1);
    if (!page.more || !last) return;
    start = `${last.key}\0`;
    await pause();
  }
}

/** The state of a resource in the store at a revision. Rejects with StoreError. */
export async function loadState(
  store: Store,
  resource: CacheResource,
  revision: number,
  pause: Pause,
  onLoaded?: (records: number) => void,
): Promise<ResourceState> {
  const { prefix, factory } = resource;
  const entries: Entry[] = [];
  // A store of another vendor may sort keys outside ASCII in another order.
  let isSorted = true;
  const visit = (record: StoredRecord): void => {
    const last = entries.at(-1);
    const entry = factory(keyInside(prefix, record.key), record.value, record.revision);
    if (last && compareKeys(last.key, entry.key) >= 0) isSorted = false;
    entries.push(entry);
  };
  await readAll(store, prefix, revision, pause, visit, onLoaded);
  if (!isSorted) entries.sort((a, b) => compareKeys(a.key, b.key));
  return ResourceState.of(entries);
}
