import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { seededRandom, systemClock } from "../../util/clock.ts";
import { StoreError } from "../contract.ts";
import type { Write } from "../contract.ts";
import { checkStore } from "./check.ts";
import { isDamage } from "./errors.ts";
import { History } from "./history.ts";
import { type OpenedStore, openTrusted } from "./open.ts";
import { type Chunk, Reader } from "./reader.ts";
import { unpackEvents, unpackRecords } from "./records.ts";
import { openSqliteStore } from "./store.ts";
import { temporaryDirectory } from "./testing/directory.ts";
import { amount } from "../../util/testing/amount.ts";

/** How many single bits are tried, spread over the file; `all` takes minutes. */
const FLIPS = process.env["FLIPS"] ?? String(amount("FLIPS", 80, 500));
const SEED = Number(process.env["SEED"]);
const OPTIONS = { directory: "", historyMillis: 1e12, historyMaxShare: 1, historyMinBytes: 1e9, maxBytes: Infinity };

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

type State = Map<string, string>;

interface Written {
  /** What was there after each revision. */
  readonly states: State[];
  readonly compacted: number;
}

/** A store of a few pages that has everything: updates, deletes, a history that was cut. */
async function fill(): Promise<Written> {
  const store = await openSqliteStore({ directory: directory.path, clock: systemClock });
  const states: State[] = [new Map()];
  const put = async (write: Write): Promise<void> => {
    const revision = await store.write(write);
    const state = new Map(states.at(-1));
    if (write.type === "delete") state.delete(write.key);
    else state.set(write.key, `${Buffer.from(write.value).toString()}@${revision}`);
    states[revision] = state;
  };
  const revisionOf = (key: string): number => Number(states.at(-1)!.get(key)!.split("@")[1]);
  const value = (text: string): Buffer => Buffer.from(text.repeat(5));
  for (let i = 0; i < 12; i++) {
    await put({ type: "create", key: `${i < 6 ? "k" : "l"}/000${i % 6}`, value: value(`first ${i} `) });
  }
  for (const key of ["k/0001", "l/0005", "k/0003"]) {
    await put({ type: "update", key, value: value("second "), expected: revisionOf(key) });
  }
  await put({ type: "delete", key: "k/0002", value: value("first 2 "), expected: revisionOf("k/0002") });
  await store.compact(store.revision - 2);
  for (const key of ["k/0001", "l/0000"]) {
    await put({ type: "update", key, value: value("third "), expected: revisionOf(key) });
  }
  await put({ type: "delete", key: "l/0000", value: value("third "), expected: revisionOf("l/0000") });
  const { compactedRevision } = await store.stats();
  await store.close();
  return { states, compacted: compactedRevision };
}

/** What `read` answers, undefined when the store refuses it. */
function orRefusal<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof StoreError || isDamage(error)) return undefined;
    throw error;
  }
}

function recordsOf({ packer }: Chunk): State {
  const { buffer, rows } = packer.finish();
  return new Map(
    unpackRecords(buffer, rows).map(({ key, value, revision }) => [
      key,
      `${Buffer.from(value).toString()}@${revision}`,
    ]),
  );
}

const within = (state: State, prefix: string): State => new Map([...state].filter(([key]) => key.startsWith(prefix)));
const show = (state: State): string => JSON.stringify([...state].toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** What a store says that is not true; undefined when it refuses to open. */
function lies({ states, compacted }: Written): string[] | undefined {
  let opened: OpenedStore;
  try {
    opened = openTrusted(directory.path);
  } catch (error) {
    if (error instanceof StoreError && (error.code === "corrupt" || /newer Keelson/.test(error.message)))
      return undefined;
    return [`refused with ${String(error)}`];
  }
  const { db, ledger, mark, gap } = opened;
  try {
    return (
      orRefusal(() => {
        new History(db, ledger, OPTIONS, () => Infinity).forgetThrough(gap, 0);
        return [...wrongReads(new Reader(db, ledger), states, compacted)];
      }) ?? []
    );
  } finally {
    mark.release();
    db.close();
  }
}

function* wrongReads(reader: Reader, states: readonly State[], compacted: number): Generator<string> {
  const newest = states.length - 1;
  for (const prefix of ["", "k/", "l/", "k/0003"]) {
    for (let revision = compacted; revision <= newest; revision++) {
      const request = { type: "range", id: 1, prefix, start: undefined, limit: 1e9, revision } as const;
      const found = orRefusal(() => recordsOf(reader.range(request).next()));
      const expected = within(states[revision]!, prefix);
      if (found && show(found) !== show(expected)) yield `range ${prefix} at ${revision}: ${show(found)}`;

      const events = orRefusal(() => eventsOf(reader.log(prefix, revision)));
      if (events && events !== changes(states, prefix, revision)) yield `log ${prefix} after ${revision}: ${events}`;
    }
  }
  for (const key of [...states.at(-1)!.keys(), "k/0002", "l/0000"]) {
    const found = orRefusal(() => recordsOf(reader.get(key)));
    if (found && found.get(key) !== states.at(-1)!.get(key)) yield `get ${key}: ${show(found)}`;
  }
}

function eventsOf({ packer }: Chunk): string {
  const { buffer, rows } = packer.finish();
  return unpackEvents(buffer, rows)
    .map(({ type, key, revision }) => `${type} ${key}@${revision}`)
    .join();
}

/** The events that lead from one state to the next, until the newest. */
function changes(states: readonly State[], prefix: string, after: number): string {
  const result: string[] = [];
  for (let revision = after + 1; revision < states.length; revision++) {
    const [before, now] = [states[revision - 1]!, states[revision]!];
    const key = [...new Set([...before.keys(), ...now.keys()])].find((name) => before.get(name) !== now.get(name))!;
    if (key.startsWith(prefix)) result.push(`${now.has(key) ? "put" : "delete"} ${key}@${revision}`);
  }
  return result.join();
}

function* bitsOf(size: number): Generator<number> {
  const step = FLIPS === "all" ? 1 : Math.max(1, Math.floor((size * 8) / Number(FLIPS)));
  const random = seededRandom(SEED);
  for (let bit = 0; bit < size * 8; bit += step) yield bit + Math.floor(random.next() * step);
}

test(
  "whichever single bit is flipped, whatever is read is what was written or is refused",
  { timeout: FLIPS === "all" ? 3_600_000 : 120_000 },
  async () => {
    const written = await fill();
    const file = join(directory.path, "keelson.db");
    const mark = readFileSync(join(directory.path, "revision"));
    const content = readFileSync(file);
    const found: string[] = [];
    let refused = 0;
    for (const bit of bitsOf(content.length)) {
      const damaged = Buffer.from(content);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      // A new file each time: SQLite's locks belong to a file, and this process has had the one before open.
      for (const suffix of ["", "-wal", "-journal"]) rmSync(file + suffix, { force: true });
      writeFileSync(file, damaged);
      writeFileSync(join(directory.path, "revision"), mark);
      const wrong = lies(written);
      if (wrong === undefined) refused += 1;
      else found.push(...wrong.map((what) => `bit ${bit & 7} of byte ${bit >> 3}: ${what}`));
      if (wrong === undefined && (await checkStore(directory.path)).findings.length === 0)
        found.push(`check is content with bit ${bit}`);
    }
    expect(found).toEqual([]);
    expect(refused).toBeGreaterThan(0);
  },
);
