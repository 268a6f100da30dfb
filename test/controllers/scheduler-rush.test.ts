/** Pods that come at once, under random schedules. */
import { expect, test } from "vitest";
import { playRush } from "./model/rush.ts";
import { amount } from "../../src/util/testing/amount.ts";

const COUNT = amount("SCHEDULES", 5, 20);
const FIRST = Number(process.env["SEED"]) * 100_000;

test(
  `SCHED-4, SCHED-35: in ${COUNT} schedules no volume is allocated twice, no node gets too much, and no Pod that fits waits`,
  { timeout: 60_000 + COUNT * 3000 },
  async () => {
    let all = 0;
    for (let i = 0; i < COUNT; i++) {
      const { troubles, placed } = await playRush(FIRST + i);
      expect(troubles).toEqual([]);
      all += placed;
    }
    expect(all).toBeGreaterThan(COUNT * 3);
  },
);
