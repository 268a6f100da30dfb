/**
 * Forks of a cache: what they share, what they do not, and that no fork ever sees the writes of another one.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../util/clock.ts";
import { Activity } from "../util/activity.ts";
import { Cacher } from "./cacher.ts";
import { FakeStore } from "./testing/fake-store.ts";
import {
  ALL,
  type TestCache,
  Notes,
  THINGS,
  testCache,
  keysOf,
  untilIdle,
  testResource,
  withLabel,
} from "./testing/fixtures.ts";

const compacted: unknown = expect.objectContaining({ code: "compacted" });

/** A cache with a few objects in it, and a fork of it. */
async function forked(): Promise<TestCache & { readonly fork: Pick<TestCache, "store" | "cacher" | "things"> }> {
  const cache = await testCache();
  cache.put(["a/x", { data: 1 }], ["a/y", { data: 2 }]);
  const store = cache.store.fork();
  const cacher = cache.cacher.fork(store);
  return { ...cache, fork: { store, cacher, things: cacher.resource(THINGS) } };
}

describe("a fork of a cache", () => {
  test("begins with the very entries of its parent; from then on neither sees the changes of the other", async () => {
    const { things, put, fork } = await forked();
    expect(fork.things.get("a/x")).toBe(things.get("a/x"));
    put(["a/x", { data: "parent" }], ["a/y", undefined]);
    fork.store.commit([`${THINGS}a/x`, { data: "fork" }], [`${THINGS}a/z`, {}]);
    expect(keysOf(things.snapshot().list(ALL).entries)).toEqual(["a/x"]);
    expect(keysOf(fork.things.snapshot().list(ALL).entries)).toEqual(["a/x", "a/y", "a/z"]);
    expect(String(fork.things.get("a/x")!.bytes)).toContain("fork");
    expect(String(things.get("a/x")!.bytes)).toContain("parent");
    expect(fork.things.get("a/y")?.revision).toBe(2);
    expect(things.get("a/y")).toBeUndefined();
    expect(await fork.cacher.verify()).toEqual([]);
  });

  test("has nothing from before: no watches, no history, no versions kept for pages", async () => {
    const cache = await testCache();
    cache.put(["a/x", { data: 1 }], ["a/y", { data: 2 }]);
    cache.put(["b/x", {}]);
    const { next } = cache.things.snapshot().list(ALL, { limit: 1 });
    cache.store.commit(["/other/x", {}]);
    const notes = new Notes();
    cache.things.watch(ALL, { after: 0 }, notes);
    await untilIdle();
    notes.take();
    const store = cache.store.fork();
    const cacher = cache.cacher.fork(store);
    const things = cacher.resource(THINGS);
    expect(things.stats()).toMatchObject({
      watches: 0,
      historyEvents: 0,
      historyStart: 4,
      keptVersions: 0,
      objects: 3,
    });
    for (const revision of [0, 2, 3]) expect(() => things.snapshotAt(revision)).toThrow(compacted as Error);
    await expect(things.recall(3)).rejects.toMatchObject({ code: "compacted" });
    expect(things.snapshotAt(4).size).toBe(3);
    expect(keysOf(cache.things.snapshotAt(3).list(ALL, { after: next! }).entries)).toEqual(["a/y", "b/x"]);
    const late = new Notes();
    things.watch(ALL, { after: 3 }, late);
    await untilIdle();
    expect(late.error).toMatchObject({ code: "compacted" });
    store.commit([`${THINGS}a/x`, {}]);
    expect(notes.lines).toEqual([]);
  });

  test("keeps its own history from where it began, for watches and for past states", async () => {
    const { fork } = await forked();
    const notes = new Notes();
    fork.store.commit([`${THINGS}a/x`, { data: 3 }]);
    fork.store.commit([`${THINGS}a/x`, undefined]);
    fork.things.watch(ALL, { after: 2 }, notes);
    await untilIdle();
    expect(notes.lines).toEqual(["~ a/x@3 3", "- a/x@4 3"]);
    expect(keysOf(fork.things.snapshotAt(2).list(ALL).entries)).toEqual(["a/x", "a/y"]);
  });

  test("and its parent are closed each for itself", async () => {
    const { cacher, things, put, fork } = await forked();
    cacher.close();
    fork.store.commit([`${THINGS}a/z`, {}]);
    expect(fork.things.size).toBe(3);
    expect(() => cacher.fork(fork.store)).toThrow(/closed/);
    const other = await forked();
    other.fork.cacher.close();
    expect(other.fork.store.watches).toBe(0);
    other.put(["a/z", {}]);
    expect(other.things.size).toBe(3);
    put(["a/z", {}]);
    expect(things.size).toBe(2);
  });

  test("leaves out a resource that is being loaded, and shares the label indexes that are there", async () => {
    const cache = await testCache();
    cache.put(...Array.from({ length: 500 }, (_, i) => [`a/${i}`, { labels: { part: String(i % 5) } }] as const));
    const selection = withLabel("part", "3");
    await cache.things.prepare(selection);
    const adding = cache.cacher.addResource(testResource("/foos/"));
    const store = cache.store.fork();
    const cacher = cache.cacher.fork(store);
    expect(() => cacher.resource("/foos/")).toThrow(/closed/);
    expect(cacher.resource(THINGS).prepare(selection)).toBeUndefined();
    await untilIdle();
    store.commit([`${THINGS}a/3`, undefined]);
    expect(cacher.resource(THINGS).snapshot().list(selection).entries).toHaveLength(99);
    expect(cache.things.snapshot().list(selection).entries).toHaveLength(100);
    await adding;
    await cacher.addResource(testResource("/foos/"));
    await expect(cacher.addResource(testResource(`${THINGS}more/`))).rejects.toThrow(/begin with one another/);
  });

  test("of a store with later revisions loads everything again; one of an earlier revision is refused", async () => {
    const { cacher, store } = await testCache();
    store.hold();
    store.commit([`${THINGS}a/x`, {}]);
    const ahead = store.fork();
    const fork = cacher.fork(ahead);
    expect(fork.resource(THINGS).size).toBe(0);
    await fork.waitFor(1, { timeoutMs: 1 });
    await untilIdle();
    expect([fork.resource(THINGS).size, fork.stats().reloads]).toEqual([1, 1]);
    store.release();
    expect(() => cacher.fork(new FakeStore())).toThrow(/revision of at least 1/);
  });

  test("has the settings of its parent by default, and counts its work in its own activity", async () => {
    const [clock, later] = [new ManualClock(), new ManualClock()];
    const [mine, other] = [new Activity(clock), new Activity(later)];
    const store = new FakeStore();
    const parent = await Cacher.open(store, [testResource(THINGS)], {
      clock,
      historyEvents: 3,
      historyMillis: 0,
      activity: mine,
    });
    const forkStore = store.fork();
    const fork = parent.fork(forkStore, { clock: later, activity: other });
    const adding = fork.addResource(testResource("/foos/"));
    expect([mine.count, other.list().map(({ what }) => what)]).toEqual([0, ["load of /foos/"]]);
    await adding;
    for (let i = 0; i < 9; i++) {
      later.advance(1);
      forkStore.commit([`${THINGS}a/${i}`, {}]);
    }
    expect(fork.resource(THINGS).stats().historyEvents).toBe(3);
    expect(other.count).toBe(0);
  });
});

