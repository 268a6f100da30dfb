/** Deployments against a model, under random histories. */
import { expect, test } from "vitest";
import type { Transport } from "../../src/client/index.ts";
import { deploymentRollout } from "../../src/controllers/workloads/deployment.ts";
import { replicaSets } from "../../src/controllers/workloads/replicas.ts";
import { amount, sampled } from "../../src/util/testing/amount.ts";
import { World } from "../runtime/world.ts";
import { playRollout } from "./model/rollouts.ts";
import { WorkloadHands } from "./model/workload-hands.ts";

const COUNT = amount("SCHEDULES", 8, 200);
const FIRST = Number(process.env["SEED"]) * 100_000;

test(
  `WL-DEP-8, WL-DEP-11, WL-DEP-14: in ${COUNT} histories there are never more than surge permits nor fewer available, and all end well`,
  { timeout: 60_000 + COUNT * 3000 },
  async () => {
    for (let i = 0; i < COUNT; i++) expect(await playRollout(FIRST + i)).toEqual([]);
  },
);

/** What a rollout, a change of the size on the way and a way back leave, without times and names by chance. */
async function leftAfter(through: (transport: Transport, die: () => void) => Transport): Promise<string> {
  await using world = await World.create();
  const hands = new WorkloadHands(world);
  const controllers = [deploymentRollout, replicaSets];
  let next = 1;
  const begin = async (wrapped: (transport: Transport) => Transport): Promise<void> => {
    const client = world.cluster.client("manager").with({ through: wrapped });
    const manager = world.manager({ client, seed: next++ }).add(...controllers);
    dead = () => manager.crash();
    await manager.start();
  };
  let dead = (): void => {};
  let hasDied = false;
  await begin((transport) =>
    through(transport, () => {
      hasDied = true;
      dead();
    }),
  );
  /** The next leader sees the lease some seconds later. */
  const goOn = async (): Promise<void> => {
    for (let round = 0; round < 2; round++) {
      await world.settled();
      if (hasDied) await begin((transport) => transport);
      hasDied = false;
      await world.advance("1s");
      await hands.finish();
    }
  };
  const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  await hands.deploy({ replicas: 2, strategy });
  await goOn();
  await hands.setImage("i2");
  await goOn();
  await hands.scale(3);
  await hands.setImage("i1");
  await goOn();
  await world.advance("1m");
  const { status, metadata } = await hands.deployment;
  const { conditions: _, ...counts } = status;
  const sets = (await hands.sets()).map(
    (set) => `${set.metadata.name} ${set.spec.replicas} ${JSON.stringify(set.metadata.annotations)}`,
  );
  const pods = await hands.pods();
  const said = hands.conditions(await hands.deployment);
  return JSON.stringify([counts, said, metadata.annotations, sets.toSorted(), pods.length], undefined, 1);
}

const WRITES = new Set(["POST", "PUT", "PATCH", "DELETE"]);

test.each(["before", "after"] as const)(
  "WL-GEN-6: a manager that dies %s any of its writes leaves what one that lives does",
  { timeout: 300_000 },
  async (when) => {
    const expected = await leftAfter((transport) => transport);
    expect(expected).toContain('"deployment.kubernetes.io/revision": "3"');
    let met = true;
    let deaths = 0;
    const step = sampled([1, 2, 3, 4, 5], 5).length === 5 ? 1 : 5;
    for (let skip = Number(process.env["SEED"]) % step; met; skip += step) {
      met = false;
      let writes = 0;
      const left = await leftAfter((transport, die) => async (request) => {
        const isEvent = request.path.includes("/events");
        if (!WRITES.has(request.method) || isEvent || writes++ !== skip) return transport(request);
        met = true;
        deaths++;
        if (when === "after") await transport(request);
        die();
        return new Promise(() => {});
      });
      expect(left, `died ${when} write ${skip}`).toBe(expected);
    }
    expect(deaths).toBeGreaterThan(3);
  },
);
