/** Which Pods a plan restarts: the controllers then replace exactly these, in this order. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigMap, Node, Pod } from "../../src/client/kinds/index.ts";
import { type Cluster, createCluster } from "../../src/testing/index.ts";

let cluster: Cluster;
beforeEach(async () => {
  cluster = await createCluster({ controllers: ["*"] });
});
afterEach(() => cluster[Symbol.asyncDispose]());

const spec = (image: string, more: object = {}) => ({
  selector: { matchLabels: { app: "a" } },
  template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image }] } },
  ...more,
});
const manifest = (kind: string, image: string, more: object = {}) => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name: "w", namespace: "default" },
  spec: spec(image, more),
});
const pods = async () => (await cluster.client().resource(Pod).list()).items;
/** Binds and readies all Pods, until nothing is left to do. */
const live = async () => {
  for (let round = 0; round < 20; round++) {
    await cluster.settled();
    const waiting = (await pods()).filter(
      ({ status }) => !status.conditions?.some(({ type, status: said }) => type === "Ready" && said === "True"),
    );
    if (waiting.length === 0) return;
    for (const { metadata } of waiting) {
      const key = { namespace: metadata.namespace!, name: metadata.name };
      const conditions = [{ type: "Ready", status: "True" }];
      await cluster
        .client()
        .resource(Pod)
        .status.patch(key, { status: { phase: "Running", conditions } } as never);
    }
  }
};
/** The names of deleted Pods in the order in which they went, while `work` runs. */
const goneWhile = async (work: () => Promise<void>) => {
  const before = new Map((await pods()).map(({ metadata }) => [metadata.uid, metadata.name]));
  const since = cluster.requests({ kind: Pod, verb: "delete", origin: "any" }).length;
  await work();
  const names = new Set(before.values());
  return cluster
    .requests({ kind: Pod, verb: "delete", origin: "any" })
    .slice(since)
    .filter(({ changed }) => changed)
    .map(({ name }) => name)
    .filter((name) => names.has(name!));
};

test("of a StatefulSet from the highest ordinal down to the partition, and the controller does so", async () => {
  const partition = { replicas: 4, updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } } };
  await cluster.applyAll(manifest("StatefulSet", "i1", partition));
  await live();
  const next = manifest("StatefulSet", "i2", partition);
  const { restarts } = await cluster.plan(next);
  expect(restarts).toEqual([
    {
      object: { apiVersion: "apps/v1", kind: "StatefulSet", namespace: "default", name: "w" },
      strategy: "RollingUpdate",
      count: 3,
      pods: ["w-3", "w-2", "w-1"],
      maxUnavailable: 1,
      maxSurge: 0,
      stays: 1,
    },
  ]);
  const gone = await goneWhile(async () => {
    await cluster.applyAll(next);
    await live();
    await live();
  });
  expect(gone).toEqual(restarts[0]!.pods);
});

test("of a Deployment its old Pods, with surge and unavailable; back to a template that is there its Pods stay", async () => {
  await cluster.applyAll(manifest("Deployment", "i1", { replicas: 4 }));
  await live();
  const names = new Set((await pods()).map(({ metadata }) => metadata.name));
  const next = manifest("Deployment", "i2", { replicas: 4 });
  const { restarts } = await cluster.plan(next);
  expect(restarts).toMatchObject([{ strategy: "RollingUpdate", count: 4, maxUnavailable: 1, maxSurge: 1 }]);
  expect(new Set(restarts[0]!.pods)).toEqual(names);
  await cluster.applyAll(next);
  await cluster.settled();
  const halfway = await pods();
  const old = halfway.filter(({ spec: { containers } }) => containers[0]!.image === "i1");
  expect(old.length).toBeGreaterThan(0);
  expect(old.length).toBeLessThan(4);
  const back = await cluster.plan(manifest("Deployment", "i1", { replicas: 4 }));
  const newer = halfway.filter(({ spec: { containers } }) => containers[0]!.image === "i2");
  expect(new Set(back.restarts[0]!.pods)).toEqual(new Set(newer.map(({ metadata }) => metadata.name)));
});

test("none where only replicas, a strategy or a ConfigMap change, nor of what is new; with OnDelete all stay", async () => {
  const byHand = { replicas: 2, updateStrategy: { type: "OnDelete" } };
  await cluster.applyAll(manifest("StatefulSet", "i1", byHand));
  await live();
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m", namespace: "default" }, data: { a: "1" } };
  await cluster.apply(ConfigMap, { metadata: map.metadata, data: { a: "0" } });
  const other = { ...manifest("Deployment", "i1"), metadata: { name: "new", namespace: "default" } };
  const same = await cluster.plan(manifest("StatefulSet", "i1", { ...byHand, replicas: 3 }), map, other);
  expect(same.documents.map(({ result }) => result).toSorted()).toEqual(["changed", "changed", "created"]);
  expect(same.restarts).toEqual([]);
  const { restarts } = await cluster.plan(manifest("StatefulSet", "i2", byHand));
  expect(restarts).toMatchObject([{ strategy: "OnDelete", count: 0, pods: [], stays: 2 }]);
});

test("of a paused Deployment none, and of Recreate all at once", async () => {
  await cluster.applyAll(manifest("Deployment", "i1", { replicas: 2 }));
  await live();
  const paused = await cluster.plan(manifest("Deployment", "i2", { replicas: 2, paused: true }));
  expect(paused.restarts).toMatchObject([{ count: 0, stays: 2, isPaused: true }]);
  const named = (image: string) => ({
    ...manifest("Deployment", image, { replicas: 2, strategy: { type: "Recreate" } }),
    metadata: { name: "other", namespace: "default" },
  });
  await cluster.applyAll(named("i1"));
  await live();
  const recreate = await cluster.plan(named("i2"));
  expect(recreate.restarts).toMatchObject([{ strategy: "Recreate", count: 2, maxUnavailable: 2, maxSurge: 0 }]);
});

test("of a DaemonSet the Pod that is not available first", async () => {
  for (const name of ["n1", "n2", "n3"]) {
    await cluster.apply(Node, {
      metadata: { name },
      status: { conditions: [{ type: "Ready", status: "True" }] },
    } as never);
  }
  await cluster.applyAll(manifest("DaemonSet", "i1"));
  await live();
  const [, second] = await pods();
  const key = { namespace: "default", name: second!.metadata.name };
  const conditions = [{ type: "Ready", status: "False" }];
  await cluster
    .client()
    .resource(Pod)
    .status.patch(key, { status: { conditions } } as never);
  const { restarts } = await cluster.plan(manifest("DaemonSet", "i2"));
  expect(restarts).toMatchObject([{ strategy: "RollingUpdate", count: 3, maxUnavailable: 1, maxSurge: 0 }]);
  expect(restarts[0]!.pods[0]).toBe(key.name);
});

test("names at most a hundred Pods of a workload", async () => {
  await cluster.applyAll(manifest("StatefulSet", "i1", { replicas: 120, podManagementPolicy: "Parallel" }));
  await live();
  const { restarts } = await cluster.plan(
    manifest("StatefulSet", "i2", { replicas: 120, podManagementPolicy: "Parallel" }),
  );
  expect(restarts).toMatchObject([{ count: 120, podsLeftOut: 20 }]);
  expect(restarts[0]!.pods.slice(0, 2)).toEqual(["w-119", "w-118"]);
});
