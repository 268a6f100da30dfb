import { describe, expect, test } from "vitest";
import type { Selection } from "./entry.ts";
import {
  ALL,
  type TestCache,
  Notes,
  testCache,
  inNamespace,
  one,
  untilIdle,
  testResource,
  THINGS,
  withField,
  withLabel,
} from "./testing/fixtures.ts";
import type { WatchBatch } from "./groups.ts";
import type { Watch, WatchStart } from "./watch.ts";

/** Starts a watch and waits until it has started. */
async function start(
  { things }: Pick<TestCache, "things">,
  selection: Selection,
  from: WatchStart,
): Promise<{ notes: Notes; watch: Watch }> {
  const notes = new Notes();
  const watch = things.watch(selection, from, notes);
  await untilIdle();
  return { notes, watch };
}

const red = { labels: { color: "red" } };
const blue = { labels: { color: "blue" } };

describe("events", () => {
  test("DEC-28: a watch sees creates, updates and deletes, the delete with the last state and its own revision", async () => {
    const cache = await testCache();
    const { notes } = await start(cache, ALL, { after: 0 });
    cache.put(["a/x", { data: 1 }]);
    cache.put(["a/x", { data: 2 }]);
    cache.put(["a/x", undefined]);
    expect(notes.lines).toEqual(["+ a/x@1 1", "~ a/x@2 2", "- a/x@3 2"]);
  });

  test.each([
    ["labels", withLabel("color", "red"), { ...red }, { ...blue }],
    ["a filter", withField("phase", "on"), { fields: { phase: "on" } }, { fields: { phase: "off" } }],
  ] as const)(
    "DEC-28: with %s, starting to match is ADDED and ceasing is DELETED with the last matching state",
    async (_, selection, yes, no) => {
      const cache = await testCache();
      const { notes } = await start(cache, selection, { after: 0 });
      cache.put(["a/x", { ...no, data: 1 }]);
      expect(notes.take()).toEqual([]);
      cache.put(["a/x", { ...yes, data: 2 }]);
      expect(notes.take()).toEqual(["+ a/x@2 2"]);
      cache.put(["a/x", { ...yes, data: 3 }]);
      expect(notes.take()).toEqual(["~ a/x@3 3"]);
      cache.put(["a/x", { ...no, data: 4 }]);
      expect(notes.take()).toEqual(["- a/x@4 3"]);
      cache.put(["a/x", undefined]);
      expect(notes.take()).toEqual([]);
      cache.put(["a/x", { ...yes, data: 5 }]);
      cache.put(["a/x", undefined]);
      expect(notes.take()).toEqual(["+ a/x@6 5", "- a/x@7 5"]);
    },
  );

  test("DEC-28: a delete shows the last value it was given, unless only the one before matched", async () => {
    const cache = await testCache();
    const { notes: all } = await start(cache, ALL, { after: 0 });
    const { notes: reds } = await start(cache, withLabel("color", "red"), { after: 0 });
    cache.put(["a/x", { ...red, data: 1 }], ["a/y", { ...red, data: 2 }]);
    cache.store.commit(
      [`${THINGS}a/x`, undefined, { ...red, data: 3 }],
      [`${THINGS}a/y`, undefined, { ...blue, data: 4 }],
    );
    expect(all.lines.slice(2)).toEqual(["- a/x@3 3", "- a/y@4 4"]);
    expect(reds.lines.slice(2)).toEqual(["- a/x@3 3", "- a/y@4 2"]);
  });

  test("a namespace does not see the one whose name it begins with, nor a single object its neighbours", async () => {
    const cache = await testCache();
    const { notes: namespace } = await start(cache, inNamespace("ns"), { after: 0 });
    const { notes: single } = await start(cache, one("ns/foo"), { after: 0 });
    cache.put(["ns-bad/foo", {}], ["ns/foobar", {}], ["ns/foo", {}], ["n/foo", {}]);
    expect(namespace.lines).toEqual(["+ ns/foobar@2", "+ ns/foo@3"]);
    expect(single.lines).toEqual(["+ ns/foo@3"]);
  });

  test("resources of the cluster have keys without a namespace", async () => {
    const cache = await testCache();
    const { notes: all } = await start(cache, ALL, { after: 0 });
    const { notes: single } = await start(cache, one("foo"), { after: 0 });
    cache.put(["foo", {}], ["bar", {}]);
    expect(all.lines).toEqual(["+ foo@1", "+ bar@2"]);
    expect(single.lines).toEqual(["+ foo@1"]);
  });

  test("changes that were committed together arrive together, once for all watchers with the same selection", async () => {
    const cache = await testCache();
    const { notes: first } = await start(cache, inNamespace("a"), { after: 0 });
    const { notes: second } = await start(cache, inNamespace("a"), { after: 0 });
    cache.put(["a/x", {}], ["b/x", {}], ["a/y", {}]);
    expect(first.lines).toEqual(["+ a/x@1", "+ a/y@3"]);
    expect(first.batches).toHaveLength(1);
    expect(first.batches[0]).toBe(second.batches[0]);
    expect(first.batches[0]!.revision).toBe(3);
  });

  test("a labelled object called __proto__ or constructor is matched by its own labels only", async () => {
    const cache = await testCache();
    const { notes } = await start(cache, withLabel("constructor", "x"), { after: 0 });
    cache.put(["a/one", {}], ["a/two", { labels: { constructor: "x" } as unknown as Record<string, string> }]);
    expect(notes.lines).toEqual(["+ a/two@2"]);
  });

  test("an object that was deleted and created again is ADDED again", async () => {
    const cache = await testCache();
    const { notes } = await start(cache, ALL, { after: 0 });
    cache.put(["a/x", { data: 1 }], ["a/x", undefined], ["a/x", { data: 2 }]);
    expect(notes.lines).toEqual(["+ a/x@1 1", "- a/x@2 1", "+ a/x@3 2"]);
  });
});

