import { describe, expect, test } from "vitest";
import type { Client, Transport } from "../../src/client/index.ts";
import { Job, Pod } from "../../src/client/kinds/index.ts";
import { garbageCollector } from "../../src/controllers/garbage/collector.ts";
import { job } from "../../src/controllers/workloads/job.ts";
import { type Random, seededRandom } from "../../src/util/clock.ts";
import { amount } from "../../src/util/testing/amount.ts";
import { World } from "../runtime/world.ts";
import { JobWorld, at, conditionsOf } from "./job-parts.ts";

const COUNT = amount("HISTORIES", 12, 200);
const STEPS = 40;
const TRACKING = "batch.kubernetes.io/job-tracking";

/** What a Job may count, from what was done to its Pods. */
class Model {
  readonly succeeded = new Set<string>();
  readonly failed = new Set<string>();
  readonly indexes = new Set<string>();
}

const choose = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random.next() * from.length)]!;
const uidOf = ({ metadata }: Pod): string => metadata.uid;
const indexOf = ({ metadata }: Pod): string => metadata.annotations?.["batch.kubernetes.io/job-completion-index"] ?? "";

/** Plays a random history of a Job, and compares what it counts after each step. */
async function play(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const cluster = await JobWorld.create();
  const model = new Model();
  const isIndexed = random.next() < 0.5;
  const completions = 2 + Math.floor(random.next() * 6);
  let most = 1 + Math.floor(random.next() * 4);
  let isRunning = true;
  const mode = isIndexed
    ? { completionMode: "Indexed", ...(random.next() < 0.5 ? { backoffLimitPerIndex: 2 } : {}) }
    : {};
  await cluster.make({ completions, parallelism: most, backoffLimit: 1000, ...mode });
  const tracked = async (): Promise<readonly Pod[]> =>
    (await cluster.active()).filter(({ metadata }) => metadata.finalizers?.includes(TRACKING));
  const actions: Record<string, () => Promise<void>> = {
    succeed: async () => {
      const pod = choose(random, await tracked());
      if (!pod) return;
      model.succeeded.add(pod.metadata.uid);
      model.indexes.add(indexOf(pod));
      await cluster.end(pod);
    },
    fail: async () => {
      const pod = choose(random, await tracked());
      if (!pod) return;
      model.failed.add(pod.metadata.uid);
      await cluster.end(pod, 1);
    },
    remove: async () => {
      const pod = choose(random, await tracked());
      if (!pod) return;
      model.failed.add(pod.metadata.uid);
      await cluster.world.resource(Pod).delete(at(pod.metadata.name));
      await cluster.world.settled();
    },
    run: async () => {
      const pod = choose(random, await cluster.active());
      if (pod) await cluster.runs(pod, { conditions: [{ type: "Ready", status: "True" }] });
    },
    parallelism: async () => {
      if (!isRunning) return;
      most = 1 + Math.floor(random.next() * 4);
      await cluster.change({ parallelism: most });
    },
    suspend: async () => {
      if (!isRunning) return;
      await cluster.change({ suspend: true });
      expect(await cluster.active()).toEqual([]);
      await cluster.advance("3s");
      await cluster.change({ suspend: false });
    },
    wait: () => cluster.advance(`${Math.floor(random.next() * 20_000)}ms`),
    longer: () => cluster.advance("11m"),
    restart: async () => {
      if (isRunning) await cluster.kill();
      else await cluster.restart();
      isRunning = !isRunning;
    },
  };
  const check = async (): Promise<void> => {
    const { status } = await cluster.job();
    const { succeeded = 0, failed = 0, uncountedTerminatedPods: { failed: uncounted = [] } = {} } = status;
    expect(succeeded).toBeLessThanOrEqual(completions);
    expect(succeeded).toBeLessThanOrEqual(isIndexed ? model.indexes.size : model.succeeded.size);
    expect(failed + uncounted.length).toBeLessThanOrEqual(model.failed.size);
    if (!isRunning) return;
    const active = await cluster.active();
    expect(active.length).toBeLessThanOrEqual(most);
    expect(new Set(active.map(isIndexed ? indexOf : uidOf)).size).toBe(active.length);
  };
  for (let step = 0; step < STEPS; step++) {
    const isEnded = conditionsOf(await cluster.job()).some(
      (one) => one.startsWith("Complete") || one.startsWith("Failed"),
    );
    if (isEnded) break;
    // oxlint-disable-next-line no-await-in-loop -- one step after the other
    await choose(random, Object.values(actions))();
    // oxlint-disable-next-line no-await-in-loop -- one step after the other
    await check();
  }
  if (!isRunning) await cluster.restart();
  isRunning = true;
  for (
    let left = 0;
    left < 40 && !conditionsOf(await cluster.job()).some((one) => /^(Complete|Failed)=/.test(one));
    left++
  ) {
    // oxlint-disable-next-line no-await-in-loop -- one step after the other
    await actions["succeed"]!();
    // oxlint-disable-next-line no-await-in-loop -- one step after the other
    await cluster.advance("11m");
    // oxlint-disable-next-line no-await-in-loop -- one step after the other
    await check();
  }
  const ended = await cluster.job();
  const { succeeded = 0, failed = 0 } = ended.status;
  expect(conditionsOf(ended).some((one) => /^(Complete|Failed)=/.test(one))).toBe(true);
  expect(failed).toBe(model.failed.size);
  expect(succeeded).toBe(isIndexed ? model.indexes.size : model.succeeded.size);
  expect((await cluster.pods()).filter(({ metadata }) => metadata.finalizers?.includes(TRACKING))).toEqual([]);
  await cluster.close();
}

