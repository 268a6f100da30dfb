import { describe, expect, test } from "vitest";
import type { Selection } from "./entry.ts";
import type { FakeStore } from "./testing/fake-store.ts";
import {
  ALL,
  type TestCache,
  Notes,
  testCache,
  inNamespace,
  one,
  untilIdle,
  withField,
  withLabel,
} from "./testing/fixtures.ts";

const red = { labels: { color: "red" } };
const blue = { labels: { color: "blue" } };

/** A cache without the earlier changes in memory, as after a restart. */
const restarted = (store: FakeStore): Promise<TestCache> => testCache({}, store);

async function watched(cache: TestCache, selection: Selection, after: number): Promise<Notes> {
  const notes = new Notes();
  cache.things.watch(selection, { after }, notes);
  await untilIdle();
  return notes;
}

describe("a watch from before the history in memory", () => {
  test("is served from the store's log after a restart, then goes on", async () => {
    const before = await testCache();
    before.put(["a/x", { data: 1 }], ["b/x", { data: 2 }]);
    before.put(["a/x", { data: 3 }]);
    before.put(["a/x", undefined]);
    before.put(["a/x", { data: 5 }]);
    const cache = await restarted(before.store);
    expect(cache.things.stats().historyStart).toBe(5);
    const all = await watched(cache, ALL, 1);
    const namespace = await watched(cache, inNamespace("a"), 0);
    const single = await watched(cache, one("b/x"), 0);
    cache.put(["a/x", { data: 6 }], ["b/x", { data: 7 }]);
    expect(all.lines).toEqual(["+ b/x@2 2", "~ a/x@3 3", "- a/x@4 3", "+ a/x@5 5", "~ a/x@6 6", "~ b/x@7 7"]);
    expect(namespace.lines).toEqual(["+ a/x@1 1", "~ a/x@3 3", "- a/x@4 3", "+ a/x@5 5", "~ a/x@6 6"]);
    expect(single.lines).toEqual(["+ b/x@2 2", "~ b/x@7 7"]);
    expect(cache.store.watches).toBe(2); // of the two caches: those of the replays are closed
  });

  test.each([
    ["labels", withLabel("color", "red"), red, blue],
    ["a filter", withField("phase", "on"), { fields: { phase: "on" } }, { fields: { phase: "off" } }],
  ] as const)(
    "DEC-28: with %s, objects start and stop matching there too, whatever they were before",
    async (_, selection, yes, no) => {
      const before = await testCache();
      before.put(["a/x", { ...yes, data: 1 }], ["a/y", { ...no, data: 2 }], ["a/z", { ...yes, data: 3 }]);
      before.put(["a/x", { ...no, data: 4 }]);
      before.put(["a/y", { ...yes, data: 5 }]);
      before.put(["a/z", undefined]);
      before.put(["a/x", { ...no, data: 7 }]);
      before.put(["a/x", undefined], ["a/x", { ...yes, data: 9 }]);
      const cache = await restarted(before.store);
      expect((await watched(cache, selection, 3)).lines).toEqual(["- a/x@4 1", "+ a/y@5 5", "- a/z@6 3", "+ a/x@9 9"]);
      expect((await watched(cache, selection, 4)).lines).toEqual(["+ a/y@5 5", "- a/z@6 3", "+ a/x@9 9"]);
    },
  );

  test("reads from the store only the objects that changed, not all that there are", async () => {
    const before = await testCache();
    before.put(...Array.from({ length: 300 }, (_, i) => [`a/${i}`, red] as const));
    before.put(["a/7", blue], ["a/7", red]);
    const cache = await restarted(before.store);
    cache.store.recordsRead = 0;
    expect((await watched(cache, withLabel("color", "red"), 300)).lines).toEqual(["- a/7@301", "+ a/7@302"]);
    expect(cache.store.recordsRead).toBe(1);
  });

  test("can say that nothing happened, also when the rest of the log is not for it", async () => {
    const before = await testCache();
    before.put(["a/x", {}]);
    before.store.commit(["/other/x", {}]);
    const cache = await restarted(before.store);
    const notes = new Notes();
    const watch = cache.things.watch(ALL, { after: 1 }, notes);
    await untilIdle();
    expect(notes.batches).toEqual([]);
    expect([watch.live, watch.revision]).toEqual([true, 2]);
  });

  test("ends with `compacted` when the store has forgotten the start, and at exactly the compacted revision it does not", async () => {
    const before = await testCache();
    before.put(["a/x", { data: 1 }], ["a/x", { data: 2 }], ["a/x", { data: 3 }]);
    await before.store.compact(2);
    const cache = await restarted(before.store);
    expect(await watched(cache, ALL, 1)).toMatchObject({ error: { code: "compacted" }, batches: [] });
    expect((await watched(cache, ALL, 2)).lines).toEqual(["~ a/x@3 3"]);
  });

  test("ends with `compacted` when the store forgets on the way, having sent nothing wrong", async () => {
    const before = await testCache();
    before.put(["a/x", { ...red, data: 1 }], ["a/x", { ...blue, data: 2 }], ["a/x", { ...red, data: 3 }]);
    const cache = await restarted(before.store);
    cache.store.onRange = () => void cache.store.compact(3);
    expect(await watched(cache, withLabel("color", "red"), 1)).toMatchObject({
      error: { code: "compacted" },
      batches: [],
    });
  });

  test("ends with `closed` or `failed` when the store does", async () => {
    const before = await testCache();
    before.put(["a/x", {}], ["a/y", {}]);
    for (const [code, ends] of [
      ["closed", "closed"],
      ["corrupt", "failed"],
    ] as const) {
      const cache = await restarted(before.store);
      cache.store.hold();
      const notes = await watched(cache, ALL, 0);
      cache.store.breakWatches(code);
      await untilIdle();
      expect(notes.error).toMatchObject({ code: ends });
      cache.store.release();
    }
  });

  test("can be closed while it waits for the store", async () => {
    const before = await testCache();
    before.put(["a/x", {}], ["a/y", {}]);
    const cache = await restarted(before.store);
    cache.store.hold();
    const notes = new Notes();
    const watch = cache.things.watch(ALL, { after: 0 }, notes);
    await untilIdle();
    watch.close();
    await untilIdle();
    cache.store.release();
    await untilIdle();
    expect(notes).toMatchObject({ batches: [], error: undefined });
    expect(cache.store.watches).toBe(2);
  });

  test("stops the store from sending more than fits and misses nothing by it", async () => {
    const before = await testCache();
    const big = "x".repeat(1024 * 1024);
    for (let i = 0; i < 40; i++) before.put([`a/${i}`, { data: big }]);
    const cache = await restarted(before.store);
    const seen: number[] = [];
    cache.things.watch(
      ALL,
      { after: 2 },
      {
        deliver: ({ events }) => seen.push(...events.map(({ entry }) => entry.revision)),
        ended: (error) => seen.push(Number(error)),
      },
    );
    await untilIdle();
    await untilIdle();
    expect(seen).toEqual(Array.from({ length: 38 }, (_, i) => i + 3));
  });

  test("goes on from memory when the history there grew while it read", async () => {
    const before = await testCache();
    before.put(["a/x", { data: 1 }], ["a/x", { data: 2 }]);
    const cache = await restarted(before.store);
    const notes = new Notes();
    cache.things.watch(ALL, { after: 0 }, notes);
    cache.put(["a/x", { data: 3 }]);
    await Promise.resolve();
    cache.put(["a/x", { data: 4 }]);
    await untilIdle();
    cache.put(["a/x", { data: 5 }]);
    expect(notes.lines).toEqual(["+ a/x@1 1", "~ a/x@2 2", "~ a/x@3 3", "~ a/x@4 4", "~ a/x@5 5"]);
  });
});
