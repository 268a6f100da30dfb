/**
 * A day of a cluster with every kind of workload, and with what happens to it from hour to hour: rollouts, failures, evictions, lost
 * zones. A repeated day, in a fork or in other steps, must have the same result.
 *
 * @module
 */
import type { Manifest } from "../../src/client/index.ts";
import { Pod } from "../../src/client/kinds/index.ts";
import { type Cluster, createCluster } from "../../src/testing/index.ts";
import { decodeSnapshot } from "../../src/testing/snapshot.ts";

const NAMESPACE = "default";

const template = (app: string, image: string, more: object = {}): object => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: "c", image, resources: { requests: { cpu: "100m", memory: "64Mi" } } }], ...more },
});
const selected = (app: string): object => ({ selector: { matchLabels: { app } } });

const deployment = (app: string, image: string, more: object = {}): Manifest =>
  ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: app, namespace: NAMESPACE },
    spec: { ...selected(app), progressDeadlineSeconds: 300, template: template(app, image), ...more },
  }) as Manifest;

const statefulSet = (image: string, replicas = 3): Manifest =>
  ({
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db", namespace: NAMESPACE },
    spec: {
      ...selected("db"),
      serviceName: "db",
      replicas,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Delete" },
      template: {
        metadata: { labels: { app: "db" } },
        spec: { containers: [{ name: "c", image, volumeMounts: [{ name: "data", mountPath: "/data" }] }] },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
    },
  }) as Manifest;

const jobSpec = (image: string): object => ({
  template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image }] } },
});

const cronJob = (name: string, schedule: string, image: string, more: object = {}): Manifest =>
  ({
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name, namespace: NAMESPACE },
    spec: { schedule, jobTemplate: { spec: { backoffLimit: 2, ...jobSpec(image) } }, ...more },
  }) as Manifest;

const WORKLOADS: readonly Manifest[] = [
  deployment("web", "web:1", { replicas: 4 }),
  deployment("busy", "busy:1"),
  statefulSet("db:1"),
  {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "agent", namespace: NAMESPACE },
    spec: { ...selected("agent"), template: template("agent", "agent:1") },
  } as Manifest,
  {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "once", namespace: NAMESPACE },
    spec: { backoffLimit: 4, completions: 5, parallelism: 2, completionMode: "Indexed", ...jobSpec("unlucky:1") },
  } as Manifest,
  cronJob("report", "30 8 * * *", "work:1", { timeZone: "Europe/Berlin" }),
  cronJob("tokyo", "15,45 */3 * * *", "unlucky:1", { timeZone: "Asia/Tokyo", concurrencyPolicy: "Forbid" }),
  cronJob("often", "*/20 * * * *", "work:1", { concurrencyPolicy: "Replace", successfulJobsHistoryLimit: 2 }),
  {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "busy", namespace: NAMESPACE },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "busy" },
      minReplicas: 1,
      maxReplicas: 5,
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } },
      ],
    },
  } as Manifest,
  ...["web", "db"].map(
    (app) =>
      ({
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name: app, namespace: NAMESPACE },
        spec: { ...selected(app), maxUnavailable: 1 },
      }) as Manifest,
  ),
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: NAMESPACE },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
  } as Manifest,
];

/** Begins the day: nodes in three zones, and what the images do. */
export async function beginDay(seed = 1): Promise<Cluster> {
  const cluster = await createCluster({
    seed,
    nodes: { count: 6, zone: ["a", "b", "c"], capacity: { cpu: "4", memory: "8Gi" } },
  });
  cluster.image("busy", async (ctx) => {
    await ctx.ready({ after: "3s" });
    for (;;) {
      // The load of a day: most at noon.
      const hour = new Date(ctx.now()).getUTCHours();
      ctx.metrics({ cpu: `${20 + 15 * (12 - Math.abs(12 - hour))}m`, memory: "32Mi" });
      if (ctx.terminated.aborted) return;
      await Promise.race([ctx.sleep("10m"), ctx.untilTerminated()]);
    }
  });
  cluster.image("web", async (ctx) => {
    await ctx.ready({ after: Math.floor(ctx.random() * 9000) });
    await ctx.untilTerminated();
    await ctx.sleep("3s");
  });
  cluster.image("web:bad", async (ctx) => {
    await ctx.sleep("2s");
    await ctx.exit(1, { message: "it does not come up" });
  });
  cluster.image("db", async (ctx) => {
    const data = ctx.mounts["/data"]!;
    data.write("starts", String(Number(data.read("starts") ?? 0) + 1));
    await ctx.ready({ after: "5s" });
    await ctx.untilTerminated();
  });
  cluster.image("unlucky", async (ctx) => {
    await ctx.sleep(Math.floor(ctx.random() * 60_000));
    if (ctx.random() < 0.4) await ctx.exit(3);
  });
  cluster.image("work", (ctx) => ctx.sleep("40s"));
  for (const one of WORKLOADS) await cluster.apply(one);
  await cluster.settled();
  return cluster;
}

/** Evicts a Pod, if its budget allows it. */
async function evict(cluster: Cluster, app: string): Promise<void> {
  const { items } = await cluster
    .client()
    .resource(Pod)
    .list({ namespace: NAMESPACE, labelSelector: `app=${app}` });
  const name = items.at(-1)?.metadata.name;
  if (name === undefined) return;
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: NAMESPACE } };
  await cluster
    .client()
    .json("POST", `/api/v1/namespaces/${NAMESPACE}/pods/${name}/eviction`, { body })
    .catch(() => undefined);
}

/** What happens at the beginning of an hour of the day. */
const HAPPENINGS: Readonly<Record<number, (cluster: Cluster) => Promise<unknown>>> = {
  2: (cluster) => cluster.apply(deployment("web", "web:2", { replicas: 4 })),
  4: (cluster) => cluster.simulation.lose({ zone: "b" }),
  6: (cluster) => cluster.simulation.restore({ zone: "b" }),
  7: (cluster) => cluster.apply(deployment("web", "web:bad", { replicas: 4 })),
  9: (cluster) => cluster.apply(deployment("web", "web:3", { replicas: 5 })),
  10: (cluster) => cluster.apply(statefulSet("db:2", 4)),
  11: (cluster) => evict(cluster, "web"),
  13: (cluster) => evict(cluster, "db"),
  14: (cluster) => cluster.simulation.slowPulls("2m", "agent*"),
  15: (cluster) => cluster.client().resource(Pod).delete({ namespace: NAMESPACE, name: "db-1" }),
  16: (cluster) => cluster.simulation.lose({ node: "node-3" }),
  17: (cluster) => cluster.simulation.restore({ all: true }),
  18: (cluster) => cluster.apply(statefulSet("db:2", 2)),
  20: (cluster) => cluster.apply(deployment("web", "web:3", { replicas: 2 })),
};

/** Plays the hours from one to before another. */
export async function playHours(cluster: Cluster, from: number, to: number): Promise<void> {
  for (let hour = from; hour < to; hour++) {
    await HAPPENINGS[hour]?.(cluster);
    await cluster.clock.advance("1h");
  }
}

/** Everything that is stored, by its key: bytes with uids, times, versions and managed fields, and when it was written. */
export function everything(cluster: Cluster): Readonly<Record<string, string>> {
  const { records, now, random, revision } = decodeSnapshot(cluster.snapshot());
  const lines = records.map(({ key, value, ...rest }): [string, string] => [
    key,
    `${JSON.stringify(rest)} ${typeof value === "string" ? value : Buffer.from(value as Uint8Array).toString()}`,
  ]);
  return { ...Object.fromEntries(lines), "": JSON.stringify({ now, random, revision }) };
}
