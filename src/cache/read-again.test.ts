import { expect, test } from "vitest";
import type { Store } from "../storage/contract.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import { type CacheResource, Cacher, type Entry, type WatchBatch, type WatchEvent } from "./index.ts";

const NONE = new Uint8Array();
const all = { id: "", prefix: "" };

/** A resource with some values that can be read only with a key that may be added later. */
function locked(): CacheResource & { isOpen: boolean } {
  const resource = {
    isOpen: false,
    prefix: "/a/",
    factory(key: string, value: Uint8Array, revision: number): Entry {
      const isShut = Buffer.from(value).toString().startsWith("locked") && !resource.isOpen;
      return { key, revision, labels: {}, bytes: isShut ? NONE : value, ...(isShut ? { unreadable: true } : {}) };
    },
    restamp: (entry: Entry, revision: number): Entry => ({ ...entry, revision }),
  };
  return resource;
}

const write = (store: Store, name: string, value: string): Promise<number> =>
  store.write({ type: "create", key: `/a/${name}`, value: Buffer.from(value) });
const update = (store: Store, name: string, value: string, expected: number): Promise<number> =>
  store.write({ type: "update", key: `/a/${name}`, value: Buffer.from(value), expected });

test("CRYPT-9: what could not be read is there under its old revision when it can be, and is watched on from there", async () => {
  const store = await openMemoryStore();
  const before = await write(store, "ns/x", "locked x");
  await write(store, "ns/y", "open y");
  const resource = locked();
  const cacher = await Cacher.open(store, [resource]);
  const cache = cacher.resource("/a/");
  const held = cache.snapshot();
  expect(cacher.unreadable().map(({ entry }) => entry.key)).toEqual(["ns/x"]);
  expect(await cacher.readAgain()).toBe(0);

  resource.isOpen = true;
  expect(await cacher.readAgain()).toBe(1);
  expect(cacher.unreadable()).toEqual([]);
  expect(cache.get("ns/x")).toMatchObject({ revision: before, bytes: Buffer.from("locked x") });
  expect(
    cache
      .snapshot()
      .list(all)
      .entries.map(({ key }) => key),
  ).toEqual(["ns/x", "ns/y"]);
  // What was read before is unchanged.
  expect(held.unreadable(all)?.key).toBe("ns/x");

  const seen: WatchEvent[] = [];
  const sink = { deliver: ({ events }: WatchBatch) => void seen.push(...events), ended: () => {} };
  cache.watch(all, { after: cacher.revision }, sink);
  await update(store, "ns/x", "locked again", before);
  await expect.poll(() => seen.map(({ type, entry }) => [type, entry.key])).toEqual([["MODIFIED", "ns/x"]]);
  cacher.close();
  await store.close();
});

test("CRYPT-9: what was written or deleted while it was read again stays as it was written", async () => {
  const store = await openMemoryStore();
  const resource = locked();
  const first = await write(store, "ns/x", "locked x");
  const gone = await write(store, "ns/gone", "locked gone");
  const cacher = await Cacher.open(store, [resource]);
  resource.isOpen = true;
  const reading = cacher.readAgain();
  const second = await update(store, "ns/x", "open x", first);
  await store.write({ type: "delete", key: "/a/ns/gone", value: NONE, expected: gone });
  await reading;
  expect(cacher.resource("/a/").get("ns/x")).toMatchObject({ revision: second, bytes: Buffer.from("open x") });
  expect(cacher.resource("/a/").get("ns/gone")).toBeUndefined();
  expect(cacher.unreadable()).toEqual([]);
  cacher.close();
  await store.close();
});
