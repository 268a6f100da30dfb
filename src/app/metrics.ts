/**
 * What `/metrics` tells of the rooms below the server: the store, the watch cache, and the process itself.
 *
 * Everything is read when somebody asks; nothing here runs in between. The figures of the process have the names that
 * every Prometheus client uses.
 *
 * @module
 */
import { performance } from "node:perf_hooks";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Cacher } from "../cache/index.ts";
import type { Collector } from "../server/index.ts";
import type { Store, StoreStats } from "../storage/contract.ts";

const FLUSH_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** Size, revisions and flushes of a store. Of more than 1000 flushes between two looks the oldest are not in the histogram. */
export const storeMetrics =
  (store: Pick<Store, "stats">): Collector =>
  (register) => {
    const stats = together(() => store.stats());
    const gauge = (name: string, help: string, read: (stats: StoreStats) => number): Gauge =>
      gaugeOf(register, name, help, async () => when(await stats(), read));
    gauge("keelson_store_revision", "Newest revision of the store.", (s) => s.revision);
    gauge("keelson_store_compacted_revision", "Oldest revision that can still be read.", (s) => s.compactedRevision);
    gauge("keelson_store_records", "Records in the store.", (s) => s.records);
    gauge("keelson_store_bytes", "Bytes of the store's files together.", (s) => s.bytes);
    counterOf(register, "keelson_store_flushes_total", "Flushes to disk.", async () => (await stats())?.flushes);
    counterOf(register, "keelson_store_writes_total", "Writes that they carried.", async () => (await stats())?.writes);
    new Histogram({
      name: "keelson_store_flush_duration_seconds",
      help: "Seconds that a flush took, and with it every write that it carried.",
      buckets: FLUSH_SECONDS,
      registers: [register],
      async collect() {
        for (const millis of (await stats())?.flushMillis ?? []) this.observe(millis / 1000);
      },
    });
  };

/** Objects, history and watches of the watch cache, by resource, and how often it was found wrong. */
export const cacheMetrics =
  (cacher: Pick<Cacher, "stats">, mismatches: () => number): Collector =>
  (register) => {
    const stats = (): ReturnType<Cacher["stats"]> => cacher.stats();
    gaugeOf(register, "keelson_cache_revision", "Revision up to which reads are answered.", () => stats().revision);
    gaugeOf(register, "keelson_cache_waiting", "Requests that wait for a revision.", () => stats().waiting);
    counterOf(register, "keelson_cache_reloads_total", "How often all was loaded anew.", () => stats().reloads);
    counterOf(register, "keelson_cache_mismatches_total", "Resources found to differ from the store.", mismatches);
    const perResource = {
      keelson_cache_objects: ["Objects in the cache.", "objects"],
      keelson_cache_history_events: ["Recent changes that watches can begin at.", "historyEvents"],
      keelson_cache_history_bytes: ["Bytes that recent changes hold.", "historyBytes"],
      keelson_cache_watches: ["Watches on the cache.", "watches"],
    } as const;
    for (const [name, [help, figure]] of Object.entries(perResource)) {
      new Gauge({
        name,
        help,
        labelNames: ["resource"],
        registers: [register],
        collect() {
          this.reset();
          for (const resource of stats().resources) this.set({ resource: nameOf(resource.prefix) }, resource[figure]);
        },
      });
    }
  };

/** Time, memory and the event loop of the process. */
export const processMetrics: Collector = (register) => {
  const started = performance.timeOrigin / 1000;
  let last = performance.eventLoopUtilization();
  const seconds = (micros: number): number => micros / 1e6;
  gaugeOf(register, "process_start_time_seconds", "Start of the process since the epoch, in seconds.", () => started);
  gaugeOf(register, "process_resident_memory_bytes", "Memory in RAM.", () => process.memoryUsage.rss());
  gaugeOf(register, "nodejs_heap_size_used_bytes", "Heap in use.", () => process.memoryUsage().heapUsed);
  counterOf(register, "process_cpu_user_seconds_total", "CPU time in user code.", () =>
    seconds(process.cpuUsage().user),
  );
  counterOf(register, "process_cpu_system_seconds_total", "CPU time in the system.", () =>
    seconds(process.cpuUsage().system),
  );
  gaugeOf(
    register,
    "nodejs_eventloop_utilization",
    "Share of the time since the last look that the loop was busy.",
    () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
  );
};

/** `/core/configmaps/` as a label: `core/configmaps`. */
const nameOf = (prefix: string): string => prefix.replace(/^\/|\/$/g, "");

type Read = () => number | undefined | Promise<number | undefined>;

/** A gauge that is read when it is asked for; undefined leaves it as it was. */
function gaugeOf(register: Registry, name: string, help: string, read: Read): Gauge {
  return new Gauge({
    name,
    help,
    registers: [register],
    async collect() {
      const value = await read();
      if (value !== undefined) this.set(value);
    },
  });
}

/** A counter that somebody else counts. */
function counterOf(register: Registry, name: string, help: string, read: Read): void {
  new Counter({
    name,
    help,
    registers: [register],
    async collect() {
      const value = await read();
      if (value === undefined) return;
      this.reset();
      this.inc(value);
    },
  });
}

const when = <T, R>(value: T | undefined, read: (value: T) => R): R | undefined =>
  value === undefined ? undefined : read(value);

/** Asks once for all who ask at the same time; undefined when there is no answer, as from a store that has failed. */
function together<T>(ask: () => Promise<T>): () => Promise<T | undefined> {
  let pending: Promise<T | undefined> | undefined;
  return () =>
    (pending ??= ask()
      .catch(() => undefined)
      .finally(() => {
        pending = undefined;
      }));
}
