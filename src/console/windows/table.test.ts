import { expect, test } from "vitest";
import type { Entry, Resource } from "../../registry/index.ts";
import { testServer } from "../../server/testing/test-server.ts";
import { silentLog } from "../../util/log.ts";
import { bytesInUse } from "../../util/testing/heap.ts";
import { WindowTable, newRows } from "./table.ts";

/** A table whose objects are large, and have a version for each number. */
async function largeTable() {
  const { resource } = await testServer();
  let made = 0;
  const object = ({ revision }: Entry) => {
    made++;
    return { metadata: { name: `c${revision}`, uid: "u" }, data: { a: "1" } };
  };
  const rows = newRows();
  const table = new WindowTable(
    { definition: resource("configmaps").definition, object } as unknown as Resource,
    silentLog,
    "0",
    rows,
  );
  const entryOf = (revision: number): Entry => ({ key: "n/c", revision, labels: {}, bytes: new Uint8Array(1 << 20) });
  return { table, rows, entryOf, made: () => made };
}

test("a row is made once for each version of an object", async () => {
  const { table, entryOf, made } = await largeTable();
  expect(table.row(entryOf(1))).toContain('"name":"c1"');
  expect(table.row(entryOf(1))).toContain('"name":"c1"');
  expect(table.row(entryOf(2))).toContain('"name":"c2"');
  expect(made()).toBe(2);
});

test("rows that were shown keep no object, and have a bound", async () => {
  const { table, rows, entryOf } = await largeTable();
  const before = bytesInUse();
  for (let revision = 1; revision <= 200; revision++) table.row(entryOf(revision));
  expect(rows.size).toBe(200);
  // 200 MiB of objects were shown.
  expect(bytesInUse() - before).toBeLessThan(20 << 20);
  for (let revision = 1; revision <= 10_000; revision++) rows.set(`x${revision}`, "y".repeat(10_000));
  expect(rows.bytes).toBeLessThan(17 << 20);
});
