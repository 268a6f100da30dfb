/** Budgets against a model: whatever is evicted at the same time, a budget that is met stays so. */
import { expect, test } from "vitest";
import { type NewObject, isStatus } from "../../src/client/index.ts";
import { Pod, PodDisruptionBudget } from "../../src/client/kinds/index.ts";
import { disruption } from "../../src/controllers/workloads/disruption.ts";
import { seededRandom } from "../../src/util/clock.ts";
import { amount } from "../../src/util/testing/amount.ts";
import { World } from "../runtime/world.ts";

const COUNT = amount("SCHEDULES", 12, 200);
const FIRST = Number(process.env["SEED"] ?? 1) * 100_000;
const STEPS = 30;
const at = (name: string) => ({ name, namespace: "default" });

/** Plays a random history; returns how many evictions were granted and refused. */
async function play(seed: number): Promise<{ readonly granted: number; readonly refused: number }> {
  await using world = await World.create();
  const random = seededRandom(seed);
  const below = (n: number): number => Math.floor(random.next() * n);
  const pods = world.resource(Pod);
  const list = async () => (await pods.list({ namespace: "default" })).items;
  const isHealthy = ({ metadata, status }: Pod): boolean =>
    metadata.deletionTimestamp === undefined &&
    status.conditions!.some(({ type, status: said }) => type === "Ready" && said === "True");
  const healthy = async () => (await list()).filter(isHealthy).length;
  const setReady = (name: string, ready: boolean) =>
    pods.status.patch(at(name), {
      status: { phase: "Running", conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
    });
  const minAvailable = 1 + below(4);
  const policy = random.next() < 0.5 ? "AlwaysAllow" : "IfHealthyBudget";
  await world.resource(PodDisruptionBudget).create({
    metadata: at("b"),
    spec: { selector: { matchLabels: { app: "a" } }, minAvailable, unhealthyPodEvictionPolicy: policy },
  } as NewObject<PodDisruptionBudget>);
  let manager = await world.run(disruption);
  const counts = { granted: 0, refused: 0 };
  // The clock does not advance: no client tries again later.
  const client = world.client.with({
    through: (transport) => async (request) => {
      const answer = await transport(request);
      const { "retry-after": _, ...headers } = answer.headers ?? {};
      return { ...answer, headers };
    },
  });
  const evict = async (name: string): Promise<void> => {
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: at(name) };
    try {
      await client.json("POST", `/api/v1/namespaces/default/pods/${name}/eviction`, { body });
      counts.granted++;
    } catch (error) {
      if (!isStatus(error, "TooManyRequests", "NotFound", "Conflict")) throw error;
      counts.refused++;
    }
  };
  const broken: string[] = [];
  let made = 0;
  for (let step = 0; step < STEPS; step++) {
    const all = await list();
    const some = all[below(all.length)];
    const what = below(10);
    if (what < 3 || !some) {
      const name = `p${made++}`;
      const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
      await pods.create({ metadata: { ...at(name), labels: { app: "a" } }, spec } as NewObject<Pod>);
      await setReady(name, random.next() < 0.8);
    } else if (what === 3) await setReady(some.metadata.name, random.next() < 0.7);
    else if (what === 4) {
      for (const pod of all) {
        if (pod.metadata.deletionTimestamp !== undefined) await pods.delete(pod, { gracePeriodSeconds: 0 });
      }
    } else if (what === 5) {
      await manager.stop({ grace: 0 });
      manager = await world.run(disruption);
    } else if (what === 6) await world.advance("3m");
    // What evictions see is counted; they themselves are not waited for.
    if (what < 7 || !some) await world.settled();
    else {
      const before = await healthy();
      const waits = random.next() < 0.5;
      const targets = Array.from({ length: 1 + below(4) }, () => all[below(all.length)]!.metadata.name);
      if (waits) await Promise.all(targets.map(evict));
      else for (const name of targets) await evict(name);
      const after = await healthy();
      if (after < Math.min(before, minAvailable)) broken.push(`seed ${seed}, step ${step}: ${before} became ${after}`);
    }
  }
  expect(broken).toEqual([]);
  await world.settled();
  const { status } = await world.resource(PodDisruptionBudget).get(at("b"));
  const now = await healthy();
  expect(status).toMatchObject({
    currentHealthy: now,
    desiredHealthy: minAvailable,
    expectedPods: (await list()).length,
  });
  expect(status.disruptionsAllowed).toBe(Math.max(0, now - minAvailable));
  return counts;
}

test(
  `WL-PDB-10, WL-PDB-11, WL-PDB-12: ${COUNT} histories of evictions never break a budget`,
  { timeout: 120_000 + COUNT * 2000 },
  async () => {
    const total = { granted: 0, refused: 0 };
    for (let i = 0; i < COUNT; i++) {
      const { granted, refused } = await play(FIRST + i);
      total.granted += granted;
      total.refused += refused;
    }
    expect(total.granted).toBeGreaterThan(COUNT);
    expect(total.refused).toBeGreaterThan(COUNT);
  },
);
