import { expect, test } from "vitest";
import { ManualClock } from "../../util/clock.ts";
import { Activity } from "../../util/activity.ts";
import type { Write } from "../contract.ts";
import { EARLIER, storeContract } from "../testing/contract-suite.ts";
import { WatchLog } from "../testing/watch-log.ts";
import { type MemoryStore, openMemoryStore } from "./store.ts";

const create = (key: string, value = key): Write => ({ type: "create", key, value: Buffer.from(value) });

/** Writes, changes and deletes so that a fork begins with records, and with deletes and old versions behind it. */
async function fill(store: MemoryStore): Promise<void> {
  for (let i = 0; i < 300; i++) {
    const write = create(`${EARLIER}${String(i).padStart(4, "0")}`);
    const { key, value } = write;
    const expected = await store.write(write);
    if (i % 3 > 0) await store.write({ type: i % 3 === 1 ? "update" : "delete", key, value, expected });
  }
  for (const key of ["a", "b", "k1", "n/00001"]) {
    const expected = await store.write(create(key));
    await store.write({ type: "delete", key, value: Buffer.from(key), expected });
  }
}

/** Writes what the contract suite writes, so that its stores would be seen to share something. */
async function disturb(store: MemoryStore): Promise<void> {
  await Promise.all(["a", "a/b", "ab", "b", "c", "k0", "gone"].map((key) => store.write(create(key, "of another"))));
}

storeContract("memory", async () => {
  const store = await openMemoryStore();
  return { store, close: () => store.close() };
});

storeContract("memory with times", async () => {
  const store = await openMemoryStore({ now: () => Date.now() });
  return { store, close: () => store.close() };
});

storeContract("a fork of a memory store", async () => {
  const parent = await openMemoryStore();
  await fill(parent);
  const store = parent.fork();
  await disturb(parent);
  return { store, close: async () => void (await Promise.all([store.close(), parent.close()])) };
});

storeContract("a fork of a fork", async () => {
  const first = await openMemoryStore();
  await fill(first);
  const second = first.fork();
  await second.write(create(`${EARLIER}second`));
  await disturb(first);
  const store = second.fork();
  await disturb(second);
  await first.close();
  return { store, close: async () => void (await Promise.all([store.close(), second.close()])) };
});

test("the history of a key has the times of its writes and deletes, where times are recorded", async () => {
  let millis = 1000;
  const store = await openMemoryStore({ now: () => (millis += 10) });
  await store.write(create(`${EARLIER}other`));
  const put = create(`${EARLIER}timed`);
  const expected = await store.write(put);
  await store.write({ ...put, type: "delete", expected });
  const { versions } = await store.history!(`${EARLIER}timed`);
  await store.close();
  expect(versions.map(({ type, time }) => [type, time])).toEqual([
    ["delete", 1030],
    ["put", 1020],
  ]);
});

test("the history is bounded: what is older than historyEvents changes is compacted", async () => {
  const store = await openMemoryStore({ historyEvents: 100 });
  for (let i = 0; i < 1000; i++) await store.write(create(`k${i}`));
  expect((await store.stats()).compactedRevision).toBe(900);
  expect((await WatchLog.start(store, "", 899).untilEnded()).code).toBe("compacted");
  expect(await WatchLog.start(store, "", 900).until(100)).toHaveLength(100);
  expect((await store.range("k", { revision: 900 })).records).toHaveLength(900);
});

test("writes of one slice of the event loop are delivered together", async () => {
  const store = await openMemoryStore();
  const log = WatchLog.start(store, "", 0);
  await Promise.all([store.write(create("a")), store.write(create("b")), store.write(create("c"))]);
  expect(log.batches.map((batch) => batch.map((event) => event.key))).toEqual([["a", "b", "c"]]);
});

test("the bytes are those of the versions that are kept, and compaction gives them back", async () => {
  const store = await openMemoryStore();
  const bytes = async (): Promise<number> => (await store.stats()).bytes;
  const first = await store.write(create("a", "12345"));
  const second = await store.write({ type: "update", key: "a", value: Buffer.from("123"), expected: first });
  expect(await bytes()).toBe(8);
  const last = await store.write({ type: "delete", key: "a", value: Buffer.from("12"), expected: second });
  expect(await bytes()).toBe(10);
  await store.compact(last);
  expect(await bytes()).toBe(0);
});

test("what a watcher writes while it is called is counted for itself, until it is committed too", async () => {
  const activity = new Activity(new ManualClock());
  const store = await openMemoryStore({ activity });
  const written: Promise<unknown>[] = [];
  store.watch("", 0, {
    events: ([{ key } = { key: "" }]) => {
      if (key === "a") written.push(store.write(create("b")), store.transact([create("c"), create("d")]));
    },
    ended: () => {},
  });
  await store.write(create("a"));
  await activity.idle();
  expect(activity.list()).toEqual([]);
  expect((await store.range("")).records.map(({ key }) => key)).toEqual(["a", "b", "c", "d"]);
  await Promise.all(written);
});

test("a write is counted as running until it is committed and its watchers have received it", async () => {
  const activity = new Activity(new ManualClock());
  const store = await openMemoryStore({ activity });
  const log = WatchLog.start(store, "", 0);
  const writing = [store.write(create("a")), store.write(create("b"))];
  expect(activity.list().map(({ what }) => what)).toEqual(["write of a"]);
  await activity.idle();
  expect(log.keys).toEqual(["a", "b"]);
  expect(activity.count).toBe(0);
  await Promise.all(writing);
  await expect(store.write(create("a"))).rejects.toMatchObject({ code: "exists" });
  const fork = store.fork();
  void fork.write(create("c"));
  expect(activity.count).toBe(0);
  await store.write(create("c"));
  expect(activity.count).toBe(0);
});

test("a read of the past is complete, however much has changed since the last one", async () => {
  const store = await openMemoryStore({ historyEvents: 100_000 });
  const bytes = (text: string): Buffer => Buffer.from(text);
  const keys = ["/a/3", "/a/1", "/b/1", "/a/2"];
  const made = new Map<string, number>();
  for (const key of keys) made.set(key, await store.write({ type: "create", key, value: bytes("old") }));
  const then = store.revision;
  const past = async (): Promise<string[]> =>
    (await store.range("/a/", { revision: then })).records.map(
      ({ key, value }) => `${key} ${Buffer.from(value).toString()}`,
    );
  const before = await past();
  for (const key of keys) await store.write({ type: "delete", key, value: bytes("gone"), expected: made.get(key)! });
  expect(await past()).toEqual(before);
  // More changes of the order than it is kept for without a read.
  for (let i = 0; i < 1500; i++) {
    const key = `/c/${i}`;
    const expected = await store.write({ type: "create", key, value: bytes("new") });
    await store.write({ type: "delete", key, value: bytes("new"), expected });
  }
  expect(before).toEqual(["/a/1 old", "/a/2 old", "/a/3 old"]);
  expect(await past()).toEqual(before);
  await store.compact(then);
  expect(await past()).toEqual(before);
  await store.close();
});
