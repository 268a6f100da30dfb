import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StoreError, type Store } from "../../src/storage/contract.ts";
import { openSqliteStore } from "../../src/storage/sqlite/store.ts";
import { type Random, seededRandom, systemClock } from "../../src/util/clock.ts";
import { Known, check } from "../crash/check.ts";
import { type Fault, type Run, compileFaulty, runFaulty } from "./faulty.ts";
import { amount } from "../../src/util/testing/amount.ts";

/** Every seed is one run of the writer with one fault; each kind of fault has its turn. */
const FAULTS = amount("FAULTS", 13, 52);
const SEED = Number(process.env["SEED"]);
const TRIES = 600;
/** Runs on one store before the next one is begun: some faults hit its first start only. */
const RUNS = 4;
const FOREVER = { clock: systemClock, historyMillis: Number.MAX_SAFE_INTEGER, historyMinBytes: 2 ** 50 };

/** How the process must end once it was hit. */
type Ending =
  /** Killed by the fault. */
  | "killed"
  /** The content of the disk is not known: the server says so and ends. */
  | "failed"
  /** The server continues. */
  | "goes on"
  /** Either is right: some of these calls matter, others do not. */
  | "either";

type Kind = Omit<Fault, "at"> & { readonly most: number; readonly ends: Ending };

const log = "keelson.db-wal";
const KINDS: Readonly<Record<string, Kind>> = {
  "killed before a write": { call: "write", do: "before", most: 900, ends: "killed" },
  "killed after a write": { call: "write", do: "after", most: 900, ends: "killed" },
  "killed in the middle of a write": { call: "write", do: "torn", most: 900, ends: "killed" },
  "killed before a flush": { call: "sync", do: "before", most: 40, ends: "killed" },
  "killed after a flush": { call: "sync", do: "after", most: 40, ends: "killed" },
  "killed before a file gets its name": { call: "rename", do: "before", most: 2, ends: "killed" },
  "killed after a file got its name": { call: "rename", do: "after", most: 2, ends: "killed" },
  "killed before a file is made": { call: "create", do: "before", most: 8, ends: "killed" },
  "killed after a file was removed": { call: "unlink", do: "after", most: 4, ends: "killed" },
  "a failed write of the log": { call: "write", do: "EIO", file: log, most: 800, ends: "failed" },
  "a failed flush of the log": { call: "sync", do: "EIO", file: log, most: 25, ends: "failed" },
  "a failed flush of the mark": { call: "sync", do: "EIO", file: "/revision", most: 2, ends: "failed" },
  "a failed write of the mark": { call: "write", do: "EIO", file: "/revision", most: 15, ends: "failed" },
  "a failed write of the database": { call: "write", do: "EIO", file: "keelson.db", most: 200, ends: "either" },
  "a failed flush of the database": { call: "sync", do: "EIO", file: "keelson.db", most: 1, ends: "either" },
  "any failed write": { call: "write", do: "EIO", most: 900, ends: "either" },
  "any failed flush": { call: "sync", do: "EIO", most: 40, ends: "either" },
  "a file that cannot be made": { call: "create", do: "EIO", most: 8, ends: "either" },
  "a file that cannot be given its name": { call: "rename", do: "EIO", most: 2, ends: "failed" },
  "a file that cannot be cut": { call: "truncate", do: "EIO", most: 3, ends: "either" },
  "a short write": { call: "write", do: "short", most: 900, ends: "goes on" },
  "a full disk for one write": { call: "write", do: "ENOSPC", most: 900, ends: "either" },
  "a full disk for a while": { call: "write", do: "full", file: log, count: 60, most: 800, ends: "goes on" },
  "a full disk from the start": { call: "write", do: "full", count: 1e9, most: 40, ends: "either" },
  "no room for the mark": { call: "write", do: "full", file: "/revision", count: 6, most: 10, ends: "goes on" },
  "a quota that is used up": { call: "write", do: "EDQUOT", count: 1e9, most: 900, ends: "either" },
};
const NAMES = Object.keys(KINDS);

let path: string;
let library: string | undefined;
let reason = "";
beforeAll(() => {
  path = mkdtempSync(join(tmpdir(), "keelson-calls-"));
  const compiled = compileFaulty(path);
  if (compiled.reason === undefined) ({ library } = compiled);
  else ({ reason } = compiled);
  console.log(
    library === undefined ? `no faults of calls: ${reason}` : `faults of calls: SEED=${SEED} FAULTS=${FAULTS}`,
  );
});
afterAll(() => {
  rmSync(path, { recursive: true, force: true });
  console.log(
    `faults of calls: ${hit} faults hit, ${acknowledged} acknowledged writes, ${stopped} stops, ${killed} kills`,
  );
});

