import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSqliteStore } from "../../src/storage/sqlite/store.ts";
import { seededRandom, systemClock } from "../../src/util/clock.ts";
import { Known, check, linesOf } from "./check.ts";
import type { Line } from "./plan.ts";
import { amount } from "../../src/util/testing/amount.ts";

const ROUNDS = amount("ROUNDS", 3, 10);
const SEED = Number(process.env["SEED"]);
const WRITER = new URL("./writer.ts", import.meta.url).pathname;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "keelson-crash-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs the writer for a while and kills it; returns the writes and results in its log. */
async function runAndKill(round: number, seed: number, millis: number): Promise<Line[]> {
  const logFile = join(directory, `log-${round}`);
  const args = [WRITER, join(directory, "data"), logFile, String(seed), String(round)];
  const writer = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(writer.stdout, "data");
  await new Promise((resolve) => setTimeout(resolve, millis));
  writer.kill("SIGKILL");
  const [code, signal] = await once(writer, "exit");
  expect({ code, signal }).toEqual({ code: null, signal: "SIGKILL" });
  return linesOf(logFile);
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
