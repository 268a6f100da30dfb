import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../util/clock.ts";
import { StoreError } from "../contract.ts";
import type { Store } from "../contract.ts";
import { WatchLog } from "../testing/watch-log.ts";
import { openSqliteStore } from "./store.ts";
import { temporaryDirectory } from "./testing/directory.ts";
import { amount } from "../../util/testing/amount.ts";

let directory: ReturnType<typeof temporaryDirectory>;
let file: string;
beforeEach(() => {
  directory = temporaryDirectory();
  file = join(directory.path, "keelson.db");
});
afterEach(() => directory.remove());

const open = (): Promise<Store> => openSqliteStore({ directory: directory.path, clock: systemClock });
const valueOf = (i: number): Buffer => Buffer.from(`the value of record ${i} `.repeat(20));

async function fill(count: number): Promise<void> {
  const store = await open();
  const keys = Array.from({ length: count }, (_, i) => `k/${String(i).padStart(4, "0")}`);
  await Promise.all(keys.map((key, i) => store.write({ type: "create", key, value: valueOf(i) })));
  await store.close();
}

/** Changes the closed database behind the store's back. */
function tamper(sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}

test("a flipped bit in a value is reported with the key, never served, and the others stay readable", async () => {
  await fill(50);
  const content = readFileSync(file);
  const at = content.indexOf("the value of record 17 ");
  content[at + 30]! ^= 4;
  writeFileSync(file, content);
  const store = await open();
  await expect(store.get("k/0017")).rejects.toMatchObject({ code: "corrupt", key: "k/0017" });
  await expect(store.range("k/")).rejects.toMatchObject({ code: "corrupt", key: "k/0017" });
  expect((await WatchLog.start(store, "", 0).untilEnded()).code).toBe("corrupt");
  expect(await store.get("k/0016")).toMatchObject({ value: valueOf(16) });
  expect((await store.range("k/004")).records).toHaveLength(10);
  await store.write({ type: "delete", key: "k/0017", value: Buffer.alloc(0), expected: 18 });
  expect((await store.range("k/")).records).toHaveLength(49);
  await store.close();
});

describe("the numbers of a row are covered by its checksum", () => {
  for (const change of ["previous = 3", "kind = 2", "time = time + 1", "checksum = checksum + 1", "value = x'00'"]) {
    test(`${change} is found`, async () => {
      await fill(5);
      tamper(`UPDATE log SET ${change} WHERE revision = 2`);
      const store = await open();
      await expect(store.get("k/0001")).rejects.toMatchObject({ code: "corrupt", key: "k/0001", revision: 2 });
      await store.close();
    });
  }
});

test("a lost log row is reported as a corrupt record, not as a missing key", async () => {
  await fill(5);
  tamper("DELETE FROM log WHERE revision = 2");
  const store = await open();
  await expect(store.get("k/0001")).rejects.toMatchObject({ code: "corrupt", key: "k/0001" });
  await store.close();
});

describe("where a part of the log is unknown, no watch continues from before it", () => {
  const changes = ["DELETE FROM log WHERE revision = 4", "UPDATE log SET key = 'o/0003' WHERE revision = 4"];
  test.each(changes)("%s", async (change) => {
    await fill(5);
    tamper(change);
    const store = await open();
    const ended = await Promise.all(
      ["", "k/", "o/"].map(async (prefix) => {
        try {
          return (await WatchLog.start(store, prefix, 1).untilEnded()).code;
        } catch (error) {
          return (error as StoreError).code;
        }
      }),
    );
    expect(ended).toEqual(["compacted", "compacted", "compacted"]);
    expect(await store.get("k/0004")).toMatchObject({ revision: 5 });
    await store.close();
  });
});

test("tables that are not ours are refused", async () => {
  await fill(5);
  tamper("ALTER TABLE meta RENAME COLUMN compacted TO compacter");
  await expect(open()).rejects.toMatchObject({ code: "corrupt", message: expect.stringMatching(/our tables/) });
});

describe("missing, returned and moved rows are detected when the store is opened", () => {
  const changes = [
    "DELETE FROM live WHERE key = 'k/0003'",
    "UPDATE live SET revision = 1 WHERE key = 'k/0003'",
    "INSERT INTO live VALUES ('k/new', 2, 10)",
    "UPDATE live SET key = 'o/0004' WHERE key = 'k/0004'",
    "DELETE FROM live",
    "DELETE FROM meta",
    "UPDATE meta SET revision = 3",
  ];
  test.each(changes)("%s", async (change) => {
    await fill(5);
    tamper(change);
    await expect(open()).rejects.toMatchObject({ code: "corrupt" });
  });
});

describe("a database file that is not one is refused and left as it is", () => {
  const damages: [string, () => void, RegExp][] = [
    ["empty", () => truncateSync(file, 0), /an empty file/],
    ["cut in the middle of the header", () => truncateSync(file, 50), /damaged|not a database|Expected/],
    ["cut in half", () => truncateSync(file, 4096 * 10), /damaged/],
    ["cut by one page", () => truncateSync(file, readFileSync(file).length - 4096), /damaged/],
    ["zeros", () => writeFileSync(file, Buffer.alloc(65_536)), /something else/],
    ["garbage", () => writeFileSync(file, Buffer.alloc(65_536, "garbage")), /something else/],
    ["garbage after the header", () => writeFileSync(file, readFileSync(file).fill(0x5a, 100)), /damaged/],
    ["gone", () => rmSync(file), /found none/],
    ["of another program", () => tamper("PRAGMA application_id = 7"), /another program/],
  ];
  const content = (): string | undefined => (existsSync(file) ? readFileSync(file, "latin1") : undefined);
  test.each(damages)("%s", async (_, damage, message) => {
    await fill(300);
    damage();
    const before = content();
    const error = await open().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ code: "corrupt", message: expect.stringMatching(message) });
    expect(content() === before).toBe(true);
  });

  test("of a newer format", async () => {
    await fill(3);
    tamper("PRAGMA user_version = 2");
    await expect(open()).rejects.toMatchObject({
      code: "failed",
      message: expect.stringMatching(/format 1 or an older one, found 2: a newer Keelson/),
    });
  });
});

test("whatever bits are flipped: what is served is right, the rest is refused", { timeout: 120_000 }, async () => {
  await fill(200);
  const backup = join(directory.path, "backup");
  copyFileSync(file, backup);
  const size = readFileSync(file).length;
  const flips = fc.array(fc.nat(size * 8 - 1), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(flips, async (bits) => {
      const content = readFileSync(backup);
      for (const bit of bits) content[bit >> 3]! ^= 1 << (bit & 7);
      writeFileSync(file, content);
      for (const suffix of ["-wal", "-shm", "-journal"]) rmSync(file + suffix, { force: true });
      await expectNothingWrong();
    }),
    { numRuns: amount("FLIPS", 12, 60) },
  );
});

/** Opens the store and holds the whole of it against what was written; a StoreError anywhere is right as well. */
async function expectNothingWrong(): Promise<void> {
  const store = await orRefusal(open());
  const range = await orRefusal(store?.range("k/"));
  await orRefusal(store?.close());
  const expected = Array.from({ length: 200 }, (_, i) => valueOf(i).toString());
  const found = range?.records.map((record) => Buffer.from(record.value).toString());
  expect(found ?? expected).toEqual(expected);
}

/** What `promise` resolves to, undefined when the store refused; anything else that is thrown is a mistake of ours. */
async function orRefusal<T>(promise: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}
