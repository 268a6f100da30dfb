import { expect, test } from "vitest";
import { systemClock } from "../../util/clock.ts";
import { openTrusted } from "./open.ts";
import { History } from "./history.ts";
import { DiskSpace } from "./disk-space.ts";
import { openSqliteStore } from "./store.ts";
import { temporaryDirectory } from "./testing/directory.ts";

/** Milliseconds of CPU of this thread, in user and kernel mode. */
function threadMillis(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Makes a store with a history. */
async function fill(directory: string, bytes: number, keys: number, versions: number): Promise<number> {
  const store = await openSqliteStore({ directory, clock: systemClock, historyMinBytes: Infinity });
  const value = Buffer.alloc(bytes, 7);
  const rewrite = async (key: string): Promise<void> => {
    let expected = await store.write({ type: "create", key, value });
    for (let i = 2; i < versions; i++) expected = await store.write({ type: "update", key, value, expected });
    await store.write({ type: "delete", key, value, expected });
  };
  await Promise.all(Array.from({ length: keys }, (_, i) => rewrite(`k${i}`)));
  const { revision } = store;
  await store.close();
  return revision;
}

// The thread does nothing else meanwhile, so a step is what a request can have to wait for, besides the disk.
test.each([
  ["small values", 100, 5000, 5],
  ["usual values", 2000, 1500, 5],
  ["the largest values", 1_500_000, 5, 8],
])("a step of compaction takes less than 20 ms, and leaves the rest to the next one: %s", async (_what, ...shape) => {
  const { path, remove } = temporaryDirectory();
  const target = await fill(path, ...shape);
  const { db, ledger, mark } = openTrusted(path);
  const bounds = { historyMillis: Infinity, historyMaxShare: 1, historyMinBytes: Infinity, maxBytes: Infinity };
  const history = new History(db, ledger, { directory: path, ...bounds }, () => Infinity);
  const space = new DiskSpace(db, path, { ledger, history, mark }, Infinity);
  const steps: number[] = [];
  for (let more = true; more;) {
    const before = threadMillis();
    more = space.compact(target, systemClock.now());
    steps.push(threadMillis() - before);
  }
  expect(ledger.compacted).toBe(target);
  expect(steps.length).toBeGreaterThan(2);
  expect(Math.max(...steps)).toBeLessThan(20);
  db.close();
  mark.release();
  remove();
});
