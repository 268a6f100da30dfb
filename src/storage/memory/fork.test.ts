/**
 * Forks of the memory store: what they share, what they do not, and what they cost.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuMillis } from "../../util/testing/cpu-time.ts";
import type { RangeResult, StoreError, StoreErrorCode, Write } from "../contract.ts";
import { StoreModel } from "../testing/model.ts";
import { WatchLog } from "../testing/watch-log.ts";
import { type MemoryStore, openMemoryStore } from "./store.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);
const create = (key: string, value = key): Write => ({ type: "create", key, value: bytes(value) });
const keysOf = async (store: MemoryStore): Promise<string[]> =>
  (await store.range("")).records.map((record) => record.key);

describe("a fork", () => {
  test("begins with what is committed; neither it nor its parent sees what the other writes", async () => {
    const parent = await openMemoryStore();
    const a = await parent.write(create("a", "1"));
    const fork = parent.fork();
    const [inParent, inFork] = [WatchLog.start(parent, "", a), WatchLog.start(fork, "", a)];
    expect(await fork.write({ type: "update", key: "a", value: bytes("fork"), expected: a })).toBe(a + 1);
    await parent.write({ type: "delete", key: "a", value: bytes("gone"), expected: a });
    await fork.write(create("b"));
    expect([await keysOf(parent), await keysOf(fork)]).toEqual([[], ["a", "b"]]);
    expect([inParent.keys, inFork.keys]).toEqual([["a"], ["a", "b"]]);
    expect((await parent.range("", { revision: a })).records).toHaveLength(1);
    expect(String((await fork.get("a"))!.value)).toBe("fork");
  });

  test("begins at the revision of the options, and older revisions are compacted", async () => {
    const parent = await openMemoryStore();
    await parent.write(create("a"));
    const fork = parent.fork({ revision: 10 });
    expect([fork.revision, await fork.write(create("b"))]).toEqual([10, 11]);
    expect((await WatchLog.start(fork, "", 9).untilEnded()).code).toBe("compacted");
    expect((await WatchLog.start(fork, "", 10).until(1)).map(({ key }) => key)).toEqual(["b"]);
    expect(fork.records().map(({ key, revision }) => [key, revision])).toEqual([
      ["a", 1],
      ["b", 11],
    ]);
  });

  test("a store begins with records, at their revisions", async () => {
    const parent = await openMemoryStore();
    await parent.write(create("a"));
    await parent.write(create("b"));
    const { revision } = parent;
    const copy = await openMemoryStore({ records: parent.records(), revision });
    expect([copy.revision, copy.records()]).toEqual([2, parent.records()]);
    expect(await copy.stats()).toMatchObject({ records: 2, bytes: 2, compactedRevision: 2 });
    expect(await copy.write({ type: "update", key: "a", value: bytes("c"), expected: 1 })).toBe(3);
  });

  test("does not have the writes that wait for their commit: they are the parent's alone", async () => {
    const parent = await openMemoryStore();
    const waiting = parent.write(create("a"));
    const fork = parent.fork();
    await waiting;
    expect([parent.revision, fork.revision]).toEqual([1, 0]);
    expect([await keysOf(parent), await keysOf(fork)]).toEqual([["a"], []]);
  });

  test("begins its history where it was taken: what is older is compacted there, and stays in the parent", async () => {
    const parent = await openMemoryStore({ historyEvents: 50 });
    const a = await parent.write(create("a", "1"));
    const b = await parent.write({ type: "update", key: "a", value: bytes("2"), expected: a });
    const fork = parent.fork();
    expect(await fork.stats()).toMatchObject({ compactedRevision: b, records: 1, bytes: 1, writes: 0, flushes: 0 });
    await expect(fork.range("", { revision: a })).rejects.toMatchObject({ code: "compacted" });
    expect((await WatchLog.start(fork, "", a).untilEnded()).code).toBe("compacted");
    expect((await fork.history!("a")).versions.map(({ revision }) => revision)).toEqual([b]);
    expect((await parent.history!("a")).versions.map(({ revision }) => revision)).toEqual([b, a]);
    for (let i = 0; i < 60; i++) await fork.write(create(`k${i}`));
    expect((await fork.stats()).compactedRevision).toBe(b + 10);
    expect((await parent.range("", { revision: a })).records).toHaveLength(1);
  });

  test("has none of the parent's pins, watches or end: each closes for itself", async () => {
    const parent = await openMemoryStore();
    const a = await parent.write(create("a"));
    await parent.pin!();
    const log = WatchLog.start(parent, "", a);
    const fork = parent.fork();
    const other = WatchLog.start(fork, "", a);
    const b = await fork.write(create("b"));
    await fork.compact(b);
    expect((await fork.stats()).compactedRevision).toBe(b);
    await parent.close();
    expect([log.error?.code, other.error]).toEqual(["closed", undefined]);
    expect(log.keys).toEqual([]);
    await fork.write(create("c"));
    expect(await keysOf(fork)).toEqual(["a", "b", "c"]);
    expect(() => parent.fork()).toThrow(expect.objectContaining({ code: "closed" }));
    await fork.close();
  });
});

const key = fc.constantFrom("a", "a/", "a/b", "ab", "b", "c", "d/e", "\u{1f600}");
const steps = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constantFrom("create" as const, "update" as const, "delete" as const),
        key,
        on: fc.nat(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("fork" as const), on: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("compact" as const, "close" as const), on: fc.nat() }) },
  ),
  { minLength: 20, maxLength: 150, size: "max" },
);

interface Branch {
  readonly store: MemoryStore;
  readonly model: StoreModel;
  readonly log: WatchLog;
  readonly from: number;
}

/** A model that begins with what another one has now. */
function forkOf(model: StoreModel): StoreModel {
  const copy = new StoreModel(model.revision);
  copy.log.push(...model.log);
  return copy;
}

