/**
 * Resources that are added and removed during loads, reloads, writes and watches.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Activity } from "../util/activity.ts";
import { unreachable } from "../util/assert.ts";
import { ManualClock } from "../util/clock.ts";
import type { CacheError } from "./errors.ts";
import { FakeStore } from "./testing/fake-store.ts";
import {
  ALL,
  type TestCache,
  Notes,
  TestEntry,
  THINGS,
  testCache,
  keysOf,
  untilIdle,
  testResource,
} from "./testing/fixtures.ts";

const FOOS = "/foos/";
const foos = testResource(FOOS);

/** A store with enough foos that loading them takes several pages. */
function filled(): FakeStore {
  const store = new FakeStore();
  store.commit(...Array.from({ length: 2500 }, (_, i) => [`${FOOS}a/${String(i).padStart(5, "0")}`, {}] as const));
  return store;
}

/** The reason with which a promise is rejected. */
const failure = (promise: Promise<unknown>): Promise<unknown> => promise.then(undefined, (error: unknown) => error);

describe("a resource that is removed", () => {
  test("ends its watches, those that are still starting too, and shows nothing to who still holds it", async () => {
    const { cacher, store } = await testCache({}, filled());
    const cache = await cacher.addResource(foos);
    store.commit([`${FOOS}a/00001`, undefined]);
    const [live, starting] = [new Notes(), new Notes()];
    cache.watch(ALL, { after: store.revision }, live);
    await untilIdle();
    cache.watch(ALL, { initial: true }, starting);
    const before = cache.snapshot();
    before.list(ALL, { limit: 1 });
    cacher.removeResource(FOOS);
    await untilIdle();
    expect([live.error, starting.error]).toMatchObject([{ code: "closed" }, { code: "closed" }]);
    expect(starting.batches).toEqual([]);
    const closed = expect.objectContaining({ code: "closed" }) as Error;
    expect(() => cache.get("a/00002")).toThrow(closed);
    expect(() => cache.snapshot()).toThrow(closed);
    expect(() => cache.snapshotAt(2500)).toThrow(closed);
    await expect(cache.recall(1)).rejects.toMatchObject({ code: "closed" });
    expect(() => cache.watch(ALL, { initial: true }, new Notes())).toThrow(closed);
    expect(cache.stats()).toMatchObject({ objects: 0, historyEvents: 0, historyBytes: 0, keptVersions: 0, watches: 0 });
    expect(before.list(ALL, { limit: 1 }).more).toBe(true);
    expect(cache.stats().keptVersions).toBe(0);
    store.commit([`${FOOS}a/00002`, undefined]);
    expect(cacher.stats().resources.map(({ prefix }) => prefix)).toEqual([THINGS]);
  });

  test("leaves the bytes of its history to the others", async () => {
    const { cacher, store, things, put } = await testCache({ historyBytes: 1_000_000 });
    const data = "x".repeat(10_000);
    await cacher.addResource(foos);
    for (let i = 0; i < 60; i++) store.commit([`${FOOS}a/x`, { data }]);
    cacher.removeResource(FOOS);
    for (let i = 0; i < 90; i++) put(["a/x", { data }]);
    expect(things.stats().historyEvents).toBe(90);
    for (let i = 0; i < 90; i++) put(["a/x", { data }]);
    expect(things.stats().historyBytes).toBeLessThan(1_000_000);
  });

  test("during its load fails the load; added again at once it is loaded again", async () => {
    const { cacher, store } = await testCache({}, filled());
    const first = failure(cacher.addResource(foos));
    await Promise.resolve();
    cacher.removeResource(FOOS);
    const second = cacher.addResource(foos);
    store.commit([`${FOOS}b/x`, {}]);
    expect(await first).toMatchObject({ code: "closed" });
    const cache = await second;
    expect(cacher.resource(FOOS)).toBe(cache);
    store.commit([`${FOOS}b/y`, {}]);
    expect(keysOf(cache.snapshot().list(ALL, { after: "b" }).entries)).toEqual(["b/x", "b/y"]);
    expect(await cacher.verify()).toEqual([]);
  });

  test("while everything is loaded again stays removed", async () => {
    const { cacher, store } = await testCache({}, filled());
    const old = await cacher.addResource(foos);
    const reloading = cacher.reload();
    cacher.removeResource(FOOS);
    await reloading;
    expect(old.size).toBe(0);
    expect(() => cacher.resource(FOOS)).toThrow(/closed/);
    const again = await cacher.addResource(foos);
    store.commit([`${FOOS}b/x`, {}]);
    expect([again.size, old.size]).toEqual([2501, 0]);
  });
});

