import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../util/clock.ts";
import { type Log, silentLog } from "../../util/log.ts";
import type { Store, StoreError, Write } from "../contract.ts";
import { WatchLog } from "../testing/watch-log.ts";
import { checkStore } from "./check.ts";
import { openSqliteStore } from "./store.ts";
import { temporaryDirectory } from "./testing/directory.ts";
import { mountDisk } from "./testing/disk.ts";

const VALUE = Buffer.alloc(20_000, 5);
let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

/** Creates keys until one does not fit; their revisions by key. */
async function fillUp(
  store: Store,
  prefix: string,
  value: Buffer = VALUE,
): Promise<{ written: Map<string, number>; error: StoreError }> {
  const written = new Map<string, number>();
  for (let i = 0; ; i += 8) {
    const keys = Array.from({ length: 8 }, (_, j) => `${prefix}/${i + j}`);
    const results = await Promise.allSettled(keys.map((key) => store.write({ type: "create", key, value })));
    for (const [j, result] of results.entries()) {
      if (result.status === "rejected") return { written, error: result.reason as StoreError };
      written.set(keys[j]!, result.value);
    }
  }
}

async function expectAll(store: Store, written: Map<string, number>): Promise<void> {
  const { records } = await store.range("");
  expect(new Map(records.map((record) => [record.key, record.revision]))).toEqual(written);
  expect(records.every((record) => Buffer.compare(record.value, VALUE) === 0)).toBe(true);
}

test("at the size limit writes fail with full, reads go on, deletes work and free space", async () => {
  const maxBytes = 2 << 20;
  const store = await openSqliteStore({ directory: directory.path, clock: systemClock, maxBytes });
  const log = WatchLog.start(store, "", 0);
  const { written, error } = await fillUp(store, "a");
  expect(error).toMatchObject({ code: "full" });
  expect(written.size).toBeGreaterThan(50);
  await expectAll(store, written);
  expect(log.all).toHaveLength(written.size);

  for (const [key, expected] of [...written].slice(0, 20)) {
    await store.write({ type: "delete", key, value: Buffer.alloc(0), expected });
    written.delete(key);
  }
  await store.compact(store.revision);
  const again = await fillUp(store, "b");
  expect(again.error.code).toBe("full");
  expect(again.written.size).toBeGreaterThan(7);
  await expectAll(store, new Map([...written, ...again.written]));
  expect(log.all.map((event) => event.revision)).toEqual(log.all.map((_, i) => i + 1));
  await store.close();
});

