import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../util/clock.ts";
import type { Store, StoreError } from "../contract.ts";
import { WatchLog } from "../testing/watch-log.ts";
import { openSqliteStore } from "./store.ts";
import { temporaryDirectory } from "./testing/directory.ts";

const VALUE = Buffer.alloc(20_000, 5);
let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

/** Creates keys until one does not fit; their revisions by key. */
async function fillUp(store: Store, prefix: string): Promise<{ written: Map<string, number>; error: StoreError }> {
  const written = new Map<string, number>();
  for (let i = 0; ; i += 8) {
    const keys = Array.from({ length: 8 }, (_, j) => `${prefix}/${i + j}`);
    const results = await Promise.allSettled(keys.map((key) => store.write({ type: "create", key, value: VALUE })));
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

test("at the size limit writes fail with full, reads go on, deletes work and make room again", async () => {
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

test("at the size limit the history gives way to updates", async () => {
  const store = await openSqliteStore({ directory: directory.path, clock: systemClock, maxBytes: 2 << 20 });
  let expected = await store.write({ type: "create", key: "a", value: VALUE });
  let refused = 0;
  for (let i = 0; i < 400; i++) {
    const update = store.write({ type: "update", key: "a", value: VALUE, expected });
    const revision = await update.catch((error: StoreError) => error.code);
    if (typeof revision === "number") expected = revision;
    else refused += 1;
  }
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThan(40);
  expect((await store.stats()).compactedRevision).toBeGreaterThan(0);
  expect(await store.get("a")).toMatchObject({ revision: expected });
  await store.close();
});

/** A file system of 16 MiB, undefined where the machine does not let us mount one. */
function mountSmall(path: string): (() => void) | undefined {
  mkdirSync(path, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", path], { stdio: "ignore" });
    return () => {
      execFileSync("umount", [path], { stdio: "ignore" });
    };
  } catch {
    return undefined;
  }
}

test("on a full disk nothing acknowledged is lost, and when there is room again writes work without a restart", async (context) => {
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