let known = new Known();
let hit = 0;
let acknowledged = 0;
let stopped = 0;
let killed = 0;

function faultOf({ most, ...kind }: Kind, random: Random): Fault {
  // Early and late calls alike: the first ones are those of the start.
  return { ...kind, at: Math.max(1, Math.ceil(most ** random.next())) };
}

const MESSAGE = /I\/O|EIO|full|ENOSPC|EDQUOT|quota|No room|No space|unable to open/;

/** What is wrong with how a run ended; nothing is acknowledged once the store has said that it has failed. */
function wrongEnd({ code, signal, lines, stderr }: Run, ends: Ending): string[] {
  const wrong = stderr === "" ? [] : [stderr];
  const last = lines.findLast(({ is }) => is !== "fault");
  const ended = signal ?? code;
  const allowed = allowedEnds(
    ends,
    lines.some(({ is }) => is === "fault"),
  );
  if (!allowed.includes(ended)) wrong.push(`ended with ${ended}, expected ${allowed.join(" or ")}`);
  if (code === 0 && last?.is !== "closed") wrong.push(`ended in order after ${JSON.stringify(last)}`);
  if (code === 70 && (last?.is !== "failed" || !MESSAGE.test(last.message)))
    wrong.push(`failed with ${JSON.stringify(last)}`);
  return wrong;
}

function allowedEnds(ends: Ending, wasHit: boolean): (string | number | null)[] {
  if (!wasHit) return [0];
  if (ends === "killed") return ["SIGKILL"];
  if (ends === "either") return [0, 70];
  return ends === "failed" ? [70] : [0];
}

function count({ code, signal, lines }: Run): void {
  if (!lines.some(({ is }) => is === "fault")) return;
  hit += 1;
  if (code === 70) stopped += 1;
  if (signal !== null) killed += 1;
}

describe("whichever call fails, nothing acknowledged is lost and nothing else is there by half", () => {
  const rounds = Array.from({ length: FAULTS }, (_, i) => ({ i, name: NAMES[i % NAMES.length]!, seed: SEED + i }));
  test.for(rounds)("$i: $name (seed $seed)", { timeout: 120_000 }, async ({ i, name, seed }, { skip }) => {
    if (library === undefined) return skip(reason);
    if (i % RUNS === 0) known = new Known();
    const data = join(path, `data-${Math.floor(i / RUNS)}`);
    const kind = KINDS[name]!;
    const fault = faultOf(kind, seededRandom(seed));
    const run = runFaulty({ library, data, log: join(path, `log-${i}`), seed, round: `r${i}`, tries: TRIES, fault });
    count(run);
    expect(wrongEnd(run, kind.ends)).toEqual([]);
    const store = await openSqliteStore({ directory: data, ...FOREVER });
    try {
      acknowledged += await check(store, run.lines, known);
    } finally {
      await store.close();
    }
  });
});

/** What a store says after a call that was not carried out although it said so. @throws when it serves what is wrong */
async function afterLost(fault: Fault, seed: number): Promise<"right" | "refused"> {
  const [data, logFile] = [join(path, `lost-${seed}`), join(path, `lost-log-${seed}`)];
  const run = runFaulty({ library: library!, data, log: logFile, seed, round: "r", tries: TRIES, fault });
  let store: Store | undefined;
  try {
    store = await openSqliteStore({ directory: data, ...FOREVER });
    await check(store, run.lines, new Known());
    return "right";
  } catch (error) {
    if (error instanceof StoreError && error.code === "corrupt") return "refused";
    throw error;
  } finally {
    await store?.close();
  }
}

test(
  "a disk that says it has written and has not is found out, or has done no harm",
  { timeout: 120_000 },
  async ({ skip }) => {
    if (library === undefined) return skip(reason);
    const random = seededRandom(SEED + 5e6);
    const outcomes: string[] = [];
    for (let i = 0; i < Math.max(5, FAULTS / 10); i++) {
      const rename = i % 5 === 4;
      const fault: Fault = {
        call: rename ? "rename" : "write",
        do: "lost",
        at: rename ? 1 : 1 + Math.ceil(900 * random.next()),
      };
      outcomes.push(await afterLost(fault, SEED + i));
    }
    expect(outcomes).toContain("refused");
  },
);
