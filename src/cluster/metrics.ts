/**
 * The metrics of the store, the watch cache, and the process.
 *
 * Everything is read for each request of `/metrics`. The figures of the process have the names that
 * every Prometheus client uses.
 *
 * @module
 */
import { performance } from "node:perf_hooks";
import type { Cacher } from "../cache/index.ts";
import { type Collector, Histogram, type Metric, single } from "../util/exposition.ts";
import type { Store, StoreSpace } from "../storage/contract.ts";

const FLUSH_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** Size, revisions and flushes of a store. Of more than 1000 flushes between two reads the oldest are not in the histogram. */
export function storeMetrics(store: Pick<Store, "stats" | "space">): Collector {
  const flushes = new Histogram(FLUSH_SECONDS);
  return async () => {
    // A store that has failed has no figures.
    const stats = await store.stats().catch(() => undefined);
    if (!stats) return [];
    const { space } = store;
    for (const millis of stats.flushMillis) flushes.observe(millis / 1000);
    return [
      single("gauge", "keelson_store_revision", "Newest revision of the store.", stats.revision),
      single(
        "gauge",
        "keelson_store_compacted_revision",
        "Oldest revision that can still be read.",
        stats.compactedRevision,
      ),
      single("gauge", "keelson_store_records", "Records in the store.", stats.records),
      single("gauge", "keelson_store_bytes", "Bytes of the store's files together.", stats.bytes),
      ...(space ? spaceMetrics(space) : []),
      single("counter", "keelson_store_flushes_total", "Flushes to disk.", stats.flushes),
      single("counter", "keelson_store_writes_total", "Writes that they carried.", stats.writes),
      {
        name: "keelson_store_flush_duration_seconds",
        type: "histogram",
        help: "Seconds that a flush took, and with it every write that it carried.",
        samples: flushes.samples(),
      },
    ];
  };
}

const spaceMetrics = ({ full, freeBytes, reserveBytes }: StoreSpace): Metric[] => [
  single(
    "gauge",
    "keelson_store_full",
    "1 while the disk is full: only writes that free space are accepted.",
    full ? 1 : 0,
  ),
  single("gauge", "keelson_store_free_bytes", "Bytes that can be written, without the reserve.", freeBytes),
  single("gauge", "keelson_store_reserve_bytes", "Bytes that are kept for writes that make room.", reserveBytes),
];

const PER_RESOURCE = {
  keelson_cache_objects: ["Objects in the cache.", "objects"],
  keelson_cache_history_events: ["Recent changes that watches can begin at.", "historyEvents"],
  keelson_cache_history_bytes: ["Bytes that recent changes hold.", "historyBytes"],
  keelson_cache_watches: ["Watches on the cache.", "watches"],
} as const;

/** Objects, history and watches of the watch cache, by resource, and how often it differed from the store. */
export const cacheMetrics =
  (cacher: Pick<Cacher, "stats">, mismatches: () => number): Collector =>
  () => {
    const stats = cacher.stats();
    const perResource = Object.entries(PER_RESOURCE).map(([name, [help, figure]]): Metric => ({
      name,
      type: "gauge",
      help,
      samples: stats.resources.map((r) => ({ labels: { resource: nameOf(r.prefix) }, value: r[figure] })),
    }));
    return [
      single("gauge", "keelson_cache_revision", "Revision of the cache, from which reads are served.", stats.revision),
      single("gauge", "keelson_cache_waiting", "Requests that wait for a revision.", stats.waiting),
      single("counter", "keelson_cache_reloads_total", "How often the whole cache was loaded again.", stats.reloads),
      single("counter", "keelson_cache_mismatches_total", "Resources found to differ from the store.", mismatches()),
      ...perResource,
    ];
  };

/** Time, memory and the event loop of the process. */
export function processMetrics(): Collector {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    const started = performance.timeOrigin / 1000;
    return [
      single("gauge", "process_start_time_seconds", "Start of the process since the epoch, in seconds.", started),
      single("gauge", "process_resident_memory_bytes", "Memory in RAM.", rss),
      single("gauge", "nodejs_heap_size_used_bytes", "Heap in use.", heapUsed),
      single("counter", "process_cpu_user_seconds_total", "CPU time in user code.", user / 1e6),
      single("counter", "process_cpu_system_seconds_total", "CPU time in the system.", system / 1e6),
      single(
        "gauge",
        "nodejs_eventloop_utilization",
        "Share of the time since the last look that the loop was busy.",
        utilization,
      ),
    ];
  };
}

/** `/core/configmaps/` as a label: `core/configmaps`. */
const nameOf = (prefix: string): string => prefix.replace(/^\/|\/$/g, "");
