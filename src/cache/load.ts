import { compareKeys } from "../storage/keys.ts";
import type { Store, StoredRecord } from "../storage/contract.ts";
import { type CacheResource, type Entry, keyInside } from "./entry.ts";
import { sortInSteps } from "../util/sort-in-steps.ts";
import type { Steps } from "../util/steps.ts";
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

/** The part of a resource that is read. */
export interface StatePart {
  /** Only keys with this prefix. */
  readonly prefix: string;
  /** The maximum number of bytes of values. */
  readonly maxBytes: number;
  /** Called with the number of records of each read. */
  readonly onLoaded?: (records: number) => void;
  /** Ends the reading: rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** A part of a state has more bytes than were allowed. */
export class TooMuch extends Error {
  override readonly name = "TooMuch";
}

const EVERYTHING: StatePart = { prefix: "", maxBytes: Infinity };

/** The state of a resource in the store at a revision. Rejects with StoreError. */
export async function loadState(
  store: Store,
  resource: CacheResource,
  revision: number,
  pause: Pause,
  onLoaded?: (records: number) => void,
): Promise<ResourceState> {
  return (await loadPart(store, resource, revision, pause, { ...EVERYTHING, ...(onLoaded ? { onLoaded } : {}) })).state;
}

/** A part of that state, and the bytes of its values. Rejects with StoreError and {@link TooMuch}. */
export async function loadPart(
  store: Store,
  resource: CacheResource,
  revision: number,
  pause: Pause,
  part: StatePart = EVERYTHING,
): Promise<{ readonly state: ResourceState; readonly bytes: number }> {
  const { prefix, factory } = resource;
  const entries: Entry[] = [];
  let bytes = 0;
  // A store of another vendor may sort keys outside ASCII in another order.
  let isSorted = true;
  const visit = (record: StoredRecord): void => {
    part.signal?.throwIfAborted();
    const last = entries.at(-1);
    const entry = factory(keyInside(prefix, record.key), record.value, record.revision);
    if (last && compareKeys(last.key, entry.key) >= 0) isSorted = false;
    bytes += record.value.length;
    if (bytes > part.maxBytes) throw new TooMuch(`expected at most ${part.maxBytes} bytes of values, found more`);
    entries.push(entry);
  };
  await readAll(store, prefix + part.prefix, revision, pause, visit, part.onLoaded);
  const sorted = isSorted ? entries : await run(sortInSteps(entries, byKey), pause);
  return { state: await run(ResourceState.inSteps(sorted), pause), bytes };
}

const byKey = (a: Entry, b: Entry): number => compareKeys(a.key, b.key);

/** Runs steps, with a pause after each one. */
async function run<T>(steps: Steps<T>, pause: Pause): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pause();
  }
}