describe("where a watch starts", () => {
  test("DEC-28: after a revision it sees later changes only, whether they are history or still to come", async () => {
    const cache = await testCache();
    cache.put(["a/x", { data: 1 }]);
    cache.put(["a/x", { data: 2 }]);
    cache.put(["a/y", { data: 3 }]);
    const { notes, watch } = await start(cache, ALL, { after: 1 });
    cache.put(["a/x", undefined]);
    expect(notes.lines).toEqual(["~ a/x@2 2", "+ a/y@3 3", "- a/x@4 2"]);
    expect(watch.revision).toBe(4);
    expect(watch.live).toBe(true);
  });

  test("DEC-28: selectors see objects start and stop matching in the history too", async () => {
    const cache = await testCache();
    cache.put(["a/x", { ...red, data: 1 }]);
    cache.put(["a/x", { ...blue, data: 2 }]);
    cache.put(["a/x", { ...red, data: 3 }]);
    const { notes } = await start(cache, withLabel("color", "red"), { after: 1 });
    expect(notes.lines).toEqual(["- a/x@2 1", "+ a/x@3 3"]);
  });

  test("DEC-28: from the present state on, each object is ADDED and the end of that is marked, also for nothing", async () => {
    const cache = await testCache();
    cache.put(["b/y", { data: 1 }], ["a/x", { data: 2 }], ["b/x", { data: 3 }]);
    cache.store.commit(["/other/z", {}]);
    const { notes, watch } = await start(cache, inNamespace("b"), { initial: true });
    const { notes: nothing } = await start(cache, inNamespace("c"), { initial: true });
    expect(notes.lines).toEqual(["+ b/x@3 3", "+ b/y@1 1"]);
    expect(notes.batches.map((batch) => [batch.revision, batch.initialEnd])).toEqual([[4, true]]);
    expect(nothing.batches.map((batch) => [batch.events.length, batch.revision, batch.initialEnd])).toEqual([
      [0, 4, true],
    ]);
    cache.put(["b/y", undefined]);
    expect(notes.take().slice(2)).toEqual(["- b/y@5 1"]);
    expect(watch.revision).toBe(5);
  });

  test("a long initial state comes in parts, loses no change on the way, and says its revision only at the end", async () => {
    const cache = await testCache();
    cache.put(...Array.from({ length: 1200 }, (_, i) => [`a/${String(i).padStart(4, "0")}`, {}] as const));
    const notes = new Notes();
    const watch = cache.things.watch(ALL, { initial: true }, notes);
    await Promise.resolve();
    expect(notes.batches.map((batch) => [batch.events.length, batch.revision])).toEqual([[500, 0]]);
    expect(watch.revision).toBe(0);
    cache.put(["a/0000", { data: "late" }], ["a/1199", undefined]);
    await untilIdle();
    expect(notes.batches.map((batch) => [batch.events.length, batch.initialEnd])).toEqual([
      [500, false],
      [500, false],
      [200, true],
      [2, false],
    ]);
    expect(notes.lines.slice(1200)).toEqual(["~ a/0000@1201 late", "- a/1199@1202"]);
    expect(watch.revision).toBe(1202);
  });

  test("a history of large values comes in parts of some hundred KiB", async () => {
    const cache = await testCache();
    const large = "x".repeat(100_000);
    for (let i = 0; i < 30; i++) cache.put([`a/${i}`, { data: large }]);
    const parts: number[] = [];
    const deliver = ({ events }: WatchBatch): void => void parts.push(events.length);
    cache.things.watch(ALL, { after: 0 }, { deliver, ended: () => {} });
    await untilIdle();
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(30);
    expect(Math.max(...parts)).toBeLessThan(8);
  });

  test("DEC-28: a revision beyond the present waits for it and then shows nothing older", async () => {
    const cache = await testCache();
    const { notes, watch } = await start(cache, ALL, { after: 3 });
    cache.put(["a/x", { data: 1 }]);
    cache.put(["a/x", { data: 2 }]);
    await untilIdle();
    expect(watch.live).toBe(false);
    cache.put(["a/x", { data: 3 }], ["a/x", { data: 4 }]);
    cache.put(["a/x", { data: 5 }]);
    await untilIdle();
    expect(notes.lines).toEqual(["~ a/x@4 4", "~ a/x@5 5"]);
    expect(watch.revision).toBe(5);
  });

  test("a watch that waits for a revision can be closed", async () => {
    const cache = await testCache();
    const { notes, watch } = await start(cache, ALL, { after: 3 });
    expect(cache.cacher.stats().waiting).toBe(1);
    watch.close();
    await untilIdle();
    expect(cache.cacher.stats().waiting).toBe(0);
    cache.put(["a/x", {}], ["a/y", {}], ["a/z", {}], ["a/u", {}]);
    await untilIdle();
    expect(notes.batches).toEqual([]);
    expect(notes.error).toBeUndefined();
  });

  test("a fresh cache serves a watch from its own revision on", async () => {
    const first = await testCache();
    const revision = first.put(["a/x", { data: 1 }]);
    const cache = await testCache({}, first.store);
    const { notes, watch } = await start(cache, ALL, { after: revision });
    expect(watch.revision).toBe(revision);
    cache.put(["a/x", { data: 2 }]);
    expect(notes.lines).toEqual(["~ a/x@2 2"]);
  });
});