describe("a resource that is added", () => {
  test("while everything is loaded again, at a revision that the store has compacted, waits for the new one", async () => {
    const { cacher, store } = await testCache({}, filled());
    store.hold();
    store.commit([`${FOOS}b/x`, {}], [`${THINGS}a/x`, {}]);
    await store.compact(store.revision);
    store.breakWatches("compacted");
    store.release();
    const cache = await cacher.addResource(foos);
    expect([cache.size, cacher.stats().reloads]).toEqual([2501, 1]);
    store.commit([`${FOOS}b/y`, {}]);
    await untilIdle();
    expect(await cacher.verify()).toEqual([]);
  });

  test("and cannot be loaded leaves nothing, so that it can be added when it can", async () => {
    const { cacher, store, errors } = await testCache({}, filled());
    store.onRange = () => {
      throw new Error("the store is down");
    };
    await expect(cacher.addResource(foos)).rejects.toThrow("the store is down");
    store.onRange = undefined;
    store.commit([`${FOOS}b/x`, {}]);
    expect(cacher.stats().resources).toHaveLength(1);
    expect((await cacher.addResource(foos)).size).toBe(2501);
    expect(errors).toEqual([]);
  });

  test("and gets a change on the way that it cannot read is refused with `failed`, and leaves nothing", async () => {
    const { cacher, store, things, put } = await testCache({ historyBytes: 100_000 }, filled());
    const factory: typeof foos.factory = (key, value, revision) => {
      const entry = new TestEntry(key, value, revision);
      if (entry.object.data === "bad") throw new Error("cannot be read");
      return entry;
    };
    let pages = 0;
    store.onRange = () => {
      if (pages++ === 1)
        store.commit([`${FOOS}b/x`, { data: "good" }], [`${FOOS}b/y`, { data: "bad" }], [`${FOOS}b/z`, {}]);
    };
    await expect(cacher.addResource({ ...foos, factory })).rejects.toMatchObject({ code: "failed" });
    expect(() => cacher.resource(FOOS)).toThrow(/closed/);
    put(["a/x", {}]);
    expect(things.size).toBe(1);
  });

  test("while the cache is closed is refused with `closed`", async () => {
    const { cacher } = await testCache({}, filled());
    const adding = failure(cacher.addResource(foos));
    await Promise.resolve();
    cacher.close();
    expect(await adding).toMatchObject({ code: "closed" });
  });
});

test("a load, a reload and the start of a watch are under way; a watch that waits is not", async () => {
  const activity = new Activity(new ManualClock());
  const { cacher, things, put, store } = await testCache({ activity }, filled());
  const under = (): string[] => activity.list().map(({ what }) => what);
  expect(under()).toEqual([]);
  const adding = cacher.addResource(foos);
  expect(under()).toEqual([`load of ${FOOS}`]);
  const reloading = cacher.reload();
  expect(under()).toEqual([`load of ${FOOS}`, "load of all resources"]);
  await Promise.all([adding, reloading]);
  expect(under()).toEqual([]);
  put(["a/x", {}]);
  const [live, stuck] = [new Notes(), new Notes()];
  things.watch(ALL, { after: 0 }, live).close();
  things.watch(ALL, { initial: true }, live);
  stuck.fill();
  (await adding).watch(ALL, { initial: true }, stuck);
  things.watch(ALL, { after: store.revision + 1 }, new Notes());
  expect(under()).toHaveLength(4);
  await activity.idle();
  expect(live.lines).toEqual(["+ a/x@2501"]);
  expect(stuck.batches).toHaveLength(1);
  stuck.empty();
  await untilIdle();
  expect(stuck.lines).toHaveLength(2500);
  expect(under()).toEqual([]);
});

const on = fc.nat(2);
const constant = <const T extends string>(what: T) => fc.constant(what);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: constant("write"), on, key: fc.nat(4), there: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("add", "remove"), on }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("reload", "compact", "break", "lose") }) },
  { weight: 3, arbitrary: fc.record({ do: constant("turn"), turns: fc.integer({ min: 1, max: 6 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const PREFIXES = ["/r0/", "/r1/", "/r2/"];

/** Begins a step and does not wait for its end; `served` has what was added, by prefix, and has not failed. */
async function take(cache: TestCache, served: Map<string, Promise<unknown>>, one: Step): Promise<void> {
  const { cacher, store } = cache;
  const prefix = "on" in one ? PREFIXES[one.on]! : "";
  switch (one.do) {
    case "write":
      store.commit([`${prefix}a/${one.key}`, one.there ? { data: one.key } : undefined]);
      return;
    case "add": {
      if (served.has(prefix)) return;
      const adding = cacher.addResource(testResource(prefix)).catch((error: CacheError) => {
        if (error.code !== "closed" && error.code !== "compacted") throw error;
        if (served.get(prefix) === adding) served.delete(prefix);
      });
      served.set(prefix, adding);
      return;
    }
    case "remove":
      cacher.removeResource(prefix);
      served.delete(prefix);
      return;
    case "reload":
      void cacher.reload();
      return;
    case "compact":
      return store.compact(store.revision);
    case "break":
      return store.breakWatches("unknown");
    case "lose":
      return store.breakWatches("compacted");
    case "turn":
      for (let i = 0; i < one.turns; i++) await Promise.resolve();
      return;
    default:
      return unreachable(one);
  }
}

/** Does all steps and waits until nothing runs any more; returns what is served then. */
async function play(cache: TestCache, steps: readonly Step[]): Promise<string[]> {
  const served = new Map<string, Promise<unknown>>();
  for (const one of steps) {
    await take(cache, served, one);
    cache.clock.advance(300);
  }
  await untilIdle();
  cache.clock.advance(1000);
  await untilIdle();
  return [...served.keys()].toSorted();
}

test("whatever is added, removed, broken and loaded at once, what is served in the end is what is stored", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 80, size: "max" }), async (steps) => {
      const cache = await testCache({ historyBytes: 50_000 });
      const served = await play(cache, steps);
      const { cacher, things, put } = cache;
      expect(
        cacher
          .stats()
          .resources.map(({ prefix }) => prefix)
          .toSorted(),
      ).toEqual([THINGS, ...served]);
      for (const prefix of served) expect(cacher.resource(prefix).resource.prefix).toBe(prefix);
      expect(await cacher.verify()).toEqual([]);
      for (let i = 0; i < 100; i++) put(["a/x", { data: "x".repeat(1000) }]);
      const sum = cacher.stats().resources.reduce((bytes, { historyBytes }) => bytes + historyBytes, 0);
      expect(sum).toBeLessThanOrEqual(50_000);
      expect(sum).toBeGreaterThan(40_000);
      expect(things.size).toBe(1);
    }),
    { numRuns: 150 },
  );
});
