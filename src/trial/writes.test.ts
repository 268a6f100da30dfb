import { expect, test } from "vitest";
import type { Store, StoreEvent } from "../storage/contract.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import { changesOf, isCompacted } from "./writes.ts";

const MIB = 1 << 20;

/** A store with writes of one key, each with a value of that many bytes. */
async function storeWith(writes: number, bytes: number) {
  const store = await openMemoryStore();
  let expected = await store.write({ type: "create", key: "/core/things/a", value: Buffer.alloc(bytes) });
  for (let i = 1; i < writes; i++) {
    expected = await store.write({ type: "update", key: "/core/things/a", value: Buffer.alloc(bytes), expected });
  }
  return store;
}

const range = (store: { readonly revision: number }, since: number) => ({ since, until: store.revision });

test("all changes come once and in order, in parts that fit into memory", async () => {
  const store = await storeWith(12, MIB);
  const parts: (readonly StoreEvent[])[] = [];
  for await (const part of changesOf(store, range(store, 0))) parts.push(part);
  const revisions = parts.flat().map(({ revision }) => revision);
  expect(revisions).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  expect(parts.length).toBeGreaterThan(0);
});

test("changes that come together with the last ones of a part are read once", async () => {
  const event = (revision: number, bytes: number): StoreEvent => ({
    type: "put",
    key: "/core/things/a",
    value: Buffer.alloc(bytes),
    revision,
    previousRevision: revision - 1,
  });
  const all = [event(1, 5 * MIB), event(2, 1), event(3, 1)];
  const store: Pick<Store, "watch"> = {
    watch(_prefix, after, watcher) {
      // A page of the log, and the changes in memory at once.
      queueMicrotask(() => {
        for (const one of all) if (one.revision > after) watcher.events([one]);
      });
      return { close: () => {} };
    },
  };
  const revisions: number[] = [];
  for await (const part of changesOf(store, { since: 0, until: 3 })) revisions.push(...part.map((one) => one.revision));
  expect(revisions).toEqual([1, 2, 3]);
});

test("changes after the end of the range are left out", async () => {
  const store = await storeWith(5, 10);
  const parts: StoreEvent[] = [];
  for await (const part of changesOf(store, { since: 1, until: 3 })) parts.push(...part);
  expect(parts.map(({ revision }) => revision)).toEqual([2, 3]);
});

test("a history that is compacted meanwhile is reported", async () => {
  const store = await storeWith(5, 10);
  await store.compact(4);
  const read = changesOf(store, range(store, 1));
  await expect(read.next()).rejects.toSatisfy(isCompacted);
});

test("a store whose last revisions are of other keys says that there is nothing more", async () => {
  const ended: number[] = [];
  const shared: Pick<Store, "watch"> = {
    watch: (_prefix, after, watcher) => {
      queueMicrotask(() => watcher.progress?.(5));
      return { close: () => void ended.push(after) };
    },
  };
  expect(await changesOf(shared, { since: 1, until: 5 }).next()).toEqual({ done: false, value: [] });
  expect(ended).toEqual([1]);
});