const branchOf = (store: MemoryStore, model: StoreModel): Branch => {
  return { store, model, log: WatchLog.start(store, "", store.revision), from: store.revision };
};

const shown = (answer: RangeResult | StoreErrorCode): unknown =>
  typeof answer === "string" ? answer : answer.records.map((r) => [r.key, String(r.value), r.revision]);

/** Compares every revision that a branch can read, and every event that its watcher received, with the model. */
async function expectSame({ store, model, log, from }: Branch): Promise<void> {
  for (let revision = model.compacted - 1; revision <= model.revision; revision++) {
    if (revision < 0) continue;
    const wanted = model.range("", undefined, undefined, revision);
    const found = await store.range("", { revision }).catch((error: StoreError) => error.code);
    expect(shown(found)).toEqual(shown(wanted));
  }
  const events = model.log.filter(({ revision }) => revision > from);
  expect(log.all.map((e) => [e.type, e.key, e.revision])).toEqual(events.map((e) => [e.type, e.key, e.revision]));
}

async function write({ store, model }: Branch, type: Write["type"], name: string, value: Uint8Array): Promise<void> {
  const change = { type, key: name, value, expected: model.get(name)?.revision ?? 0 } as Write;
  const outcome = await store.write(change).catch((error: StoreError) => error.code);
  expect(outcome).toBe(model.write(change));
}

async function compact({ store, model }: Branch): Promise<void> {
  const revision = Math.max(model.compacted, model.revision - 3);
  await store.compact(revision);
  model.compact(revision);
}

async function runTree(list: Arbitrated<typeof steps>): Promise<void> {
  const branches = [branchOf(await openMemoryStore(), new StoreModel())];
  for (const [i, step] of list.entries()) {
    const at = step.on % branches.length;
    const branch = branches[at]!;
    if ("key" in step) await write(branch, step.do, step.key, bytes(`${step.do} ${i}`));
    else if (step.do === "fork") branches.push(branchOf(branch.store.fork(), forkOf(branch.model)));
    else if (step.do === "compact") await compact(branch);
    else if (branches.length > 1) {
      await expectSame(branch);
      await branch.store.close();
      branches.splice(at, 1);
    }
  }
  for (const branch of branches) await expectSame(branch);
}

type Arbitrated<A> = A extends fc.Arbitrary<infer T> ? T : never;

test("in a tree of forks with random writes each agrees with its own model, at every revision", async () => {
  await fc.assert(fc.asyncProperty(steps, runTree), { numRuns: 60 });
});

describe("what a fork costs", () => {
  test("a fork of 10 000 records takes no longer than one of 10, below 0.2 ms", async () => {
    const took: number[] = [];
    for (const count of [10, 10_000]) {
      const store = await openMemoryStore();
      await Promise.all(Array.from({ length: count }, (_, i) => store.write(create(`k${i}`))));
      for (let i = 0; i < 200; i++) store.fork();
      const before = cpuMillis();
      for (let i = 0; i < 1000; i++) store.fork();
      took.push((cpuMillis() - before) / 1000);
    }
    expect(Math.max(...took)).toBeLessThan(0.2);
  });
});
