/**
 * Our own sidecars are explored: a driver in memory, the default scenario, and what may go wrong between them.
 *
 *     EXPLORE_SECONDS=600 EXPLORE_SEED=7 npm run unit -- test/explore/csi/own
 */
import { expect, test } from "vitest";
import { explore } from "../../../src/explore/index.ts";
import { makeJudge } from "../../../src/explore/judge/index.ts";
import { CsiLaboratory } from "../../../src/testing/explore/csi/laboratory.ts";
import { MemoryDriver } from "../../../src/testing/explore/csi/testing/memory-driver.ts";
import { memorySource } from "../../../src/testing/explore/csi/testing/memory-source.ts";
import { systemClock } from "../../../src/util/clock.ts";

const SECONDS = Number(process.env["EXPLORE_SECONDS"] ?? 0);
const SEED = Number(process.env["EXPLORE_SEED"] ?? 1);
/** The most telling plans, where no time is given. */
const PLANS = 8;

test("our sidecars have no fault that exploring finds", { timeout: SECONDS * 2000 + 240_000 }, async () => {
  const source = memorySource((storage) => new MemoryDriver("memory.csi.example", storage));
  await using laboratory = await CsiLaboratory.of({ source });
  const { findings, plans, notices } = await explore(laboratory, (clean) => makeJudge(clean, laboratory.ignored), {
    clock: systemClock,
    origin: { scenario: { name: laboratory.scenario.name }, versions: { keelson: "", node: "", platform: "" } },
    seed: SEED,
    ...(SECONDS > 0 ? { budgetMillis: SECONDS * 1000 } : { plans: PLANS }),
  });
  expect(findings.map(({ fault, plan }) => [fault.sentence, plan])).toEqual([]);
  expect(plans).toBeGreaterThanOrEqual(SECONDS > 0 ? 1 : PLANS);
  if (SECONDS > 0) process.stdout.write(`${plans} plans, ${notices.length} notices, seed ${SEED}\n`);
});
