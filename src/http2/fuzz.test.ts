/**
 * Connections with random steps: a model of the RFCs checks each byte.
 *
 * `STEPS=10000000 SEED=random npm run unit -- src/http2/fuzz` runs more of them.
 */
import { expect, test } from "vitest";
import { shrink } from "../util/testing/shrink.ts";
import { type Outcome, drawRun, playRun } from "./testing/draw-run.ts";
import { FOUND } from "./testing/found.ts";
import { show, simpler } from "./testing/steps.ts";
import { amount } from "../util/testing/amount.ts";

/** Steps in the normal run, and in the long form of the attacks. */
const STEPS = amount("STEPS", Number(process.env["ATTACKERS"] ?? 0) > 1000 ? 3_000_000 : 30_000, 200_000);
/** Runs of one seed have seeds of their own, far from those of the next. */
const FIRST = Number(process.env["SEED"]) * 1_000_000;

test.each(FOUND)("$name", async (found) => {
  expect(await playRun(found)).toBeUndefined();
});

test(`${STEPS} random steps on connections`, { timeout: 1_800_000 }, async () => {
  let steps = 0;
  for (let seed = FIRST; steps < STEPS; seed++) {
    const outcome = await drawRun(seed);
    steps += outcome.steps.length;
    if (outcome.violation !== undefined) throw new Error(`seed ${seed}: ${await explained(outcome)}`);
  }
  expect(steps).toBeGreaterThanOrEqual(STEPS);
});

/** The violation, and the shortest steps that show it, in the form of `testing/found.ts`. */
async function explained({ options, steps, violation }: Outcome): Promise<string> {
  const kindOf = (text: string | undefined): string | undefined => text?.replaceAll(/\d+/g, "#").slice(0, 80);
  const least = await shrink(
    steps,
    async (some) => kindOf(await playRun({ options, steps: some })) === kindOf(violation),
    simpler,
  );
  return `${violation}\n${JSON.stringify(options)}\n${least.map((step) => `${show(step)},\n`).join("")}`;
}
