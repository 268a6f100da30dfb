/**
 * Our own sidecars are explored: a driver in memory, the default scenario, and what may go wrong between them.
 *
 *     EXPLORE_SECONDS=600 EXPLORE_SEED=7 npm run unit -- test/explore/csi/own
 */
import { expect, test } from "vitest";
import { explore } from "../../../src/explore/index.ts";
import { makeJudge } from "../../../src/explore/judge/index.ts";
import { CsiLaboratory } from "../../../src/testing/explore/csi/laboratory.ts";
import { MemoryDriver } from "../../../src/testing/explore/csi/memory-driver.ts";
import { memorySource } from "../../../src/testing/explore/csi/subject.ts";
import { systemClock } from "../../../src/util/clock.ts";

const SECONDS = Number(process.env["EXPLORE_SECONDS"] ?? 15);
const SEED = Number(process.env["EXPLORE_SEED"] ?? 1);
const NOWHERE = { scenario: { name: "volumes" }, versions: { keelson: "", node: "", platform: "" } };

test("our sidecars have no fault that exploring finds", { timeout: SECONDS * 2000 + 60_000 }, async () => {
  const source = memorySource((storage) => new MemoryDriver("memory.csi.example", storage));
  await using laboratory = await CsiLaboratory.of({ source });
  const { findings, plans, ended, notices } = await explore(
    laboratory,
    (clean) => makeJudge(clean, laboratory.ignored),
    {
      clock: systemClock,
      origin: NOWHERE,
      seed: SEED,
      budgetMillis: SECONDS * 1000,
      onProgress: ({ finding, plans: n, left }) => {
        if (finding)
          console.log(
            n,
            left,
            finding.fault.sentence,
            JSON.stringify(finding.plan),
            JSON.stringify(finding.fault),
            finding.steps,
            finding.replayed,
          );
      },
    },
  );
  console.log(plans, ended, notices.length);
  expect(plans).toBeGreaterThan(0);
  expect(findings.map(({ fault, plan }) => [fault.sentence, plan])).toEqual([]);
});
