/**
 * Random histories of storage with crashes, restarts and lost answers, held against what must never be:
 * docs/reference/storage-invariants.md. `npm run soak:storage` plays a thousand.
 */
import { expect, test } from "vitest";
import { shortest } from "./finding.ts";
import { playHistory } from "./play.ts";
import { PLANTED } from "./sabotage.ts";
import { drawHistory } from "./steps.ts";
import { amount } from "../../src/util/testing/amount.ts";

const COUNT = amount("HISTORIES", 1, 4);
const FIRST = Number(process.env["SEED"] ?? 1) * 1000;

test(
  `${COUNT} histories from seed ${FIRST} on keep every invariant of storage, come to what is wanted and leave nothing`,
  { timeout: 300_000 + COUNT * 20_000 },
  async () => {
    const total = { kills: 0, failures: 0, calls: 0 };
    for (let seed = FIRST; seed < FIRST + COUNT; seed++) {
      const steps = drawHistory(seed);
      const { wrong, kills, failures, calls } = await playHistory(steps);
      if (wrong !== undefined) throw new Error(`history ${seed}: ${await shortest(steps, wrong)}`);
      total.kills += kills;
      total.failures += failures;
      total.calls += calls;
    }
    // Histories in which nothing happens prove nothing.
    expect(total.kills).toBeGreaterThanOrEqual(COUNT);
    expect(total.calls).toBeGreaterThan(5 * COUNT);
  },
);

test.each(PLANTED)("the model finds $name, and nothing without it", async ({ sabotage, steps, finds }) => {
  expect((await playHistory(steps, sabotage)).wrong).toContain(finds);
  expect((await playHistory(steps)).wrong).toBeUndefined();
});
