import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../src/util/clock.ts";
import { backupLines } from "../../src/storage/backup/write.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { checkStore } from "../../src/storage/sqlite/check.ts";
import { restoreStore } from "../../src/storage/sqlite/restore.ts";
import { openSqliteStore } from "../../src/storage/sqlite/store.ts";
import { temporaryDirectory } from "../../src/storage/sqlite/testing/directory.ts";

const ABOUT = { dialect: "neutral", time: "2026-01-02T03:04:05.000Z" };
let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

test("records of one revision, as transactions over etcd have them, are restored with a revision for each", async () => {
  const records = ["a", "b", "c", "d"].map((key, i) => ({ key, value: Buffer.from(key), revision: i === 3 ? 7 : 5 }));
  const store = await openMemoryStore({ records, revision: 8 });
  const report = await restoreStore(backupLines(store, ABOUT), directory.path, Date.parse(ABOUT.time), () => {});
  expect(report.backup).toMatchObject({ revision: 8, records: 4 });
  expect(await checkStore(directory.path)).toMatchObject({ findings: [], records: 4 });
  const restored = await openSqliteStore({ directory: directory.path, clock: systemClock });
  const found = await restored.range("");
  expect(found.records.map(({ key, value, revision }) => [key, String(value), revision])).toEqual([
    ["a", "a", 5],
    ["b", "b", 9],
    ["c", "c", 10],
    ["d", "d", 7],
  ]);
  expect(restored.revision).toBe(report.revision);
  expect(report.revision).toBeGreaterThan(10);
  const write = { type: "update", key: "b", value: Buffer.from("new"), expected: 9 } as const;
  expect(await restored.write(write)).toBe(report.revision + 1);
  await restored.close();
});
