import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../util/clock.ts";
import type { Store } from "../contract.ts";
import { openSqliteStore } from "./store.ts";
import { temporaryDirectory } from "./testing/directory.ts";

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

const open = (): Promise<Store> => openSqliteStore({ directory: directory.path, clock: systemClock });
const stat = (name: string) => statSync(join(directory.path, name));
const modes = (): string[] => ["keelson.db", "keelson.db-wal"].map((name) => (stat(name).mode & 0o777).toString(8));
const create = (store: Store, i: number, value: Buffer) =>
  store.write({ type: "create", key: `a/${String(i).padStart(4, "0")}`, value });

test("the write-ahead log is moved into the database before it grows long, however large the values are", async () => {
  const store = await open();
  const value = Buffer.alloc(133_000, 7);
  let longest = 0;
  for (let i = 0; i < 400; i++) {
    await create(store, i, value);
    longest = Math.max(longest, stat("keelson.db-wal").size);
  }
  expect(longest).toBeLessThan(12 << 20);
  expect(stat("keelson.db").size).toBeGreaterThan(40 << 20);
  await store.close();
});

test("small writes after a large one do not move the log each time", async () => {
  const store = await open();
  await create(store, 0, Buffer.alloc(700_000, 7));
  const before = stat("keelson.db").mtimeMs;
  for (let i = 1; i < 50; i++) await create(store, i, Buffer.alloc(100, 7));
  expect(stat("keelson.db").mtimeMs).toBe(before);
  await store.close();
});

test("the database and its log are readable for their owner alone, also those of an earlier version", async () => {
  const store = await open();
  await create(store, 0, Buffer.from("secret"));
  expect(modes()).toEqual(["600", "600"]);
  await store.close();
  chmodSync(join(directory.path, "keelson.db"), 0o644);
  const again = await open();
  await create(again, 1, Buffer.from("secret"));
  expect(modes()).toEqual(["600", "600"]);
  await again.close();
});
