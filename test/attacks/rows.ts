/**
 * Attacks as rows of a table: each is played against a server with a meter inside and a healthy client beside, and what
 * it did is kept for the page of figures.
 *
 * @module
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAX_SLICE_MS, expectNotLong, isLongSlice } from "../../src/util/testing/slices.ts";
import { type Http2Client, Scratch } from "../serve/keelson.ts";
import { type Bounds, type RowResult, keep } from "./results.ts";
import { Target, type TargetOptions } from "./target.ts";
import { amount, sampled } from "../../src/util/testing/amount.ts";

/** How many hold connections. */
export const ATTACKERS: number = amount("ATTACKERS", 200, 500);

/** Whether the long form is played: that of `npm run attacks`. */
export const LONG: boolean = ATTACKERS > 1000;

/** Whether the short form is played: that of the usual run. */
export const SHORT: boolean = ATTACKERS < 500;

/** One of so many in the short form, chosen by `SEED`; all in the others. */
export const someOf = <T>(cases: readonly T[], oneOf: number): readonly T[] => (SHORT ? sampled(cases, oneOf) : cases);

const BOUNDS: Bounds = { turnMillis: MAX_SLICE_MS, peakMiB: 150, keptMiB: 20 };

/** What a row is played with. */
export interface Attack {
  readonly target: Target;
  /** A client with a credential and a connection of its own. */
  readonly client: Http2Client;
}

/** One attack. */
export interface Row {
  /** What is sent. */
  readonly name: string;
  readonly play: (attack: Attack) => Promise<void>;
  /** Where they are others than usual. */
  readonly bounds?: Partial<Bounds>;
}

const TRIES = 3;
/** How long the healthy client waits after every three requests. */
const HEALTHY_PAUSE_MS = SHORT ? 25 : 5;
const MIB = 1 << 20;

/** Plays rows one after the other, against one server. */
export function attacks(title: string, file: string, rows: readonly Row[], options: TargetOptions = {}): void {
  // Resident memory is read from /proc.
  describe.skipIf(process.platform !== "linux")(`attacks: ${title}`, () => {
    const scratch = new Scratch();
    const results: RowResult[] = [];
    let target: Target;
    beforeAll(async () => {
      target = await Target.start(scratch.fresh(), options);
      // What is compiled and made once is there.
      await (await target.healthy(0, 50)).stop();
    });
    afterAll(async () => {
      await target.stop();
      scratch.remove();
      keep({ title, file, long: LONG, day: new Date().toISOString().slice(0, 10), rows: results });
    });

    test.each(rows)("$name", { timeout: LONG ? 600_000 : 120_000 }, async (row) => {
      const bounds = { ...BOUNDS, ...row.bounds };
      let result = await playRow(target, row, bounds);
      // A collection of garbage falls into some turn of most.
      for (let i = 1; i < TRIES && isLongSlice(result.turnMillis, bounds.turnMillis); i++) {
        result = await playRow(target, row, bounds);
      }
      results.push(result);
      // The server runs on the machine of this process.
      expectNotLong(result.turnMillis, bounds.turnMillis);
      expect(result.peakMiB).toBeLessThan(bounds.peakMiB);
      expect(result.keptMiB).toBeLessThan(bounds.keptMiB);
      expect(result.healthyMillis).toBeLessThan(bounds.healthyMillis ?? Infinity);
    });
  });
}

async function playRow(target: Target, { name, play }: Row, bounds: Bounds): Promise<RowResult> {
  const before = await target.memory();
  const healthy = await target.healthy(HEALTHY_PAUSE_MS);
  const client = await target.connect();
  await target.turn();
  const peak = new Peak(target);
  try {
    await play({ target, client });
  } finally {
    peak.stop();
    client.session.destroy();
    await healthy.stop();
  }
  const turnMillis = await target.turn();
  expect(healthy.troubles).toEqual([]);
  const used = await usedAfter(target, before.used + bounds.keptMiB * MIB);
  return {
    name,
    bounds,
    turnMillis,
    peakMiB: Math.max(0, peak.highest - before.rss / MIB),
    keptMiB: (used - before.used) / MIB,
    healthyMillis: healthy.p99,
  };
}

/**
 * What a server uses when an attack is over, in bytes. What is kept is kept for good: a connection that closes at this
 * moment gives its memory back in one of the next turns.
 */
async function usedAfter(target: Target, most: number): Promise<number> {
  let { used } = await target.memory();
  for (let i = 0; i < 20 && used >= most; i++) {
    await sleep(100);
    ({ used } = await target.memory());
  }
  return used;
}

/** The highest resident memory of a server during some work. */
class Peak {
  readonly #target: Target;
  readonly #timer: NodeJS.Timeout;
  /** In MiB. */
  highest = 0;

  constructor(target: Target) {
    this.#target = target;
    this.#timer = setInterval(() => this.#look(), 50);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    this.highest = Math.max(this.highest, this.#target.keelson.residentMiB);
  }
}

/** Waits until something is so, at most ten seconds; whether it is. */
export async function becomes(holds: () => boolean): Promise<boolean> {
  for (let i = 0; i < 1000 && !holds(); i++) await sleep(10);
  return holds();
}