describe("how a watch ends", () => {
  test("after close the sink hears nothing more, whatever is under way", async () => {
    const cache = await testCache();
    cache.put(...Array.from({ length: 1200 }, (_, i) => [`a/${i}`, {}] as const));
    const { notes: live, watch } = await start(cache, ALL, { after: 1200 });
    const starting = new Notes();
    const startingWatch = cache.things.watch(ALL, { initial: true }, starting);
    await Promise.resolve();
    watch.close();
    startingWatch.close();
    watch.close();
    cache.put(["a/x", {}]);
    await untilIdle();
    expect(live.batches).toEqual([]);
    expect(starting.batches).toHaveLength(1);
    expect([live.error, starting.error]).toEqual([undefined, undefined]);
    expect(cache.things.stats()).toMatchObject({ watches: 0, groups: 0 });
  });

  test("a watch that has been closed still says how far it came", async () => {
    const cache = await testCache();
    const { watch } = await start(cache, ALL, { after: 0 });
    cache.put(["a/x", {}], ["a/y", {}]);
    watch.close();
    expect(watch.revision).toBe(2);
    cache.put(["a/z", {}]);
    expect([watch.revision, watch.live]).toEqual([2, false]);
  });

  test("a watch may be closed by its own sink and by that of another one, in the middle of a delivery", async () => {
    const cache = await testCache();
    const { notes } = await start(cache, ALL, { after: 0 });
    const watches: Watch[] = [];
    const closing = new Notes();
    watches.push(
      cache.things.watch(
        ALL,
        { after: 0 },
        { deliver: (b) => (closing.deliver(b), watches.forEach((w) => w.close())), ended: () => {} },
      ),
    );
    const silent = new Notes();
    watches.push(cache.things.watch(ALL, { after: 0 }, silent));
    await untilIdle();
    cache.put(["a/x", {}]);
    cache.put(["a/y", {}]);
    expect(notes.lines).toEqual(["+ a/x@1", "+ a/y@2"]);
    expect(closing.lines).toEqual(["+ a/x@1"]);
    expect(silent.lines).toEqual([]);
  });

  test("a sink that throws is ended with `failed`; the others and the store do not notice", async () => {
    const cache = await testCache();
    let code = "";
    const bad = {
      deliver: () => {
        throw new Error("no");
      },
      ended: (error: { code: string }) => (code += error.code),
    };
    cache.things.watch(ALL, { after: 0 }, bad);
    const { notes } = await start(cache, ALL, { after: 0 });
    cache.put(["a/x", {}]);
    cache.put(["a/y", {}]);
    expect(notes.lines).toEqual(["+ a/x@1", "+ a/y@2"]);
    expect(code).toBe("failed");
    expect(cache.things.stats()).toMatchObject({ watches: 1 });
  });

  test("a filter that throws ends its own watches with `failed`", async () => {
    const cache = await testCache();
    const bad: Selection = {
      id: "bad",
      prefix: "",
      matches: () => {
        throw new Error("no");
      },
    };
    const { notes: failing } = await start(cache, bad, { after: 0 });
    const { notes } = await start(cache, ALL, { after: 0 });
    cache.put(["a/x", {}]);
    expect(failing.error).toMatchObject({ code: "failed" });
    expect(failing.batches).toEqual([]);
    expect(notes.lines).toEqual(["+ a/x@1"]);
  });

  test("closing the cache or removing the resource ends all watches with `closed` and refuses new ones", async () => {
    const cache = await testCache();
    const other = await cache.cacher.addResource(testResource("/other/"));
    const { notes } = await start(cache, ALL, { after: 0 });
    const { notes: waiting } = await start(cache, ALL, { after: 99 });
    const { notes: elsewhere } = await start({ things: other }, ALL, { after: 0 });
    cache.cacher.removeResource("/other/");
    expect(elsewhere.error).toMatchObject({ code: "closed" });
    expect(() => other.watch(ALL, { after: 0 }, new Notes())).toThrow(/other/);
    expect(notes.error).toBeUndefined();
    cache.cacher.close();
    expect([notes.error, waiting.error]).toMatchObject([{ code: "closed" }, { code: "closed" }]);
    expect(() => cache.things.watch(ALL, { after: 0 }, new Notes())).toThrow(/closed/);
    expect(cache.store.watches).toBe(0);
  });
});