test("at the size limit a transaction is done when each of its writes would be done there, and else not at all", async () => {
  const store = await openSqliteStore({ directory: directory.path, clock: systemClock, maxBytes: 2 << 20 });
  const { written } = await fillUp(store, "a");
  expect(store.space?.full).toBe(true);
  const [a, b, c, d, e, ...others] = [...written.keys()];
  const at = (key: string | undefined): { readonly key: string; readonly expected: number } => ({
    key: key!,
    expected: written.get(key!)!,
  });
  const create: Write = { type: "create", key: "new", value: VALUE };
  const remove = (key: string | undefined): Write => ({ type: "delete", value: VALUE, ...at(key) });
  const update = (key: string | undefined, value: Buffer, leaves = false): Write => {
    return { type: "update", value, ...at(key), leaves };
  };
  const larger = Buffer.alloc(VALUE.length + 300, 5);
  const log = WatchLog.start(store, "", store.revision);
  const { revision } = store;
  // More goes than comes, but the parts are judged one by one.
  const refused = [
    [remove(a), remove(b), create],
    [update(a, larger), remove(b)],
    [create, ...others.slice(0, 40).map(remove)],
  ];
  for (const writes of refused) {
    await expect(store.transact(writes)).rejects.toMatchObject({ code: "full", key: writes[0]!.key });
  }
  // A condition that does not hold is reported on a full disk, too.
  const wrong = { ...remove(c), expected: 1e9 } as Write;
  await expect(store.transact([create, wrong])).rejects.toMatchObject({ code: "conflict", key: c });
  expect(store.revision).toBe(revision);
  expect(log.all).toEqual([]);
  await expectAll(store, written);
  const results = await Promise.allSettled([
    store.transact([update(a, larger, true), remove(b), update(c, VALUE)]),
    store.transact([create, remove(d)]),
    store.transact([remove(d), remove(e)]),
    // More than a piece of a batch.
    store.transact(others.slice(0, 40).map(remove)),
    store.write(create),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled", "rejected"]);
  expect(log.all.map(({ key }) => key)).toEqual([a, b, c, d, e, ...others.slice(0, 40)]);
  expect(log.all.map((event) => event.revision)).toEqual(log.all.map((_, i) => revision + 1 + i));
  expect((await store.range("a/")).records).toHaveLength(written.size - 43);
  await store.close();
});

test("when some transactions do not fit any more those that do are done, and none in part", async () => {
  const store = await openSqliteStore({ directory: directory.path, clock: systemClock, maxBytes: 2 << 20 });
  const log = WatchLog.start(store, "", 0);
  const all = Array.from({ length: 60 }, (_, i) => Array.from({ length: 1 + (i % 7) }, (__, j) => `k/${i}/${j}`));
  const results = await Promise.allSettled(
    all.map((keys) => store.transact(keys.map((key) => ({ type: "create", key, value: VALUE })))),
  );
  const done = all.flatMap((keys, i) => (results[i]!.status === "fulfilled" ? keys : []));
  const refused = results.flatMap((result) =>
    result.status === "rejected" ? [(result.reason as StoreError).code] : [],
  );
  expect(new Set(refused)).toEqual(new Set(["full"]));
  expect(done.length).toBeGreaterThan(40);
  expect(done.length).toBeLessThan(200);
  const { records } = await store.range("k/");
  expect(records.map(({ key }) => key).toSorted()).toEqual(done.toSorted());
  expect(log.keys.toSorted()).toEqual(done.toSorted());
  await store.close();
});

test("at the size limit the history gives way to updates, and none is refused", async () => {
  const store = await openSqliteStore({ directory: directory.path, clock: systemClock, maxBytes: 2 << 20 });
  let expected = await store.write({ type: "create", key: "a", value: VALUE });
  for (let i = 0; i < 400; i++) expected = await store.write({ type: "update", key: "a", value: VALUE, expected });
  expect(store.space?.full).toBe(false);
  expect((await store.stats()).compactedRevision).toBeGreaterThan(0);
  expect(await store.get("a")).toMatchObject({ revision: expected });
  await store.close();
});

/** A file system of 16 MiB, undefined where the machine does not let us mount one. */
const mountSmall = (path: string): (() => void) | undefined => mountDisk(path, { type: "tmpfs", mebibytes: 16 });

test("on a full disk nothing acknowledged is lost, and when there is space again writes work without a restart", async (context) => {
  const path = join(directory.path, "disk");
  const unmount = mountSmall(path);
  if (unmount === undefined) return context.skip("this machine does not let the test mount a file system");
  const options = { directory: join(path, "data"), clock: systemClock };
  try {
    let store = await openSqliteStore(options);
    const ballast = join(path, "ballast");
    writeFileSync(ballast, Buffer.alloc(6 << 20));
    const { written, error } = await fillUp(store, "a");
    expect(error.code).toBe("full");
    await expectAll(store, written);
    expect((await fillUp(store, "b")).error.code).toBe("full");

    rmSync(ballast);
    const more = await fillUp(store, "c");
    expect(more.written.size).toBeGreaterThan(20);
    const now = new Map((await store.range("")).records.map((record) => [record.key, record.revision]));
    for (const [key, revision] of [...written, ...more.written]) expect(now.get(key)).toBe(revision);
    const revision = store.revision;
    await store.close();
    store = await openSqliteStore(options);
    expect(store.revision).toBe(revision);
    await expectAll(store, now);
    await store.close();
  } finally {
    unmount();
  }
});

test("a check on a full disk finds a whole store, and says which part of it could not be made", async (context) => {
  const path = join(directory.path, "disk");
  const unmount = mountSmall(path);
  if (unmount === undefined) return context.skip("this machine does not let the test mount a file system");
  try {
    const store = await openSqliteStore({ directory: join(directory.path, "store"), clock: systemClock });
    await store.write({ type: "create", key: "a", value: VALUE });
    // As a process leaves it that is killed: with a log.
    cpSync(join(directory.path, "store"), join(path, "data"), { recursive: true });
    await store.close();
    rmSync(join(path, "data", "keelson.db-shm"), { force: true });
    const whole = { findings: [], records: 1, revision: 1 };
    expect(await checkStore(join(path, "data"))).toMatchObject({ ...whole, structureUnchecked: undefined });
    expect(() => writeFileSync(join(path, "ballast"), Buffer.alloc(16 << 20))).toThrow("ENOSPC");
    expect(await checkStore(join(path, "data"))).toMatchObject({ ...whole, structureUnchecked: expect.any(String) });
  } finally {
    unmount();
  }
});

/** The first keys, half of them at most, in an order that is not that of the disk. */
const someOf = (written: Map<string, number>): string[] =>
  [...written.keys()]
    .slice(0, Math.min(500, written.size / 2))
    .toSorted((a, b) => (reversed(a) < reversed(b) ? -1 : 1));
const reversed = (text: string): string => text.split("").toReversed().join("");

describe.each([1000, 100_000, 1_000_000])("on a disk filled with objects of %d bytes", (size) => {
  const value = Buffer.alloc(size, 7);

  test("every delete works, what leaves may say so, what shrinks may shrink, and then there is room again", async (context) => {
    const path = join(directory.path, "disk");
    const unmount = mountSmall(path);
    if (unmount === undefined) return context.skip("this machine does not let the test mount a file system");
    const messages: string[] = [];
    const log: Log = { ...silentLog, error: (line) => messages.push(line), info: (line) => messages.push(line) };
    const options = { directory: join(path, "data"), clock: systemClock, log };
    let store = await openSqliteStore(options);
    try {
      const { written } = await fillUp(store, "a", value);
      expect(written.size * size).toBeGreaterThan(8 << 20);
      expect(messages).toEqual([expect.stringContaining("no space is left")]);
      expect(store.space?.full).toBe(true);
      const gone = someOf(written);
      const update = async (key: string, bytes: Buffer, leaves?: true): Promise<void> => {
        const expected = written.get(key)!;
        const write = { type: "update", key, value: bytes, expected } as const;
        written.set(key, await store.write(leaves ? { ...write, leaves } : write));
      };
      const together = gone.splice(0, 2);
      await store.transact(together.map((key) => ({ type: "delete", key, value, expected: written.get(key)! })));
      for (const key of together) written.delete(key);
      const leaving = Buffer.alloc(size + 300, 7);
      for (const key of gone) await update(key, leaving, true);
      for (const key of gone) await update(key, value);
      for (const key of gone) {
        await store.write({ type: "delete", key, value, expected: written.get(key)! });
        written.delete(key);
      }
      await store.close();
      store = await openSqliteStore(options);
      const { records } = await store.range("");
      expect(new Map(records.map((record) => [record.key, record.revision]))).toEqual(written);
      expect((await fillUp(store, "b", value)).written.size).toBeGreaterThan(gone.length / 3);
    } finally {
      await store.close();
      unmount();
    }
  });
});
