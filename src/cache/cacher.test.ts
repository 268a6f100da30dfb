import { describe, expect, test } from "vitest";
import { StoreError } from "../storage/contract.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { Cacher } from "./cacher.ts";
import { startChecks } from "./checks.ts";
import type { CacheResource } from "./entry.ts";
import type { ResourceCache } from "./resource.ts";
import { FakeStore } from "./testing/fake-store.ts";
import { ALL, Notes, TestEntry, THINGS, testCache, keysOf, untilIdle, testResource } from "./testing/fixtures.ts";

const many = (count: number): (readonly [string, object])[] =>
  Array.from({ length: count }, (_, i) => [`a/${String(i).padStart(5, "0")}`, {}] as const);

/** The reason with which a promise is rejected; undefined when it is not. */
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("opening", () => {
  test("loads what is there, each resource its own, in as many pages as it takes", async () => {
    const store = new FakeStore();
    store.commit(...many(2500).map(([key, object]) => [THINGS + key, object] as const));
    store.commit(["/core/thingsandmore/a/x", {}], ["/core/th", {}]);
    const { cacher, things } = await testCache({}, store);
    expect([cacher.revision, things.size]).toEqual([2502, 2500]);
    expect(await cacher.verify()).toEqual([]);
  });

  test("loads one revision, whatever is written meanwhile", async () => {
    const store = new FakeStore();
    store.commit(...many(1500).map(([key, object]) => [THINGS + key, object] as const));
    let writes = 0;
    store.onRange = () =>
      void (writes++ < 3 && store.commit([`${THINGS}a/00000`, { data: writes }], [`${THINGS}a/x${writes}`, {}]));
    const { cacher, things } = await testCache({}, store);
    await untilIdle();
    expect([cacher.revision, things.size]).toEqual([store.revision, 1500 + 2]);
    expect(await cacher.verify()).toEqual([]);
  });

  test("starts again when the store compacts the revision meanwhile, and fails with `compacted` when that never ends", async () => {
    const store = new FakeStore();
    store.commit(...many(1500).map(([key, object]) => [THINGS + key, object] as const));
    let left = 2;
    const interfere = (): void => {
      if (left-- <= 0) return;
      store.commit([`${THINGS}a/00000`, { data: left }]);
      void store.compact(store.revision);
    };
    store.onRange = interfere;
    const { cacher } = await testCache({}, store);
    expect(await cacher.verify()).toEqual([]);
    left = Infinity;
    await expect(testCache({}, store)).rejects.toMatchObject({ name: "CacheError", code: "compacted" });
  });

  test("prefixes may not begin with one another, and what is not registered is `closed`", async () => {
    const { cacher } = await testCache();
    await expect(cacher.addResource(testResource(`${THINGS}more/`))).rejects.toThrow(/begin with one another/);
    await expect(cacher.addResource(testResource("/core/"))).rejects.toThrow(/begin with one another/);
    await expect(cacher.addResource(testResource("/open"))).rejects.toThrow(/slash/);
    expect(() => cacher.resource("/nothing/")).toThrow(expect.objectContaining({ code: "closed" }));
  });
});