describe("slow and many", () => {
  test("50 watchers with full sinks delay neither another watcher nor the writer", async () => {
    const cache = await testCache();
    cache.put(...Array.from({ length: 1200 }, (_, i) => [`a/${i}`, {}] as const));
    const stuck = Array.from({ length: 50 }, () => {
      const notes = new Notes();
      notes.fill();
      cache.things.watch(ALL, { initial: true }, notes);
      return notes;
    });
    const { notes } = await start(cache, ALL, { after: 1200 });
    cache.put(["b/x", {}]);
    expect(notes.lines).toEqual(["+ b/x@1201"]);
    expect(stuck.map(({ batches }) => batches.length)).toEqual(stuck.map(() => 1));
    stuck[0]!.empty();
    await untilIdle();
    expect(stuck[0]!.lines).toHaveLength(1201);
  });

  test("a change costs one evaluation for each group that it may concern and none for the others", async () => {
    const cache = await testCache();
    let evaluated = 0;
    for (let i = 0; i < 300; i++) {
      const namespace = `ns-${i % 100}`;
      const matches = (): boolean => ++evaluated > 0;
      cache.things.watch({ id: namespace, prefix: `${namespace}/`, matches }, { after: 0 }, new Notes());
    }
    await untilIdle();
    expect(cache.things.stats()).toMatchObject({ watches: 300, groups: 100 });
    cache.put(["ns-7/x", {}]);
    expect(evaluated).toBe(1);
    cache.put(["ns-7/x", { data: 1 }]);
    expect(evaluated).toBe(3); // before and after
  });

  test("no watch leaves anything behind", async () => {
    const cache = await testCache();
    cache.put(...Array.from({ length: 600 }, (_, i) => [`a/${i}`, {}] as const));
    for (let i = 0; i < 200; i++) {
      const watch = cache.things.watch(one(`a/${i}`), i % 2 ? { initial: true } : { after: i * 6 }, new Notes());
      if (i % 3 === 0) await untilIdle();
      watch.close();
    }
    await untilIdle();
    expect(cache.things.stats()).toMatchObject({ watches: 0, groups: 0 });
    expect(cache.cacher.stats().waiting).toBe(0);
    expect(cache.store.watches).toBe(1);
  });
});

