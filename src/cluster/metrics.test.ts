import { describe, expect, test } from "vitest";
import type { CacherStats } from "../cache/index.ts";
import { type Collector, expose } from "../util/exposition.ts";
import type { StoreStats } from "../storage/contract.ts";
import { cacheMetrics, processMetrics, storeMetrics } from "./metrics.ts";

/** The value of a series in what a room tells. */
async function value(collect: Collector, series: string): Promise<number> {
  const line = expose(await collect())
    .split("\n")
    .find((text) => text.startsWith(`${series} `));
  return Number(line?.slice(series.length) ?? Number.NaN);
}

describe("storeMetrics", () => {
  function setUp() {
    const state = { asked: 0, fails: false, flushMillis: [1, 2, 400] as readonly number[] };
    const stats = (): Promise<StoreStats> => {
      state.asked++;
      if (state.fails) return Promise.reject(new Error("failed"));
      const { flushMillis } = state;
      // The samples are handed out once, as the stores do it.
      state.flushMillis = [];
      return Promise.resolve({
        revision: 7,
        compactedRevision: 3,
        records: 5,
        bytes: 4096,
        flushes: 11,
        writes: 22,
        flushMillis,
      });
    };
    return { collect: storeMetrics({ stats }), state };
  }

  test("tells revision, records, bytes, flushes and writes as they are now, not as they were a look ago", async () => {
    const { collect } = setUp();
    const text = expose(await collect());
    for (const line of [
      "keelson_store_revision 7",
      "keelson_store_compacted_revision 3",
      "keelson_store_records 5",
      "keelson_store_bytes 4096",
      "keelson_store_flushes_total 11",
      "keelson_store_writes_total 22",
      "keelson_store_flush_duration_seconds_count 3",
      'keelson_store_flush_duration_seconds_bucket{le="0.0025"} 2',
    ]) {
      expect(text.split("\n")).toContain(line);
    }
  });

  test("asks the store once for each look, and counts no flush twice", async () => {
    const { collect, state } = setUp();
    await collect();
    expect(state.asked).toBe(1);
    state.flushMillis = [5];
    expect(await value(collect, "keelson_store_flush_duration_seconds_count")).toBe(4);
    expect(await value(collect, "keelson_store_writes_total")).toBe(22);
    expect(state.asked).toBe(3);
  });

  test("a store that has failed has no figures, and breaks no other metrics", async () => {
    const { collect, state } = setUp();
    await collect();
    state.fails = true;
    expect(await collect()).toEqual([]);
  });
});

describe("cacheMetrics", () => {
  test("tells size, history and watches by resource, and forgets resources that are gone", async () => {
    const resource = (prefix: string, objects: number) => ({
      prefix,
      objects,
      historyEvents: 2,
      historyBytes: 300,
      historyStart: 0,
      watches: 4,
      groups: 1,
      keptVersions: 0,
      labelIndexes: 0,
    });
    let stats: CacherStats = {
      revision: 9,
      reloads: 1,
      waiting: 2,
      resources: [resource("/core/pods/", 5), resource("/x/y/", 6)],
    };
    const collect = cacheMetrics({ stats: () => stats }, () => 3);
    expect(await value(collect, "keelson_cache_revision")).toBe(9);
    expect(await value(collect, "keelson_cache_reloads_total")).toBe(1);
    expect(await value(collect, "keelson_cache_waiting")).toBe(2);
    expect(await value(collect, "keelson_cache_mismatches_total")).toBe(3);
    expect(await value(collect, 'keelson_cache_objects{resource="core/pods"}')).toBe(5);
    expect(await value(collect, 'keelson_cache_history_events{resource="x/y"}')).toBe(2);
    expect(await value(collect, 'keelson_cache_history_bytes{resource="x/y"}')).toBe(300);
    expect(await value(collect, 'keelson_cache_watches{resource="x/y"}')).toBe(4);
    stats = { ...stats, resources: [resource("/x/y/", 7)] };
    expect(await value(collect, 'keelson_cache_objects{resource="x/y"}')).toBe(7);
    expect(await value(collect, 'keelson_cache_objects{resource="core/pods"}')).toBeNaN();
  });
});

describe("processMetrics", () => {
  test("tells start, memory, CPU and how busy the event loop was", async () => {
    const collect = processMetrics();
    const started = await value(collect, "process_start_time_seconds");
    expect(Math.abs(started - performance.timeOrigin / 1000)).toBeLessThan(1);
    expect(await value(collect, "process_resident_memory_bytes")).toBeGreaterThan(1e7);
    expect(await value(collect, "nodejs_heap_size_used_bytes")).toBeGreaterThan(1e6);
    expect(await value(collect, "process_cpu_user_seconds_total")).toBeGreaterThan(0);
    const busy = await value(collect, "nodejs_eventloop_utilization");
    expect(busy >= 0 && busy <= 1).toBe(true);
  });
});
