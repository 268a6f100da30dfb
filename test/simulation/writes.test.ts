/**
 * How many writes workloads in motion are, in a cluster with simulated nodes: the counts on which the figures of `bench/motion.ts`
 * rest. They do not depend on how fast the machine is.
 */
import { expect, test } from "vitest";
import { CronJob, Deployment, Node, Pod } from "../../src/client/kinds/index.ts";
import { type Cluster, createCluster } from "../../src/testing/index.ts";

const deployment = (image: string, replicas: number) => ({
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image }] } },
  },
});

/** Counts the writes of the controllers from a record on, as `verb Kind subresource code`. */
function countsFrom(cluster: Cluster, from: number): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { verb, kind, subresource = "", code } of cluster
    .requests({ verb: "writes", origin: "builtin" })
    .slice(from)) {
    const what = [verb, kind, subresource, code].join(" ").replaceAll("  ", " ");
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}
const written = (cluster: Cluster): number => cluster.requests({ verb: "writes", origin: "builtin" }).length;

test("a rollout of a hundred Pods writes each Pod five times, few statuses, and nothing that is refused", async () => {
  await using cluster = await createCluster({ nodes: 5 });
  const roll = async (image: string): Promise<void> => {
    await cluster.apply(Deployment, deployment(image, 100));
    for (let second = 0; second < 5; second++) await cluster.clock.advance("1s");
  };
  await roll("i:1");
  const from = written(cluster);
  await roll("i:2");
  const { status } = await cluster.client().resource(Deployment).get({ namespace: "default", name: "web" });
  expect(status).toMatchObject({ updatedReplicas: 100, availableReplicas: 100, replicas: 100 });
  const counts = countsFrom(cluster, from);
  expect(counts).toMatchObject({
    "create Pod 201": 100,
    "create Pod binding 201": 100,
    "update Pod status 200": 100,
    // The ReplicaSet deletes them, then the node lets them go.
    "delete Pod 200": 200,
  });
  const statuses = (counts["update ReplicaSet status 200"] ?? 0) + (counts["update Deployment status 200"] ?? 0);
  expect(statuses).toBeGreaterThan(5);
  expect(statuses).toBeLessThan(60);
  expect(Object.keys(counts).filter((what) => !/ 20[01]$/.test(what))).toEqual([]);
});

test("a Job of a CronJob is 15 writes, and six Events, which expire", async () => {
  await using cluster = await createCluster({ nodes: 1 });
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
  await cluster
    .client()
    .resource(CronJob)
    .create({
      metadata: { name: "hourly", namespace: "default" },
      spec: { schedule: "0 * * * *", jobTemplate: { spec: { template } } },
    });
  await cluster.clock.advance("6h");
  const from = written(cluster);
  await cluster.clock.advance("1h");
  expect(countsFrom(cluster, from)).toEqual({
    "create Job 201": 1,
    "update CronJob status 200": 2,
    "create Pod 201": 1,
    "create Pod binding 201": 1,
    "update Pod status 200": 2,
    "update Job status 200": 4,
    "patch Pod 200": 1,
    // The oldest of those that are kept.
    "delete Job 200": 1,
    "delete Pod 200": 1,
    "create Event 201": 6,
    "delete Event 200": 6,
  });
});

test("new nodes are written about twice, and Pods at rest are not written at all, in a fork neither", async () => {
  await using cluster = await createCluster();
  await cluster.nodes(150);
  await cluster.settled();
  const counts = countsFrom(cluster, 0);
  // Each loses the taint of a node that is not ready; the first ones get another TTL while there are few of them.
  expect(counts["patch Node 200"]).toBeGreaterThanOrEqual(150);
  expect(counts["patch Node 200"]).toBeLessThanOrEqual(250);
  const { items } = await cluster.client().resource(Node).list();
  expect(new Set(items.map(({ metadata }) => metadata.annotations?.["node.alpha.kubernetes.io/ttl"]))).toEqual(
    new Set(["15"]),
  );
  await cluster.apply(Deployment, deployment("i:1", 50));
  for (let second = 0; second < 3; second++) await cluster.clock.advance("1s");
  await cluster.clock.advance("2h");
  const from = written(cluster);
  await cluster.clock.advance("1d");
  expect(countsFrom(cluster, from)).toEqual({});
  const fork = cluster.fork();
  expect((await fork.client().resource(Pod).list()).items).toHaveLength(50);
  const before = written(fork);
  await fork.clock.advance("1d");
  expect(countsFrom(fork, before)).toEqual({});
  await fork.close();
});