test("a resource sees the state of all others at the revision of its event", async () => {
  const cache = await testCache();
  const other = await cache.cacher.addResource(testResource("/other/"));
  const seen: unknown[] = [];
  cache.things.watch(
    ALL,
    { after: 0 },
    { deliver: () => seen.push([other.get("o")?.revision, cache.cacher.revision]), ended: () => {} },
  );
  await untilIdle();
  cache.store.commit([`${THINGS}a/x`, {}], ["/other/o", {}]);
  expect(seen).toEqual([[2, 2]]);
});

describe("changes of one revision", () => {
  /** Commits objects until there are `count` of them, `each` at a time; returns their keys in order. */
  function fill({ putAsOne }: TestCache, count: number, each: number): string[] {
    const keys = Array.from({ length: count }, (_, i) => `a/${String(i).padStart(4, "0")}`);
    for (let i = 0; i < count; i += each) putAsOne(...keys.slice(i, i + each).map((key) => [key, {}] as const));
    return keys;
  }

  test("come in one batch, in their order, to those who watch", async () => {
    const cache = await testCache();
    cache.put(["a/x", { ...red, data: 1 }], ["a/y", { data: 2 }]);
    const { notes } = await start(cache, ALL, { after: 2 });
    const { notes: reds } = await start(cache, withLabel("color", "red"), { after: 2 });
    expect(cache.putAsOne(["b/z", red], ["a/y", undefined], ["a/x", { ...blue, data: 3 }])).toBe(3);
    expect(notes.batches).toHaveLength(1);
    expect(notes.lines).toEqual(["+ b/z@3", "- a/y@3 2", "~ a/x@3 3"]);
    expect(reds.batches).toHaveLength(1);
    expect(reds.lines).toEqual(["+ b/z@3", "- a/x@3 1"]);
  });

  test.each([
    ["a step of the history", {}, {}],
    ["a step of large objects", {}, { data: "x".repeat(100_000) }],
    ["what memory has forgotten", { historyEvents: 100, historyMillis: 0 }, {}],
  ] as const)("are neither lost nor cut by %s", async (_, options, object) => {
    const cache = await testCache(options);
    const large = Array.from({ length: 30 }, (__, i) => [`b/${i}`, object] as const);
    cache.putAsOne(...large.slice(0, 7));
    const keys = fill(cache, 1008, 7);
    cache.putAsOne(...large.slice(7));
    const { notes, watch } = await start(cache, ALL, { after: 1 });
    expect([watch.live, watch.revision]).toEqual([true, 146]);
    const events = notes.batches.flatMap((batch) => batch.events);
    expect(events.map(({ entry }) => entry.key)).toEqual([...keys, ...large.slice(7).map(([key]) => key)]);
    for (const { events: some, revision } of notes.batches) {
      expect(some.at(-1)!.entry.revision).toBeLessThanOrEqual(revision);
      expect(events.filter(({ entry }) => entry.revision <= revision).at(-1)).toBe(some.at(-1));
    }
  });

  test("are one step between states, also where a state is kept", async () => {
    const cache = await testCache();
    // A state is kept after 4096 changes, which is in the middle of a revision.
    fill(cache, 3 * 1500, 3);
    const { things } = cache;
    expect(things.stats().keptVersions).toBe(1);
    const sizes = [0, 1, 1364, 1365, 1366, 1367, 1499, 1500].map((revision) => [
      revision,
      things.snapshotAt(revision).size,
    ]);
    expect(sizes.filter(([revision, size]) => size !== 3 * revision!)).toEqual([]);
    expect(things.keysSince(1498)).toHaveLength(6);
  });

  test("follow a start before them, and none after them", async () => {
    const cache = await testCache();
    cache.putAsOne(["a/x", { data: 1 }], ["a/y", { data: 1 }]);
    const later = cache.putAsOne(["a/x", { data: 2 }], ["a/y", undefined], ["a/z", { data: 2 }]);
    const { notes } = await start(cache, ALL, { after: later - 1 });
    expect(notes.lines).toEqual(["~ a/x@2 2", "- a/y@2 1", "+ a/z@2 2"]);
    expect((await start(cache, ALL, { after: later })).notes.lines).toEqual([]);
  });
});
