/**
 * What the watch cache costs, without store and network: it is fed by hand.
 *
 *     node bench/cache.ts
 *
 * Defends: a selector costs in proportion to its answer (below 100 µs for a page of 50 among 10 000 objects), a snapshot
 * and a fork are free, an event costs each watcher a function call, an object of 1 KiB takes at most 2.5 KiB.
 */
import { bench, do_not_optimize, run, summary } from "mitata";
import { Cacher, type CacheResource, type Entry, type Selection } from "../src/cache/index.ts";
import type { Store, StoreEvent, StoreWatcher } from "../src/storage/contract.ts";

const OBJECTS = 10_000;
const PREFIX = "/core/configmaps/";
const PAD = "x".repeat(900);

class BenchEntry implements Entry {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly revision: number;
  readonly labels: Readonly<Record<string, string>>;
  #memo: Map<unknown, unknown> | undefined;

  constructor(key: string, bytes: Uint8Array, revision: number) {
    this.key = key;
    this.bytes = bytes;
    this.revision = revision;
    this.labels = { part: String(Number(key.slice(-5)) % 100), app: "bench" };
  }

  get memo(): Map<unknown, unknown> {
    return (this.#memo ??= new Map());
  }

  field(): string {
    return "";
  }
}

const resource: CacheResource = {
  prefix: PREFIX,
  factory: (key, value, revision) => new BenchEntry(key, value, revision),
  restamp: (entry, revision) => new BenchEntry(entry.key, entry.bytes, revision),
};

/** A cache and the watcher through which it is fed. */
async function open(options = {}): Promise<{ cacher: Cacher; feed: StoreWatcher; store: Store }> {
  let feed: StoreWatcher | undefined;
  const store = {
    currentRevision: async () => 0,
    range: async () => ({ records: [], revision: 0, more: false }),
    watch: (_: string, __: number, watcher: StoreWatcher) => ((feed = watcher), { close: () => {} }),
    get revision() {
      return revision;
    },
  } as unknown as Store;
  const cacher = await Cacher.open(store, [resource], options);
  return { cacher, feed: feed!, store };
}

let revision = 0;
const keyOf = (i: number): string => `namespace-${i % 20}/configmap-${String(i).padStart(5, "0")}`;

function event(i: number): StoreEvent {
  revision++;
  const value = Buffer.from(`{"metadata":{"name":"${i}","resourceVersion":"${revision}"},"data":{"pad":"${PAD}"}}`);
  return { type: "put", key: PREFIX + keyOf(i), revision, value, previousRevision: 0 };
}

const heap = (): number => {
  (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const before = heap();
const { cacher, feed, store } = await open({ historyEvents: 0, historyMillis: 0, historyBytes: 0 });
for (let i = 0; i < OBJECTS; i++) feed.events([event(i)]);
const perObject = (heap() - before) / OBJECTS;
console.log(`memory: ${Math.round(perObject)} bytes for an object of ${event(0).value.length} (needs --expose-gc)`);

const cache = cacher.resource(PREFIX);
/** A store whose watchers hear nothing: for forks. */
const quiet = Object.assign(Object.create(store) as Store, { watch: () => ({ close: () => {} }) });
const all: Selection = { id: "all", prefix: "" };
const namespace: Selection = { id: "ns", prefix: "namespace-7/" };
const selected: Selection = { id: "part", prefix: "", labels: [["part", "7"]] };
const filtered: Selection = { id: "f", prefix: "", matches: (entry) => entry.labels["part"] === "7" };
await cache.prepare(selected);

let at = 0;
const next = (): number => (at = (at + 7919) % OBJECTS);
const keys = Array.from({ length: OBJECTS }, (_, i) => keyOf(i));

summary(() => {
  bench("get", () => do_not_optimize(cache.get(keys[next()]!)));
  bench("update", () => feed.events([event(next())]));
  bench("update after a snapshot", () => {
    cache.snapshot();
    feed.events([event(next())]);
  });
  bench("fork", () => cacher.fork(quiet).close());
  bench("list of all 10 000", () => do_not_optimize(cache.snapshot().list(all)));
  bench("list of a namespace of 500", () => do_not_optimize(cache.snapshot().list(namespace)));
  bench("page of 100 in the middle", () =>
    do_not_optimize(cache.snapshot().list(all, { after: keys[next()]!, limit: 100 })));
  bench("label selector, page of 50", () => do_not_optimize(cache.snapshot().list(selected, { limit: 50 })));
  bench("filter over all 10 000, page of 50", () => do_not_optimize(cache.snapshot().list(filtered, { limit: 50 })));
});
await run();

/** Microseconds for an event, fed one by one, with `count` watchers of whom `touched` see it. */
async function fanOut(title: string, selections: readonly Selection[], touched: number): Promise<void> {
  const started = revision;
  const { cacher: crowd, feed: crowdFeed } = await open({ historyEvents: 0, historyMillis: 0 });
  let delivered = 0;
  const sink = { deliver: () => void delivered++, ended: () => {} };
  crowdFeed.events([event(0)]);
  const watches = selections.map((s) => crowd.resource(PREFIX).watch(s, { after: revision }, sink));
  await new Promise((resolve) => setTimeout(resolve, 500));
  if (watches.some((watch) => !watch.live)) throw new Error("Expected all watches to be live");
  const events = Array.from({ length: 2000 }, () => event(7));
  const start = performance.now();
  for (const e of events) crowdFeed.events([e]);
  const micros = ((performance.now() - start) * 1000) / events.length;
  if (delivered !== events.length * touched) throw new Error(`Expected ${events.length * touched}, got ${delivered}`);
  console.log(
    `${title}: ${micros.toFixed(1)} µs for an event, ${((micros * 1000) / touched).toFixed(0)} ns for each of ${touched} sinks`,
  );
  crowd.close();
  revision = Math.max(revision, started);
}

const some = (count: number, make: (i: number) => Selection): Selection[] =>
  Array.from({ length: count }, (_, i) => make(i));
await fanOut(
  "500 watchers, one group",
  some(500, () => all),
  500,
);
await fanOut(
  "10 000 watchers of 1 000 namespaces",
  some(10_000, (i) => ({ id: `n${i % 1000}`, prefix: `namespace-${i % 1000}/` })),
  10,
);
await fanOut(
  "10 000 watchers of one object each",
  some(10_000, (i) => ({ id: `k${i}`, prefix: "", key: keyOf(i) })),
  1,
);
