import { expect, test } from "vitest";
import type { Write } from "../contract.ts";
import { storeContract } from "../testing/contract-suite.ts";
import { WatchLog } from "../testing/watch-log.ts";
import { openMemoryStore } from "./store.ts";

storeContract("memory", async () => {
  const store = await openMemoryStore();
  return { store, close: () => store.close() };
});

const create = (key: string): Write => ({ type: "create", key, value: Buffer.from(key) });

test("the history is bounded: what is older than historyEvents changes is compacted", async () => {
  const store = await openMemoryStore({ historyEvents: 100 });
  for (let i = 0; i < 1000; i++) await store.write(create(`k${i}`));
  expect((await store.stats()).compactedRevision).toBe(900);
  expect((await WatchLog.start(store, "", 899).untilEnded()).code).toBe("compacted");
  expect(await WatchLog.start(store, "", 900).until(100)).toHaveLength(100);
  expect((await store.range("k", { revision: 900 })).records).toHaveLength(900);
});

test("writes of one turn are delivered together", async () => {
  const store = await openMemoryStore();
  const log = WatchLog.start(store, "", 0);
  await Promise.all([store.write(create("a")), store.write(create("b")), store.write(create("c"))]);
  expect(log.batches.map((batch) => batch.map((event) => event.key))).toEqual([["a", "b", "c"]]);
});
