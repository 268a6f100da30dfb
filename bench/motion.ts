/**
 * Workloads in motion, in a test cluster of this process: what they cost the CPU, how many writes they are, and how much memory they
 * hold. One JSON line per case.
 *
 *     node --expose-gc bench/motion.ts rollout [Pods] [rounds]           a Deployment of 100 Pods is rolled over 12 times
 *     node --expose-gc bench/motion.ts fork [Pods]                       a fork with 10,000 living Pods, beside one without
 *     node --expose-gc bench/motion.ts day [nodes] [Pods] [CronJobs] [hours]
 *                                                                        1,000 nodes, 10,000 Pods, 500 hourly CronJobs, 24 hours
 *
 * The figures to keep, on one core: a rollout below 100 ms, a fork with Pods as cheap as one without, a day below 60 s with memory that
 * does not grow from its second hour on. `test/simulation/writes.test.ts` has the counts of writes that follow from these.
 *
 * @module
 */
import { CronJob, Deployment, Pod } from "../src/client/kinds/index.ts";
import { type Cluster, createCluster } from "../src/testing/index.ts";

const MEBI = 1 << 20;
const PODS_A_DEPLOYMENT = 100;

const [figure = "", ...given] = process.argv.slice(2);
const numbers = given.map(Number);

const cpuMillis = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** The heap in MiB, after a collection where `--expose-gc` permits one. */
function heap(): number {
  globalThis.gc?.();
  return Math.round(process.memoryUsage().heapUsed / MEBI);
}

/** Prints what some work costs; returns the milliseconds of CPU. */
async function measure(name: string, cluster: Cluster, work: () => Promise<unknown>): Promise<number> {
  const [cpu, wall, version] = [cpuMillis(), performance.now(), Number(cluster.version)];
  await work();
  const spent = cpuMillis() - cpu;
  const writes = Number(cluster.version) - version;
  const figures = { cpuMs: Math.round(spent), wallMs: Math.round(performance.now() - wall), writes, heapMiB: heap() };
  console.log(JSON.stringify({ name, ...figures }));
  return spent;
}

const deployment = (name: string, replicas: number, image = "i:0") => ({
  metadata: { name, namespace: "default" },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image }] } },
  },
});

/** An hourly CronJob, each at its own minute; its Job has one Pod, which ends after a second. */
const cronJob = (i: number) => ({
  metadata: { name: `c${i}`, namespace: "default" },
  spec: {
    schedule: `${i % 60} * * * *`,
    jobTemplate: {
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
    },
  },
});

async function living(cluster: Cluster, pods: number): Promise<void> {
  const deployments = cluster.client().resource(Deployment);
  for (let i = 0; i < pods / PODS_A_DEPLOYMENT; i++) await deployments.create(deployment(`d${i}`, PODS_A_DEPLOYMENT));
  await cluster.settled({ limit: "1h" });
  for (let second = 0; second < 10; second++) await cluster.clock.advance("1s");
}

async function rollout(pods = 100, rounds = 12): Promise<void> {
  await using cluster = await createCluster({ nodes: Math.ceil(pods / 50) });
  const all: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const isDone = async (): Promise<boolean> => {
      const { metadata, status } = await cluster.client().resource(Deployment).get({ namespace: "default", name: "d" });
      const { observedGeneration, updatedReplicas, availableReplicas, replicas } = status;
      if (observedGeneration !== metadata.generation) return false;
      return [updatedReplicas, availableReplicas, replicas].every((count) => count === pods);
    };
    const roll = async (): Promise<void> => {
      await cluster.apply(Deployment, deployment("d", pods, `i:${round}`));
      while (!(await isDone())) await cluster.clock.advance("1s");
    };
    all.push(await measure(round === 0 ? "the first Pods" : "a rollout", cluster, roll));
  }
  console.log(JSON.stringify({ name: "the calmest rollout", cpuMs: Math.round(Math.min(...all.slice(1))) }));
}

async function fork(pods = 10_000): Promise<void> {
  await using empty = await createCluster({ nodes: Math.ceil(pods / 100) });
  await using full = await createCluster({ nodes: Math.ceil(pods / 100) });
  await measure("Pods begin to live", full, () => living(full, pods));
  for (let round = 0; round < 3; round++) {
    for (const [name, parent] of [
      ["without Pods", empty],
      ["with Pods", full],
    ] as const) {
      let forked: Cluster | undefined;
      await measure(`a fork ${name}`, parent, async () => void (forked = parent.fork()));
      await measure(`its first read ${name}`, forked!, () =>
        forked!.client().resource(Pod).list({ namespace: "default", limit: 1 }),
      );
      await measure(`its first ten minutes ${name}`, forked!, () => forked!.clock.advance("10m"));
      await forked!.close();
    }
  }
}

async function day(nodes = 1000, pods = 10_000, cronJobs = 500, hours = 24): Promise<void> {
  const before = cpuMillis();
  await using cluster = await createCluster();
  await measure("nodes", cluster, async () => {
    await cluster.nodes(nodes, { zone: ["a", "b", "c"] });
    await cluster.settled();
  });
  await measure("Pods begin to live", cluster, () => living(cluster, pods));
  await measure("CronJobs", cluster, async () => {
    for (let i = 0; i < cronJobs; i++) await cluster.client().resource(CronJob).create(cronJob(i));
  });
  for (let hour = 0; hour < hours; hour += 2) {
    await measure(`hours ${hour + 1} and ${hour + 2}`, cluster, () => cluster.clock.advance("2h"));
  }
  console.log(JSON.stringify({ name: "the day", cpuMs: Math.round(cpuMillis() - before) }));
}

const figures: Readonly<Record<string, (...of: readonly number[]) => Promise<void>>> = { rollout, fork, day };
const run = figures[figure];
if (!run) throw new Error(`expected one of ${Object.keys(figures).join(", ")}, got ${JSON.stringify(figure)}`);
await run(...numbers);