describe("random histories of a Job", () => {
  test.each(Array.from({ length: COUNT }, (_, i) => i + 1))(
    "WL-JOB-2, WL-JOB-3: history %i counts each Pod once, and never has too many",
    play,
  );
});

/** Plays a Job of three with a failure; the controllers are killed after a write, and others go on. */
async function endAfterKill(
  killAt: number,
): Promise<{ readonly status: unknown; readonly pods: number; readonly writes: number }> {
  const world = await World.create();
  let writes = 0;
  let stopping: Promise<void> | undefined;
  const mortal =
    (transport: Transport): Transport =>
    async (request) => {
      const answer = await transport(request);
      const isWrite = request.method !== "GET" && !request.path.includes("/events");
      if (!isWrite || ++writes !== killAt) return answer;
      for await (const _ of answer.body) continue;
      stopping = manager.stop({ grace: 0 });
      throw new Error("killed");
    };
  const client: Client = world.cluster.client("manager").with({ through: mortal });
  let manager = world.manager({ client }).add(job, garbageCollector);
  await manager.start();
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
  const spec = { completions: 3, parallelism: 2, completionMode: "Indexed", template };
  await world.resource(Job).create({ metadata: at("j"), spec } as never);
  const failed = new Set<string>();
  for (let round = 0; round < 12; round++) {
    await world.advance("25s");
    if (stopping) {
      await stopping;
      stopping = undefined;
      manager = world.manager({ seed: 2 + round }).add(job, garbageCollector);
      await manager.start();
      await world.advance("25s");
    }
    for (const pod of (await world.resource(Pod).list()).items) {
      if (pod.status.phase !== "Pending") continue;
      const isFailure = indexOf(pod) === "1" && (failed.size === 0 || failed.has(pod.metadata.uid));
      if (isFailure) failed.add(pod.metadata.uid);
      await world
        .resource(Pod)
        .status.patch(at(pod.metadata.name), { status: { phase: isFailure ? "Failed" : "Succeeded" } } as never);
    }
  }
  await world.advance("25s");
  const { status } = await world.resource(Job).get(at("j"));
  const pods = (await world.resource(Pod).list()).items.length;
  await world[Symbol.asyncDispose]();
  const { succeeded, failed: failures, active, completedIndexes, uncountedTerminatedPods } = status;
  const conditions = status.conditions?.map(({ type, reason }) => `${type} ${reason}`);
  return {
    status: { succeeded, failures, active, completedIndexes, uncountedTerminatedPods, conditions },
    pods,
    writes,
  };
}

test("WL-JOB-3: killed after any write a Job has the same end", async () => {
  const whole = await endAfterKill(0);
  expect(whole.status).toEqual({
    succeeded: 3,
    failures: 1,
    completedIndexes: "0-2",
    uncountedTerminatedPods: {},
    conditions: ["SuccessCriteriaMet CompletionsReached", "Complete CompletionsReached"],
  });
  expect(whole.writes).toBeGreaterThan(10);
  for (let killAt = 1; killAt <= whole.writes; killAt++) {
    // oxlint-disable-next-line no-await-in-loop -- one world after the other
    const { status, pods } = await endAfterKill(killAt);
    expect({ status, pods }, `killed after write ${killAt}`).toEqual({ status: whole.status, pods: whole.pods });
  }
});
