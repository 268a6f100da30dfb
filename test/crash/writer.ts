/**
 * The process that the crash test kills: many writers on few keys of an embedded store, with single writes and
 * transactions, until it is killed, the store fails, or all tries are used up.
 *
 *     node writer.ts <data directory> <log file> <seed> <name of this round> [tries]
 *
 * Ends with 0 when it has closed the store, with 70 when the store has failed.
 */
import { openSync, writeSync } from "node:fs";
import { StoreError } from "../../src/storage/contract.ts";
import type { Write } from "../../src/storage/contract.ts";
import { openSqliteStore } from "../../src/storage/sqlite/store.ts";
import { seededRandom, systemClock } from "../../src/util/clock.ts";
import { valueOf } from "./plan.ts";
import type { Line } from "./plan.ts";

const WRITERS = 32;
const KEYS = 80;

const [directory = "", logFile = "", seed = "1", round = "", most = "Infinity"] = process.argv.slice(2);
const tries = Number(most);
const random = seededRandom(Number(seed));
const log = openSync(logFile, "a");
const note = (line: Line): void => {
  writeSync(log, `${JSON.stringify(line)}\n`);
};

// All history is kept unless this process compacts it: the test reads it back.
const forever = { historyMillis: Number.MAX_SAFE_INTEGER, historyMinBytes: Number.MAX_SAFE_INTEGER };
const fail =
  (at: "open" | "run" | "close") =>
  ({ message }: Error): never => {
    note({ is: "failed", at, message });
    process.exit(70);
  };
const store = await openSqliteStore({ directory, clock: systemClock, ...forever }).catch(fail("open"));
void store.failed.then(fail("run"));
const opened = store.revision;
note({ is: "open", revision: opened });
console.log("open");

const revisions = new Map((await store.range("")).records.map((record) => [record.key, record.revision]));
store.watch("", store.revision, {
  events(batch) {
    for (const { type, key, revision } of batch) {
      if (type === "delete") revisions.delete(key);
      else revisions.set(key, revision);
    }
  },
  ended() {},
});

let count = 0;
async function writer(): Promise<void> {
  while (count < tries) {
    count += 1;
    const first = `${round}.${count}`;
    const keys = new Set(Array.from({ length: random.next() < 0.7 ? 1 : 4 }, randomKey));
    const tried = [...keys].map((key, i) => nextWrite(i === 0 ? first : `${round}.${(count += 1)}`, key));
    for (const { id, expected, write } of tried) {
      const { type, key } = write;
      note({ is: "try", id, type, key, expected, ...(tried.length > 1 ? { of: first } : {}) });
    }
    const writes = tried.map(({ write }) => write);
    try {
      const given = writes.length > 1 ? await store.transact(writes) : [await store.write(writes[0]!)];
      for (const [i, { id }] of tried.entries()) note({ is: "ok", id, revision: given[i]! });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      for (const { id } of tried) note({ is: "refused", id, code: error.code });
    }
  }
}

const randomKey = (): string => `k/${Math.floor(random.next() * KEYS)}`;

function nextWrite(id: string, key: string) {
  const value = valueOf(id, random);
  const expected = revisions.get(key) ?? 0;
  const type = expected === 0 ? "create" : random.next() < 0.15 ? "delete" : "update";
  const write: Write = type === "create" ? { type, key, value } : { type, key, value, expected };
  return { id, expected, write };
}

/** Forgets, while the writers write, what the test has already seen of the rounds before. */
async function compactor(): Promise<void> {
  for (let revision = 0; revision < opened;) {
    revision = Math.min(opened, revision + Math.ceil(random.next() * 400));
    await store.compact(revision).catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
    });
  }
}

await Promise.all([compactor(), ...Array.from({ length: WRITERS }, writer)]);
await store.close().catch(fail("close"));
note({ is: "closed" });
