import { mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ManualClock, systemClock } from "../../util/clock.ts";
import { openSqliteStore } from "./store.ts";
import { temporaryDirectory } from "./testing/directory.ts";

let parent: ReturnType<typeof temporaryDirectory>;
let directory: string;
beforeEach(() => {
  parent = temporaryDirectory();
  directory = join(parent.path, "store");
});
afterEach(() => parent.remove());

const FAULTS: Readonly<Record<string, () => void>> = {
  "the directory is removed": () => rmSync(directory, { recursive: true }),
  "the directory is replaced": () => {
    renameSync(directory, `${directory}.old`);
    mkdirSync(directory);
    for (const name of ["keelson.db", "keelson.db-wal"]) writeFileSync(join(directory, name), Buffer.alloc(1 << 20));
  },
  "the log is removed": () => rmSync(join(directory, "keelson.db-wal")),
  "the log is cut off": () => truncateSync(join(directory, "keelson.db-wal")),
  "the database is cut off": () => truncateSync(join(directory, "keelson.db"), 4096),
};

test.for(Object.keys(FAULTS))("when %s, nothing more is acknowledged", async (fault) => {
  const store = await openSqliteStore({ directory, clock: systemClock });
  const value = Buffer.from("v");
  await store.write({ type: "create", key: "a", value });
  FAULTS[fault]!();
  await expect(store.write({ type: "create", key: "b", value })).rejects.toMatchObject({
    // The look of each second may be first.
    code: expect.stringMatching(/unknown|failed/),
  });
  expect((await store.failed).cause).toMatchObject({ code: "gone", message: expect.stringContaining(directory) });
  await store.close();
});

test.for(Object.keys(FAULTS))("when %s and nobody writes, it is noticed after a second", async (fault) => {
  const clock = new ManualClock(0);
  const store = await openSqliteStore({ directory, clock });
  await store.write({ type: "create", key: "a", value: Buffer.from("v") });
  FAULTS[fault]!();
  clock.advance(1000);
  expect((await store.failed).cause).toMatchObject({ code: "gone" });
  await store.close();
});
