/**
 * The agent of a node is explored: Pods that share a volume, a driver that judges who calls it, and what may go wrong between them.
 *
 *     EXPLORE_SECONDS=600 EXPLORE_SEED=7 npm run unit -- test/explore/csi/agent
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RequestPoint } from "../../../src/explore/contract/plan.ts";
import { explore } from "../../../src/explore/index.ts";
import { makeJudge } from "../../../src/explore/judge/index.ts";
import { systemClock } from "../../../src/util/clock.ts";
import { ACTOR, AgentLaboratory } from "./agent-laboratory.ts";

const SECONDS = Number(process.env["EXPLORE_SECONDS"] ?? 0);
const SEED = Number(process.env["EXPLORE_SEED"] ?? 1);
/** The most telling plans, where no time is given. */
const PLANS = 5;

let laboratory: AgentLaboratory;
beforeAll(async () => {
  laboratory = await AgentLaboratory.of();
});
afterAll(() => laboratory[Symbol.asyncDispose]());

test("an agent that is killed during a call goes on with what is on disk", { timeout: 60_000 }, async () => {
  const at: RequestPoint = {
    actor: ACTOR,
    protocol: "csi",
    verb: "NodePublishVolume",
    group: "csi",
    kind: "Volume",
    name: "disk",
    occurrence: 0,
  };
  const { complaints, met, trace } = await laboratory.run({
    seed: 1,
    plan: [{ type: "crash", at, when: "after", downMillis: 1000 }],
  });
  expect([complaints, met]).toEqual([[], [true]]);
  const calls = trace.flatMap((one) =>
    one.type === "request" && one.protocol === "csi" && one.verb.endsWith("Volume")
      ? [[one.verb.slice("Node".length, -"Volume".length), one.life, one.code] as const]
      : [],
  );
  expect(calls.slice(0, 2)).toEqual([
    ["Stage", 0, 0],
    ["Publish", 0, undefined],
  ]);
  // The next one does again what it does not know to be done, and all of it is undone in the end.
  expect(calls.slice(2).every(([, life, code]) => life === 1 && code === 0)).toBe(true);
  expect(calls.map(([verb]) => verb).slice(-2)).toEqual(["Unpublish", "Unstage"]);
});

test("the agent has no fault that exploring finds", { timeout: SECONDS * 2000 + 240_000 }, async () => {
  const { findings, plans, notices } = await explore(laboratory, (clean) => makeJudge(clean), {
    clock: systemClock,
    origin: { scenario: { name: laboratory.scenario.name }, versions: { keelson: "", node: "", platform: "" } },
    seed: SEED,
    ...(SECONDS > 0 ? { budgetMillis: SECONDS * 1000 } : { plans: PLANS }),
  });
  expect(findings.map(({ fault, plan }) => [fault.sentence, plan])).toEqual([]);
  expect(plans).toBeGreaterThanOrEqual(SECONDS > 0 ? 1 : PLANS);
  if (SECONDS > 0) process.stdout.write(`${plans} plans, ${notices.length} notices, seed ${SEED}\n`);
});