describe("resources that come and go", () => {
  test("one that is added shows what is stored and what is written while it is being loaded", async () => {
    const store = new FakeStore();
    store.commit(...many(2500).map(([key, object]) => [`/example.com/foos/${key}`, object] as const));
    const { cacher } = await testCache({}, store);
    let writes = 0;
    store.onRange = () => {
      store.commit(
        [`/example.com/foos/a/0000${writes}`, writes ? undefined : { data: "new" }],
        [`/example.com/foos/b/${writes++}`, {}],
      );
    };
    const adding = cacher.addResource(testResource("/example.com/foos/"));
    expect(() => cacher.resource("/example.com/foos/")).toThrow(/closed/);
    const foos = await adding;
    store.onRange = undefined;
    expect(await cacher.verify()).toEqual([]);
    expect([foos.size, foos.get("a/00000")?.revision, foos.get("a/00001")]).toEqual([2501, 2501, undefined]);
    const notes = new Notes();
    foos.watch(ALL, { after: 2500 }, notes);
    await untilIdle();
    expect(notes.lines).toEqual([
      "~ a/00000@2501 new",
      "+ b/0@2502",
      "- a/00001@2503",
      "+ b/1@2504",
      "- a/00002@2505",
      "+ b/2@2506",
    ]);
  });

  test("one that is being loaded while everything is loaded again misses nothing", async () => {
    const store = new FakeStore();
    store.commit(...many(2500).map(([key, object]) => [`/foos/${key}`, object] as const));
    const { cacher } = await testCache({}, store);
    let pages = 0;
    store.onRange = () => {
      if (pages++ !== 1) return;
      store.hold();
      store.commit(["/foos/a/00000", undefined], ["/foos/b/x", {}]);
      store.breakWatches("compacted");
      store.release();
    };
    const foos = await cacher.addResource(testResource("/foos/"));
    await untilIdle();
    expect(cacher.stats().reloads).toBe(1);
    expect(await cacher.verify()).toEqual([]);
    store.commit(["/foos/b/y", {}]);
    expect(keysOf(foos.snapshot().list(ALL, { after: "b" }).entries)).toEqual(["b/x", "b/y"]);
  });

  test("one that is removed can be added again", async () => {
    const { cacher, store } = await testCache();
    await cacher.addResource(testResource("/foos/"));
    store.commit(["/foos/a", {}]);
    cacher.removeResource("/foos/");
    store.commit(["/foos/b", {}]);
    expect(keysOf((await cacher.addResource(testResource("/foos/"))).snapshot().list(ALL).entries)).toEqual(["a", "b"]);
    cacher.removeResource("/never/");
    expect(cacher.stats().resources.map(({ prefix }) => prefix)).toEqual([THINGS, "/foos/"]);
  });

  test("one whose entries cannot be made ends with `failed`; the others go on", async () => {
    const { cacher, store, things, put, errors } = await testCache();
    const factory: CacheResource["factory"] = (key, value, revision) => {
      const entry = new TestEntry(key, value, revision);
      if (entry.object.data === "bad") throw new Error("cannot be read");
      return entry;
    };
    const bad = await cacher.addResource({ ...testResource("/bad/"), factory });
    const notes = new Notes();
    bad.watch(ALL, { after: 0 }, notes);
    await untilIdle();
    store.commit(["/bad/x", { data: "good" }], ["/bad/y", { data: "bad" }]);
    put(["a/x", {}]);
    expect(notes.error).toMatchObject({
      code: "failed",
      cause: expect.objectContaining({ message: "cannot be read" }) as unknown,
    });
    expect(errors).toHaveLength(1);
    expect(things.get("a/x")).toBeDefined();
    await expect(cacher.addResource({ ...testResource("/bad/"), factory })).rejects.toThrow("cannot be read");
    expect(() => cacher.resource("/bad/")).toThrow(/closed/);
  });
});

describe("waiting for a revision", () => {
  test("ends at once, when it comes, or with `future` when it does not come in time", async () => {
    const { cacher, clock, put, store } = await testCache();
    put(["a/x", {}]);
    await cacher.waitFor(1, { timeoutMs: 0 });
    const coming = cacher.waitFor(2, { timeoutMs: 3000 });
    const passing = cacher.waitFor(3, { timeoutMs: 3000 });
    const never = failure(cacher.waitFor(4, { timeoutMs: 3000 }));
    put(["a/x", { data: 1 }]);
    await coming;
    store.skip();
    await passing;
    clock.advance(2999);
    expect(cacher.stats().waiting).toBe(1);
    clock.advance(1);
    expect(await never).toMatchObject({ code: "future" });
    expect(cacher.stats().waiting).toBe(0);
  });

  test("is refused with `closed` when the cache closes", async () => {
    const { cacher } = await testCache();
    const waiting = failure(cacher.waitFor(9, { timeoutMs: 3000 }));
    cacher.close();
    expect(await waiting).toMatchObject({ code: "closed" });
    await expect(cacher.waitFor(9, { timeoutMs: 3000 })).rejects.toMatchObject({ code: "closed" });
    await expect(cacher.addResource(testResource("/foos/"))).rejects.toMatchObject({ code: "closed" });
  });

  test("a consistent read sees a change to another resource as a new revision of its own list", async () => {
    const { cacher, store, things } = await testCache();
    const revision = store.commit(["/other/x", {}]);
    await cacher.waitFor(revision, { timeoutMs: 0 });
    expect(things.snapshot().revision).toBe(revision);
  });
});

