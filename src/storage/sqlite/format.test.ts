/**
 * The forms of the store that were ever released, as they were written then: `test/fixtures/store/format-N`, made by
 * `tools/store-fixture.ts`.
 */
import { chmodSync, cpSync, createReadStream } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../util/clock.ts";
import type { Store } from "../contract.ts";
import { WatchLog } from "../testing/watch-log.ts";
import { checkStore } from "./check.ts";
import { openTrusted } from "./open.ts";
import { repairStore } from "./repair.ts";
import { restoreStore } from "./restore.ts";
import { FORMAT, type Migrations } from "./schema.ts";
import { openSqliteStore } from "./store.ts";
import { temporaryDirectory } from "./testing/directory.ts";

const FIXTURES = new URL("../../../test/fixtures/store/", import.meta.url).pathname;

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

/** Copies a fixture to where it can be opened. */
function take(name: string): string {
  cpSync(join(FIXTURES, name), directory.path, { recursive: true });
  chmodSync(directory.path, 0o700);
  return directory.path;
}

const open = (path: string): Promise<Store> =>
  openSqliteStore({ directory: path, clock: systemClock, historyMillis: Infinity });

const A = "/core/configmaps/default/a";
const B = "/core/configmaps/default/b";
const SMILE = "/core/configmaps/default/\u{1f600}";
const TIME = Date.parse("2026-01-02T03:04:05.678Z");

describe.each(Array.from({ length: FORMAT }, (_, i) => `format-${i + 1}`))("a store of %s", (format) => {
  test.each(["closed", "open"])("that was left %s has its records, its history and its revision", async (end) => {
    const store = await open(take(`${format}/${end}`));
    const { records } = await store.range("");
    expect(records.map(({ key, revision, value }) => [key, revision, Buffer.from(value).toString("latin1")])).toEqual([
      [A, 4, "a 2"],
      [SMILE, 2, "\u00EE".repeat(5000)],
    ]);
    // What ended in the middle goes on above all that may have been seen.
    expect(store.revision).toBe(end === "closed" ? 5 : 10_000);
    const { versions, compactedRevision } = await store.history!(B);
    expect(compactedRevision).toBe(1);
    expect(
      versions.map(({ type, revision, value, time }) => [type, revision, Buffer.from(value).toString(), time]),
    ).toEqual([
      ["delete", 5, "b last", TIME + 1000],
      ["put", 3, "b 1", TIME + 1000],
    ]);
    const seen = await WatchLog.start(store, "", 1).until(4);
    expect(seen.map((event) => [event.type, event.key, event.revision])).toEqual([
      ["put", SMILE, 2],
      ["put", B, 3],
      ["put", A, 4],
      ["delete", B, 5],
    ]);
    const revision = await store.write({ type: "update", key: A, value: Buffer.from("a 3"), expected: 4 });
    expect(revision).toBeGreaterThan(5);
    await store.close();
    expect(await checkStore(directory.path)).toMatchObject({ findings: [], records: 2, format: FORMAT });
  });

  test.each(["closed", "open"])("that was left %s can be checked and repaired as it is", async (end) => {
    const path = take(`${format}/${end}`);
    expect(await checkStore(path)).toMatchObject({ findings: [], records: 2, revision: 5, compactedRevision: 1 });
    const repaired = temporaryDirectory();
    expect(repairStore(path, repaired.path)).toMatchObject({ records: 2, lost: [], warnings: [] });
    repaired.remove();
  });

  test("has backups that can be restored", async () => {
    const file = createReadStream(join(FIXTURES, format, "backup"));
    const { backup, revision } = await restoreStore(file, directory.path, TIME + 60_000, () => {});
    expect(backup).toEqual({ revision: 5, dialect: "neutral", time: "2026-01-02T03:04:06.678Z", records: 2 });
    // A store that makes a hundred changes in each millisecond is not there yet.
    expect(revision).toBe(5 + 1_000_000 + 59_000 * 100);
    const store = await open(directory.path);
    expect((await store.range("")).records.map(({ key }) => key)).toEqual([A, SMILE]);
    expect((await WatchLog.start(store, "", 5).untilEnded()).code).toBe("compacted");
    await store.close();
  });
});

describe("a step to a new format", () => {
  const steps: Migrations = [
    (db) => db.exec("ALTER TABLE meta ADD COLUMN note TEXT NOT NULL DEFAULT 'two'"),
    (db) => db.exec("UPDATE meta SET note = note || ', three'"),
  ];
  const formatOf = (db: DatabaseSync): unknown => db.prepare("PRAGMA user_version").get()?.["user_version"];
  const opened = <T>(path: string, migrations: Migrations, look: (db: DatabaseSync) => T): T => {
    const { db, mark } = openTrusted(path, migrations);
    try {
      return look(db);
    } finally {
      db.close();
      mark.release();
    }
  };

  test("is taken when the store is opened, once, each after the one before", () => {
    const path = take("format-1/closed");
    const look = (db: DatabaseSync): unknown => [formatOf(db), db.prepare("SELECT note FROM meta").get()?.["note"]];
    expect(opened(path, steps.slice(0, 1), look)).toEqual([2, "two"]);
    expect(opened(path, steps, look)).toEqual([3, "two, three"]);
    expect(opened(path, steps, look)).toEqual([3, "two, three"]);
    expect(opened(path, steps, (db) => db.prepare("SELECT count(*) AS n FROM live").get()?.["n"])).toBe(2);
  });

  test("that fails leaves the store in the format before, whole", async () => {
    const path = take("format-1/open");
    const failing: Migrations = [
      (db) => {
        steps[0]!(db);
        throw new Error("no");
      },
    ];
    expect(() => opened(path, failing, formatOf)).toThrow("no");
    const store = await open(path);
    expect((await store.range("")).records).toHaveLength(2);
    await store.close();
  });

  test("that this program does not know is refused, and nothing is changed", async () => {
    const path = take("format-1/closed");
    opened(path, [...steps, () => {}], formatOf);
    await expect(open(path)).rejects.toMatchObject({
      code: "failed",
      message: expect.stringMatching(/to have format \d+ or an older one, found 4: a newer Keelson has written it/),
    });
    expect(opened(path, [...steps, () => {}], formatOf)).toBe(4);
  });
});
