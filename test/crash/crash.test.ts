import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store, StoreEvent } from "../../src/storage/contract.ts";
import { openSqliteStore } from "../../src/storage/sqlite/store.ts";
import { seededRandom, systemClock } from "../../src/util/clock.ts";
import { idOf } from "./plan.ts";
import type { Line } from "./plan.ts";

const ROUNDS = Number(process.env["ROUNDS"] ?? 3);
const SEED = Number(process.env["SEED"] ?? Math.floor(performance.timeOrigin % 1e9));
const WRITER = new URL("./writer.ts", import.meta.url).pathname;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "keelson-crash-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs the writer for a while and kills it; what its log says it tried and was told. */
async function runAndKill(round: number, seed: number, millis: number): Promise<Line[]> {
  const logFile = join(directory, `log-${round}`);
  const args = [WRITER, join(directory, "data"), logFile, String(seed), String(round)];
  const writer = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(writer.stdout, "data");
  await new Promise((resolve) => setTimeout(resolve, millis));
  writer.kill("SIGKILL");
  const [code, signal] = await once(writer, "exit");
  expect({ code, signal }).toEqual({ code: null, signal: "SIGKILL" });
  const lines = readFileSync(logFile, "utf8").split("\n");
  // The last line may be cut off.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Line);
}

/** What is known of the store from the rounds so far. */
class Known {
  revision = 0;
  readonly live = new Map<string, { id: string; revision: number }>();

  apply({ type, key, value, revision }: StoreEvent): void {
    if (type === "delete") this.live.delete(key);
    else this.live.set(key, { id: idOf(value), revision });
    this.revision = revision;
  }
}

/** Every change after a revision; a killed store goes on with a gap, so their number does not tell when that is all. */
function eventsAfter(store: Store, after: number): Promise<StoreEvent[]> {
  const events: StoreEvent[] = [];
  return new Promise((resolve, reject) => {
    store.watch("", after, {
      events: (batch) => void events.push(...batch),
      progress: (revision) => revision >= store.revision && resolve(events),
      ended: reject,
    });
  });
}

/** Compares what the store holds after a crash with what its writer was told, and adds it to what is known. */
async function check(store: Store, lines: readonly Line[], known: Known): Promise<number> {
  const tries = new Map(lines.flatMap((line) => (line.is === "try" ? [[line.id, line]] : [])));
  const refused = new Set(lines.flatMap((line) => (line.is === "refused" ? [line.id] : [])));
  const acknowledged = new Map(lines.flatMap((line) => (line.is === "ok" ? [[line.revision, line.id]] : [])));
  const before = known.revision;
  expect(lines[0]).toEqual({ is: "open", revision: before });
  expect(store.revision).toBeGreaterThanOrEqual(Math.max(before, ...acknowledged.keys()));

  const events = await eventsAfter(store, before);
  const seen = new Set<string>();
  for (const [i, event] of events.entries()) {
    const id = idOf(event.value);
    const tried = tries.get(id);
    expect(event.revision).toBe(before + 1 + i);
    expect(tried).toMatchObject({ key: event.key, expected: event.previousRevision });
    expect(event.type).toBe(tried!.type === "delete" ? "delete" : "put");
    expect(event.previousRevision).toBe(known.live.get(event.key)?.revision ?? 0);
    expect([refused.has(id), seen.has(id)]).toEqual([false, false]);
    expect(acknowledged.get(event.revision) ?? id).toBe(id);
    seen.add(id);
    known.apply(event);
  }
  for (const id of acknowledged.values()) expect(seen.has(id), `acknowledged write ${id} is there`).toBe(true);

  const { records } = await store.range("");
  // What the store does not have any more may have been seen: its revisions are not used again.
  const tried = lines.filter((line) => line.is === "try").length;
  expect(store.revision).toBeGreaterThanOrEqual(before + tried);
  known.revision = store.revision;
  const found = new Map(records.map(({ key, value, revision }) => [key, { id: idOf(value), revision }]));
  expect(found).toEqual(known.live);
  return acknowledged.size;
}

test(
  `killed ${ROUNDS} times under load, nothing acknowledged is lost and nothing else is there by half`,
  { timeout: 60_000 + ROUNDS * 10_000 },
  async () => {
    console.log(`crash test: SEED=${SEED} ROUNDS=${ROUNDS}`);
    const random = seededRandom(SEED);
    const known = new Known();
    let total = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const lines = await runAndKill(round, Math.floor(random.next() * 1e9), 50 + random.next() * 1000);
      const store = await openSqliteStore({
        directory: join(directory, "data"),
        clock: systemClock,
        historyMillis: Number.MAX_SAFE_INTEGER,
        historyMinBytes: Number.MAX_SAFE_INTEGER,
      });
      total += await check(store, lines, known);
      await store.close();
    }
    console.log(`crash test: ${total} acknowledged writes, ${ROUNDS} kills, revision ${known.revision}`);
    expect(total).toBeGreaterThan(ROUNDS * 10);
  },
);