describe("when the store's watch breaks", () => {
  test("it is taken up where it was: watchers miss nothing and get nothing twice", async () => {
    const { things, store, put, clock, cacher } = await testCache();
    const notes = new Notes();
    things.watch(ALL, { after: 0 }, notes);
    await untilIdle();
    put(["a/x", { data: 1 }]);
    store.breakWatches("unknown");
    put(["a/x", { data: 2 }]);
    expect(things.get("a/x")?.revision).toBe(1);
    clock.advance(500);
    await untilIdle();
    put(["a/x", { data: 3 }]);
    expect(notes.lines).toEqual(["+ a/x@1 1", "~ a/x@2 2", "~ a/x@3 3"]);
    expect(cacher.stats().reloads).toBe(0);
  });

  test("and a store repeats known events, watchers get each once", async () => {
    const { things, store, put, clock } = await testCache();
    const watch = store.watch.bind(store);
    store.watch = (prefix, _, watcher) => watch(prefix, 0, watcher);
    const notes = new Notes();
    things.watch(ALL, { after: 0 }, notes);
    await untilIdle();
    put(["a/x", { data: 1 }], ["a/x", undefined], ["a/y", {}]);
    store.breakWatches("unknown");
    clock.advance(500);
    await untilIdle();
    put(["a/z", {}]);
    expect(notes.lines).toEqual(["+ a/x@1 1", "- a/x@2 1", "+ a/y@3", "+ a/z@4"]);
  });

  test("and the revision is compacted, everything is loaded again and watches end with `compacted`", async () => {
    const { things, store, put, clock, cacher } = await testCache();
    const notes = new Notes();
    things.watch(ALL, { after: 0 }, notes);
    await untilIdle();
    put(["a/x", { data: 1 }], ["a/y", {}]);
    store.breakWatches("unknown");
    put(["a/x", { data: 2 }], ["a/y", undefined], ["a/z", {}]);
    await store.compact(4);
    clock.advance(500);
    await untilIdle();
    expect(notes.lines).toEqual(["+ a/x@1 1", "+ a/y@2"]);
    expect(notes.error).toMatchObject({ code: "compacted" });
    expect(keysOf(things.snapshot().list(ALL).entries)).toEqual(["a/x", "a/z"]);
    expect(() => things.snapshotAt(2)).toThrow(expect.objectContaining({ code: "compacted" }));
    expect([cacher.revision, cacher.stats().reloads]).toEqual([5, 1]);
    const again = new Notes();
    things.watch(ALL, { after: 5 }, again);
    await untilIdle();
    put(["a/x", { data: 3 }]);
    expect(again.lines).toEqual(["~ a/x@6 3"]);
  });

  test("and loading fails too, the old state is served until it succeeds", async () => {
    const { things, store, put, clock, errors } = await testCache();
    put(["a/x", { data: 1 }]);
    let down = true;
    store.onRange = () => {
      if (down) throw new Error("the store is down");
    };
    store.breakWatches("compacted");
    put(["a/x", { data: 2 }]);
    await untilIdle();
    expect(things.get("a/x")?.revision).toBe(1);
    clock.advance(500);
    await untilIdle();
    down = false;
    clock.advance(500);
    await untilIdle();
    expect(things.get("a/x")?.revision).toBe(2);
    expect(errors).toHaveLength(3); // the end of the watch, two loads
  });

  test("and the revision of the new load is compacted before it can be followed, everything is loaded once more", async () => {
    const { things, store, cacher } = await testCache();
    const watch = store.watch.bind(store);
    let lost = 0;
    store.watch = (prefix, after, watcher) => {
      if (lost++ === 0) queueMicrotask(() => watcher.ended(new StoreError("compacted", "lost again")));
      return watch(prefix, after, watcher);
    };
    store.breakWatches("compacted");
    await untilIdle();
    store.commit([`${THINGS}a/x`, {}]);
    expect([things.size, cacher.stats().reloads]).toEqual([1, 2]);
  });

  test("not, and a reload that a caller requests fails, the store is followed further", async () => {
    const { things, store, cacher, put } = await testCache();
    store.onRange = () => {
      throw new Error("the store is down");
    };
    await expect(cacher.reload()).rejects.toThrow("the store is down");
    put(["a/x", {}]);
    await untilIdle();
    expect([things.size, cacher.stats().reloads]).toEqual([1, 0]);
  });

  test.each(["closed", "failed"] as const)("for good with `%s`, so does the cache", async (code) => {
    const { things, store, cacher } = await testCache();
    const notes = new Notes();
    things.watch(ALL, { after: 0 }, notes);
    await untilIdle();
    store.breakWatches(code);
    expect(notes.error).toMatchObject({ code });
    await expect(cacher.waitFor(9, { timeoutMs: 1 })).rejects.toMatchObject({ code });
  });

  test("and the store is closed when it is asked again, so is the cache", async () => {
    const { store, cacher, clock } = await testCache();
    store.breakWatches("unknown");
    store.watch = () => {
      throw new StoreError("closed", "closed by the test");
    };
    clock.advance(500);
    await expect(cacher.waitFor(9, { timeoutMs: 1 })).rejects.toMatchObject({ code: "closed" });
  });
});