const key = fc.constantFrom("a/x", "a/y", "a/z", "b/x", "b/xx", "c");
const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ on: fc.nat(), key, value: fc.option(fc.nat(9), { nil: undefined }) }) },
    { weight: 1, arbitrary: fc.record({ on: fc.nat(), fork: fc.constant(true) }) },
  ),
  { minLength: 10, maxLength: 80, size: "max" },
);

interface Branch {
  readonly store: FakeStore;
  readonly cacher: Cacher;
  readonly notes: Notes;
  readonly states: Map<number, string[]>;
  readonly lines: string[];
  readonly model: Map<string, string>;
}

function branchOf(store: FakeStore, cacher: Cacher, model: Map<string, string>): Branch {
  const notes = new Notes();
  const states = new Map([[cacher.revision, statesOf(model)]]);
  cacher.resource(THINGS).watch(ALL, { after: cacher.revision }, notes);
  return { store, cacher, notes, states, lines: [], model };
}

const statesOf = (model: ReadonlyMap<string, string>): string[] =>
  [...model].map(([name, value]) => `${name}@${value}`).toSorted();

function write({ store, model, states, lines }: Branch, name: string, value: number | undefined): void {
  const before = model.get(name);
  if (value === undefined && before === undefined) return;
  const revision = store.commit([THINGS + name, value === undefined ? undefined : { data: value }]);
  if (value === undefined) model.delete(name);
  else model.set(name, `${revision} ${value}`);
  const shown = value ?? before!.split(" ")[1];
  lines.push(`${value === undefined ? "-" : before === undefined ? "+" : "~"} ${name}@${revision} ${shown}`);
  states.set(revision, statesOf(model));
}

test("in a tree of forks with random writes each shows its own states, at every revision, and its own events", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const store = new FakeStore();
      const branches = [branchOf(store, await Cacher.open(store, [testResource(THINGS)]), new Map())];
      for (const step of list) {
        const branch = branches[step.on % branches.length]!;
        if ("key" in step) write(branch, step.key, step.value);
        else {
          const forkStore = branch.store.fork();
          branches.push(branchOf(forkStore, branch.cacher.fork(forkStore), new Map(branch.model)));
        }
        await Promise.resolve();
      }
      await untilIdle();
      for (const { cacher, states, notes, lines } of branches) {
        const things = cacher.resource(THINGS);
        const found = [...states.keys()].map((revision) =>
          things
            .snapshotAt(revision)
            .list(ALL)
            .entries.map((e) => `${e.key}@${e.revision} ${JSON.parse(String(e.bytes)).data}`),
        );
        expect(found).toEqual([...states.values()]);
        expect(notes.lines).toEqual(lines);
        expect(await cacher.verify()).toEqual([]);
      }
    }),
    { numRuns: 100 },
  );
});
