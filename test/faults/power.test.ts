import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSqliteStore } from "../../src/storage/sqlite/store.ts";
import { seededRandom, systemClock } from "../../src/util/clock.ts";
import { Known, check } from "../crash/check.ts";
import type { Line } from "../crash/plan.ts";
import { compileFaulty, runFaulty } from "./faulty.ts";
import { type Call, logBefore, readTrace, writeImage } from "./trace.ts";
import { amount } from "../../src/util/testing/amount.ts";

const FAULTS = amount("FAULTS", 8, 40);
const SEED = Number(process.env["SEED"]);
/** All history is kept: the test reads it back. */
const FOREVER = { clock: systemClock, historyMillis: Number.MAX_SAFE_INTEGER, historyMinBytes: 2 ** 50 };

let path: string;
let calls: Call[] = [];
let reason: string | undefined;
beforeAll(() => {
  path = mkdtempSync(join(tmpdir(), "keelson-power-"));
  const compiled = compileFaulty(path);
  ({ reason } = compiled);
  console.log(reason === undefined ? `power cuts: SEED=${SEED} FAULTS=${FAULTS}` : `no power cuts: ${reason}`);
  if (compiled.reason === undefined) calls = recorded(compiled.library);
});
afterAll(() => rmSync(path, { recursive: true, force: true }));

/** All calls of a writer from the first start of a store until its end in order. */
function recorded(library: string): Call[] {
  const [data, log, trace] = [join(path, "data"), join(path, "log"), join(path, "trace")];
  const run = runFaulty({ library, data, log, seed: SEED, round: "r", tries: 1000, trace });
  expect(run).toMatchObject({ code: 0 });
  return readTrace(trace);
}

/** Cuts the power before a call, and holds what is left against what was acknowledged until then. */
async function cutPower(of: readonly Call[], cut: number, seed: number): Promise<number> {
  const directory = join(path, `image-${seed}`);
  writeImage(of, cut, seededRandom(seed), directory);
  const lines = logBefore(calls, cut).split("\n").slice(0, -1);
  const store = await openSqliteStore({ directory, ...FOREVER });
  try {
    return await check(
      store,
      lines.map((line) => JSON.parse(line) as Line),
      new Known(),
    );
  } finally {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

describe("after a power cut at any moment, all that was acknowledged is there and nothing else by half", () => {
  test.for(Array.from({ length: FAULTS }, (_, i) => SEED + i))(
    "seed %i",
    { timeout: 120_000 },
    async (seed, { skip }) => {
      if (reason !== undefined) return skip(reason);
      const cut = Math.floor(seededRandom(seed + 1e6).next() * (calls.length + 1));
      expect(await cutPower(calls, cut, seed)).toBeGreaterThanOrEqual(0);
    },
  );
});

test("the same test finds out a disk that says it has flushed and has not", { timeout: 120_000 }, async ({ skip }) => {
  if (reason !== undefined) return skip(reason);
  const lying = calls.map((call): Call => (call.is === "sync" ? { is: "ack", bytes: Buffer.alloc(0) } : call));
  const cuts = Array.from({ length: 10 }, (_, i) => Math.floor((calls.length * (i + 3)) / 14));
  const results = await Promise.allSettled(cuts.map((cut, i) => cutPower(lying, cut, SEED + 1e7 + i)));
  expect(results.filter(({ status }) => status === "rejected").length).toBeGreaterThan(7);
});