describe("history", () => {
  test("keeps at least so many changes and so many minutes, whichever is more", async () => {
    const { things, put, clock } = await testCache({ historyEvents: 10, historyMillis: 60_000 });
    put(...many(30));
    expect(things.stats().historyEvents).toBe(30);
    clock.advance(60_001);
    put(["b/x", {}]);
    expect(things.stats()).toMatchObject({ historyEvents: 10, historyStart: 21 });
    clock.advance(60_001);
    put(["b/y", {}]);
    expect(things.stats()).toMatchObject({ historyEvents: 10, historyStart: 22 });
  });

  test("holds at most so many bytes over all resources; the largest pays", async () => {
    const { cacher, things, put, store } = await testCache({ historyBytes: 1_000_000 });
    const quiet = await cacher.addResource(testResource("/quiet/"));
    store.commit(["/quiet/x", { data: "x" }], ["/quiet/x", undefined]);
    const data = "x".repeat(10_000);
    for (let i = 0; i < 500; i++) put(["a/x", { data }]);
    expect(things.stats().historyBytes).toBeLessThan(1_000_000);
    expect(things.stats().historyBytes).toBeGreaterThan(900_000);
    expect(quiet.stats().historyEvents).toBe(2);
    cacher.removeResource("/quiet/");
    for (let i = 0; i < 500; i++) put(["a/x", { data }]);
    expect(things.stats().historyBytes).toBeLessThan(1_000_000);
    expect(await cacher.verify()).toEqual([]);
  });
});

