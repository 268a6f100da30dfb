import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ManualClock, systemClock } from "../../util/clock.ts";
import type { Store } from "../contract.ts";
import { WatchLog } from "../testing/watch-log.ts";
import { DATABASE_FILE } from "./schema.ts";
import { openSqliteStore } from "./store.ts";
import { temporaryDirectory } from "./testing/directory.ts";

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

const VALUE = Buffer.alloc(1000, 9);

/** Writes `count` versions of a key. */
async function rewrite(store: Store, key: string, count: number): Promise<void> {
  let expected = (await store.get(key))?.revision ?? 0;
  if (expected === 0) expected = await store.write({ type: "create", key, value: VALUE });
  for (let i = 1; i < count; i++) expected = await store.write({ type: "update", key, value: VALUE, expected });
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}

test("versions older than historyMillis are compacted, also while there are no writes", async () => {
  const clock = new ManualClock();
  const store = await openSqliteStore({ directory: directory.path, clock, historyMillis: 60_000 });
  await rewrite(store, "old", 50);
  clock.advance(30_000);
  await rewrite(store, "new", 50);
  expect((await store.stats()).compactedRevision).toBe(0);
  clock.advance(31_000);
  // The upkeep that was due before the end of that move has to finish before the next one is due.
  await store.stats();
  clock.advance(7000);
  await until(async () => (await store.stats()).compactedRevision === 50);
  expect((await WatchLog.start(store, "", 49).untilEnded()).code).toBe("compacted");
  expect(await WatchLog.start(store, "", 50).until(50)).toHaveLength(50);
  expect(await store.get("old")).toMatchObject({ revision: 50 });
  await store.close();
});

test("what is deleted leaves nothing in the log once it is compacted, neither its versions nor the deletes", async () => {
  const store = await openSqliteStore({ directory: directory.path, clock: systemClock });
  const stay = await store.write({ type: "create", key: "stays", value: VALUE });
  for (let i = 0; i < 200; i++) {
    const expected = await store.write({ type: "create", key: `k${i % 20}`, value: VALUE });
    await store.write({ type: "delete", key: `k${i % 20}`, value: VALUE, expected });
  }
  await store.compact(store.revision);
  await store.close();
  const db = new DatabaseSync(join(directory.path, DATABASE_FILE), { readOnly: true });
  expect(db.prepare("SELECT revision, key FROM log").all()).toMatchObject([{ revision: stay, key: "stays" }]);
  expect(db.prepare("SELECT log_bytes = live_bytes AS none FROM meta").get()).toMatchObject({ none: 1 });
  db.close();
});

test("the history stays within its bound, and the writes that exceed it compact it", async () => {
  const store = await openSqliteStore({
    directory: directory.path,
    clock: systemClock,
    historyMaxShare: 0.1,
    historyMinBytes: 100_000,
  });
  await rewrite(store, "a", 1000);
  const { compactedRevision } = await store.stats();
  expect(compactedRevision).toBeGreaterThanOrEqual(890);
  expect(compactedRevision).toBeLessThanOrEqual(905);
  const kept = await WatchLog.start(store, "", compactedRevision).until(1000 - compactedRevision);
  expect(kept.map((event) => event.revision)).toEqual(kept.map((_, i) => compactedRevision + 1 + i));
  await store.close();
});

test("a long history is compacted in many steps, and writes pass between them", async () => {
  const store = await openSqliteStore({ directory: directory.path, clock: systemClock });
  const keys = Array.from({ length: 200 }, (_, i) => `k${i}`);
  await Promise.all(keys.map((key) => rewrite(store, key, 40)));
  let running = true;
  const compacting = store.compact(store.revision).finally(() => {
    running = false;
  });
  let passed = 0;
  while (running) {
    await store.write({ type: "create", key: `during/${passed}`, value: VALUE });
    passed += 1;
  }
  await compacting;
  // 8000 changes in steps of 200 at most leave forty gaps. A write from another thread may miss some on a busy machine;
  // if the steps left no gap, it would be one or two writes in all.
  expect(passed).toBeGreaterThan(10);
  const { records } = await store.range("k");
  expect(records).toHaveLength(200);
  await store.close();
});

test("a watch from far back reads the log in pages and joins the present", async () => {
  const store = await openSqliteStore({ directory: directory.path, clock: systemClock });
  const value = Buffer.alloc(4000, 3);
  const creates = Array.from({ length: 6000 }, (_, i) =>
    store.write({ type: "create", key: `${i % 3 === 0 ? "x" : "y"}/${i}`, value }),
  );
  await Promise.all(creates);
  const log = WatchLog.start(store, "x/", 0);
  for (let i = 0; i < 20; i++) await store.write({ type: "create", key: `x/late/${i}`, value });
  await log.until(2020);
  const revisions = log.all.map((event) => event.revision);
  expect(revisions).toEqual([
    ...Array.from({ length: 2000 }, (_, i) => 3 * i + 1),
    ...Array.from({ length: 20 }, (_, i) => 6001 + i),
  ]);
  await store.close();
});
