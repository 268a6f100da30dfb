import { cpSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../src/util/clock.ts";
import type { Write } from "../../src/storage/contract.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { openReadOnlyStore } from "../../src/storage/sqlite/read-only.ts";
import { openSqliteStore } from "../../src/storage/sqlite/store.ts";
import { temporaryDirectory } from "../../src/storage/sqlite/testing/directory.ts";

let parent: ReturnType<typeof temporaryDirectory>;
let directory: string;
beforeEach(() => {
  parent = temporaryDirectory();
  directory = join(parent.path, "store");
});
afterEach(() => parent.remove());

const value = (i: number): Buffer => Buffer.alloc(i === 7 ? 100_000 : 100, i);
const filesOf = (path: string): string[] =>
  readdirSync(path).map((name) => `${name} ${statSync(join(path, name)).size} ${statSync(join(path, name)).mtimeMs}`);

async function fill(): Promise<Map<string, number>> {
  const store = await openSqliteStore({ directory, clock: systemClock });
  const revisions = new Map<string, number>();
  for (let i = 0; i < 20; i++) {
    revisions.set(`k/${i}`, await store.write({ type: "create", key: `k/${i}`, value: value(i) }));
  }
  await store.write({ type: "delete", key: "k/3", value: value(3), expected: revisions.get("k/3")! });
  revisions.delete("k/3");
  // As a process leaves it that is killed: with all of it in the log.
  cpSync(directory, `${directory}.killed`, { recursive: true });
  await store.close();
  return revisions;
}

test.for(["", ".killed"])("what a directory holds is served, and nothing is written (%s)", async (which) => {
  const revisions = await fill();
  const path = directory + which;
  const before = filesOf(path);
  const store = await openReadOnlyStore(path, openMemoryStore);
  const { records, revision } = await store.range("");
  expect(revision).toBe(21);
  expect(new Map(records.map((record) => [record.key, record.revision]))).toEqual(revisions);
  for (const record of records) expect(Buffer.from(record.value)).toEqual(value(Number(record.key.slice(2))));
  const writes: readonly Write[] = ["n", "o"].map((key) => ({ type: "create", key, value: value(1) }));
  await expect(store.write(writes[0]!)).rejects.toMatchObject({ code: "readOnly" });
  await expect(store.transact(writes)).rejects.toMatchObject({ code: "readOnly" });
  expect(await store.transact([])).toEqual([]);
  const other = await openReadOnlyStore(path, openMemoryStore);
  expect(filesOf(path)).toEqual(before);
  await expect(openSqliteStore({ directory: path, clock: systemClock })).rejects.toMatchObject({ code: "inUse" });
  await Promise.all([store.close(), other.close()]);
});

test("a directory that is written to is refused, and so is a damaged one", async () => {
  await fill();
  const writer = await openSqliteStore({ directory, clock: systemClock });
  await expect(openReadOnlyStore(directory, openMemoryStore)).rejects.toMatchObject({
    code: "inUse",
    owner: process.pid,
  });
  await writer.close();
  rmSync(join(`${directory}.killed`, "keelson.db-wal"));
  await expect(openReadOnlyStore(`${directory}.killed`, openMemoryStore)).rejects.toMatchObject({ code: "corrupt" });
});