test("what is kept for pages of all resources shares its bytes; the largest pays", async () => {
  const { cacher, things, put, store } = await testCache({ pageBytes: 1_000_000 });
  const quiet = await cacher.addResource(testResource("/quiet/"));
  const begun = (cache: ResourceCache): number => {
    expect(cache.snapshot().list(ALL, { limit: 1 }).more).toBe(true);
    return cache.stats().keptVersions;
  };
  const data = "x".repeat(10_000);
  store.commit(["/quiet/x", { data }], ["/quiet/y", { data }]);
  expect(begun(quiet)).toBe(1);
  for (let i = 0; i < 40; i++) store.commit(["/quiet/x", { data }]);
  put(["a/x", { data }], ["a/y", { data }]);
  expect(begun(things)).toBe(1);
  for (let i = 0; i < 55; i++) put(["a/x", { data }]);
  expect([quiet.stats().keptVersions, things.stats().keptVersions]).toEqual([1, 1]);
  for (let i = 0; i < 10; i++) put(["a/x", { data }]);
  expect([quiet.stats().keptVersions, things.stats().keptVersions]).toEqual([1, 0]);
});

test("a page from before everything was loaded again keeps nothing", async () => {
  const { cacher, things, put } = await testCache();
  put(["a/x", {}], ["a/y", {}]);
  const before = things.snapshot();
  await cacher.reload();
  expect(before.list(ALL, { limit: 1 }).more).toBe(true);
  expect(things.stats().keptVersions).toBe(0);
});

describe("the check against the store", () => {
  test("finds what differs: an object that is missing, one that is old and one too many", async () => {
    const store = new FakeStore();
    const { cacher, things } = await testCache({}, store);
    store.commit([`${THINGS}a/x`, {}], [`${THINGS}a/y`, {}]);
    const range = store.range.bind(store);
    const alter = (change: (keys: string[]) => string[]): void => {
      store.range = async (prefix, options) => {
        const answer = await range(prefix, options);
        const keep = change(answer.records.map(({ key }) => key));
        return { ...answer, records: answer.records.filter(({ key }) => keep.includes(key)) };
      };
    };
    expect(await cacher.verify()).toEqual([]);
    alter((keys) => keys.slice(1));
    expect(await cacher.verify()).toMatchObject([
      { prefix: THINGS, revision: 2, inCache: 2, inStore: 1, different: 0 },
    ]);
    store.range = range;
    things.apply({ type: "delete", key: `${THINGS}a/x`, revision: 2, value: Buffer.from("{}"), previousRevision: 1 });
    expect(await cacher.verify()).toMatchObject([{ inCache: 1, inStore: 2, different: 1, keys: ["a/x"] }]);
    things.apply({ type: "put", key: `${THINGS}a/x`, revision: 2, value: Buffer.from("{}"), previousRevision: 0 });
    expect(await cacher.verify()).toMatchObject([{ inCache: 2, inStore: 2, different: 1, keys: ["a/x"] }]);
  });

  test("is made every few minutes; a cache that differs is loaded again and its watches end with `compacted`", async () => {
    const store = new FakeStore();
    const clock = new ManualClock();
    const cacher = await Cacher.open(store, [testResource(THINGS)], { clock });
    store.commit([`${THINGS}a/x`, {}]);
    const seen: unknown[] = [];
    const checks = startChecks(cacher, {
      clock,
      random: seededRandom(1),
      onMismatch: (found) => seen.push(found),
      onError: (error) => seen.push(error),
    });
    const notes = new Notes();
    cacher.resource(THINGS).watch(ALL, { after: 1 }, notes);
    const pass = async (minutes: number): Promise<void> => {
      await untilIdle();
      clock.advance(minutes * 60_000);
      await untilIdle();
    };
    await pass(8);
    expect([seen, notes.error]).toEqual([[], undefined]);
    cacher
      .resource(THINGS)
      .apply({ type: "delete", key: `${THINGS}a/x`, revision: 1, value: Buffer.from("{}"), previousRevision: 1 });
    await pass(8);
    expect(seen).toMatchObject([[{ inCache: 0, inStore: 1 }]]);
    expect(notes.error).toMatchObject({ code: "compacted" });
    expect(cacher.resource(THINGS).get("a/x")).toBeDefined();
    await pass(8);
    expect(seen).toHaveLength(1);
    checks.close();
    store.onRange = () => seen.push("read");
    await pass(60);
    expect(seen).toHaveLength(1);
  });
});
