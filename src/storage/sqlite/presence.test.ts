import { mkdirSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualClock, systemClock } from "../../util/clock.ts";
import { Presence } from "./presence.ts";
import { DATABASE_FILE, connect } from "./schema.ts";
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

test.for(Object.keys(FAULTS))(
  "when %s while there are no writes, the store detects it after a second",
  async (fault) => {
    const clock = new ManualClock(0);
    const store = await openSqliteStore({ directory, clock });
    await store.write({ type: "create", key: "a", value: Buffer.from("v") });
    FAULTS[fault]!();
    clock.advance(1000);
    expect((await store.failed).cause).toMatchObject({ code: "gone" });
    await store.close();
  },
);

describe("while the store writes", () => {
  const logFile = (): string => join(directory, `${DATABASE_FILE}-wal`);
  /** A database whose log has some frames that have been seen, in use by what may be written now. */
  function opened(): { presence: Presence; write: () => void; [Symbol.dispose](): void } {
    mkdirSync(directory);
    const db = connect(join(directory, DATABASE_FILE));
    db.exec("CREATE TABLE t (i INTEGER)");
    const write = (): void => db.exec("INSERT INTO t VALUES (1)");
    write();
    const presence = new Presence(directory);
    return {
      presence,
      write,
      [Symbol.dispose]: () => {
        presence[Symbol.dispose]();
        db.close();
      },
    };
  }

  test.each([0, 32, 4152, 5000])(
    "a log that is cut off to %i bytes after its last check is not taken as it is",
    (bytes) => {
      using on = opened();
      on.presence.check();
      on.write();
      truncateSync(logFile(), bytes);
      expect(() => on.presence.note(0, true)).toThrow(/at least \d+ bytes, found/);
    },
  );

  test.each([0, 32, 4152, 5000])("a log that is cut off to %i bytes and written to again has a hole", (bytes) => {
    using on = opened();
    const before = statSync(logFile()).size;
    truncateSync(logFile(), bytes);
    on.write();
    expect(statSync(logFile()).size).toBeGreaterThan(before);
    expect(() => on.presence.note(0, true)).toThrow(/found a hole/);
  });

  test("a log that the store has moved may be as short as it likes, and has frames again when it is written to", () => {
    using on = opened();
    truncateSync(logFile());
    on.presence.note(1, false);
    on.presence.check();
    expect(() => on.presence.note(1, true)).toThrow(/at least 1 bytes, found 0/);
  });
});
