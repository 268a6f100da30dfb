/** What a fork of a store and its cache costs: time, and what it keeps in memory. */
import { describe, expect, test } from "vitest";
import { Cacher } from "../../src/cache/index.ts";
import { cacheResource } from "../../src/registry/versions/codec.ts";
import { type MemoryStore, openMemoryStore } from "../../src/storage/memory/store.ts";
import { cpuMillis } from "../../src/util/testing/cpu-time.ts";
import { bytesInUse } from "../../src/util/testing/heap.ts";

const RESOURCES = Array.from({ length: 60 }, (_, i) => cacheResource(`/example.com/kind-${i}/`));
const MIB = 1024 * 1024;

const recordOf = (i: number): Buffer =>
  Buffer.from(
    JSON.stringify({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: `object-${i}`, namespace: "default", labels: { part: String(i % 7) } },
      data: { text: "x".repeat(800) },
    }),
  );

/** A store with objects spread over all resources, and the cache over it. */
async function filled(count: number): Promise<{ store: MemoryStore; cacher: Cacher }> {
  const store = await openMemoryStore();
  await Promise.all(
    Array.from({ length: count }, (_, i) =>
      store.write({ type: "create", key: `/example.com/kind-${i % 60}/default/object-${i}`, value: recordOf(i) }),
    ),
  );
  return { store, cacher: await Cacher.open(store, RESOURCES) };
}

/** Forks a cluster's state so many times; each fork is a store and a cache that follows it. */
function forksOf({ store, cacher }: { store: MemoryStore; cacher: Cacher }, count: number): [MemoryStore, Cacher][] {
  return Array.from({ length: count }, () => {
    const fork = store.fork();
    return [fork, cacher.fork(fork)];
  });
}

describe("a fork", () => {
  test("takes below 2 ms of CPU with 10 or 10 000 objects, and a small part of loading them", async () => {
    const figures: Record<string, string> = {};
    const took: number[] = [];
    let loading = 0;
    for (const count of [10, 10_000]) {
      const from = await filled(count);
      forksOf(from, 50);
      const start = cpuMillis();
      forksOf(from, 200);
      took.push((cpuMillis() - start) / 200);
      const load = cpuMillis();
      for (let i = 0; i < 5; i++) (await Cacher.open(from.store, RESOURCES)).close();
      loading = (cpuMillis() - load) / 5;
      figures[`fork of ${count}`] = `${took.at(-1)!.toFixed(2)} ms`;
      figures[`load of ${count}`] = `${loading.toFixed(2)} ms`;
    }
    console.log(figures);
    expect(Math.max(...took)).toBeLessThan(2);
    expect(took[1]!).toBeLessThan(loading / 5);
  });

  test("of 10 000 objects that writes nothing keeps less than 1 MiB, also when it has been read", async () => {
    const from = await filled(10_000);
    forksOf(from, 5);
    for (let i = 0; i < 10_000; i++) from.cacher.resource(RESOURCES[i % 60]!.prefix).get(`default/object-${i}`);
    const before = bytesInUse();
    const forks = forksOf(from, 20);
    const kept = (bytesInUse() - before) / forks.length;
    for (const [, cacher] of forks) {
      for (const { prefix } of RESOURCES) cacher.resource(prefix).snapshot().list({ id: "", prefix: "" });
      for (let i = 0; i < 10_000; i++) cacher.resource(RESOURCES[i % 60]!.prefix).get(`default/object-${i}`);
    }
    const read = (bytesInUse() - before) / forks.length;
    console.log({ kept: Math.round(kept), read: Math.round(read) });
    expect(kept).toBeLessThan(MIB);
    expect(read).toBeLessThan(MIB);
    expect(forks.every(([store]) => store.revision === 10_000)).toBe(true);
  });

  test("that is closed and let go of leaves nothing behind in its parent", async () => {
    const from = await filled(1000);
    const use = async (): Promise<void> => {
      for (const [store, cacher] of forksOf(from, 100)) {
        const { prefix } = RESOURCES[0]!;
        const expected = (await store.get(`${prefix}default/object-0`))!.revision;
        await store.write({ type: "update", key: `${prefix}default/object-0`, value: recordOf(0), expected });
        expect(cacher.resource(prefix).get("default/object-0")!.revision).toBe(1001);
        cacher.close();
        await store.close();
      }
    };
    await use();
    const before = bytesInUse();
    for (let i = 0; i < 10; i++) await use();
    expect(bytesInUse() - before).toBeLessThan(MIB);
  });
});

test("a hundred caches of 60 empty resources keep less than 8 MiB together", async () => {
  const stores = await Promise.all(Array.from({ length: 100 }, () => openMemoryStore()));
  (await Cacher.open(stores[0]!, RESOURCES)).close();
  const before = bytesInUse();
  const cachers = await Promise.all(stores.map((store) => Cacher.open(store, RESOURCES)));
  const kept = bytesInUse() - before;
  console.log(`a cache of 60 empty resources: ${Math.round(kept / cachers.length)} bytes`);
  expect(kept).toBeLessThan(8 * MIB);
  expect(cachers.every((cacher) => cacher.stats().resources.length === 60)).toBe(true);
});
