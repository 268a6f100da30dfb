import { test as base, expect } from "vitest";
import { PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../src/client/kinds/index.ts";
import {
  type Cluster,
  conflict,
  crash,
  createCluster,
  dropConnection,
  internalError,
  watchExpires,
} from "../../src/testing/index.ts";
import { MemoryDriver } from "./driver.ts";
import { provisioner } from "./provisioner.ts";

/** The fixtures are applied once; each test has its own fork, and a driver. */
const test = base
  .extend("world", { scope: "file" }, async ({}, { onCleanup }) => {
    const world = await createCluster();
    onCleanup(() => world.close());
    await world.apply(new URL("fixtures", import.meta.url).pathname);
    await world.settled();
    return world;
  })
  .extend("cluster", ({ world }, { onCleanup }) => {
    const cluster = world.fork();
    onCleanup(() => cluster.close());
    return cluster;
  })
  .extend("driver", () => new MemoryDriver());

const KEY = { namespace: "shop", name: "orders" } as const;
const claim = (storageClassName = "fast") => ({
  metadata: KEY,
  spec: { storageClassName, accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } },
});
/** The volumes that are not being deleted. */
const volumesOf = async (cluster: Cluster): Promise<string[]> =>
  (await cluster.client().resource(PersistentVolume).list()).items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name);

test("a claim gets a volume, and an event says so", async ({ cluster, driver }) => {
  await cluster.run(provisioner(driver));
  const [made] = await cluster.apply(PersistentVolumeClaim, claim());
  await cluster.settled();
  expect([...driver.volumes]).toEqual([[`pvc-${made!.metadata.uid}`, "2Gi"]]);
  expect(await volumesOf(cluster)).toEqual([...driver.volumes.keys()]);
  expect(await cluster.events(made)).toEqual([
    { type: "Normal", reason: "Provisioned", note: "made 2Gi for orders", count: 1 },
  ]);
});

test("a claim waits for its class, without reconciles", async ({ cluster, driver }) => {
  await cluster.run(provisioner(driver));
  await cluster.apply(PersistentVolumeClaim, claim("late"));
  await cluster.settled();
  using requests = cluster.record();
  await cluster.clock.advance("24h");
  expect([driver.volumes.size, requests.requests]).toEqual([0, []]);
  await cluster.apply(StorageClass, { metadata: { name: "late" }, provisioner: "fast.example.com" });
  await cluster.settled();
  expect(driver.volumes.size).toBe(1);
});

test("a claim of another provisioner's class is ignored", async ({ cluster, driver }) => {
  await cluster.run(provisioner(driver));
  await cluster.apply(StorageClass, { metadata: { name: "other" }, provisioner: "other.example.com" });
  await cluster.apply(PersistentVolumeClaim, claim("other"));
  await cluster.settled();
  expect(driver.volumes.size).toBe(0);
});

test("the volume is deleted with the claim", async ({ cluster, driver }) => {
  await cluster.run(provisioner(driver));
  const [made] = await cluster.apply(PersistentVolumeClaim, claim());
  await cluster.settled();
  await cluster.client().resource(PersistentVolumeClaim).delete(made!);
  await cluster.clock.advance("1m");
  expect([driver.volumes.size, await volumesOf(cluster)]).toEqual([0, []]);
  // Ours is gone; the one that protects claims in use is for the controller that knows the pods.
  const { metadata } = await cluster.client().resource(PersistentVolumeClaim).get(KEY);
  expect(metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
});

test.for([
  ["a conflict", conflict],
  ["a mistake of the server", internalError],
  ["an answer that is lost before the write", () => dropConnection({ when: "before" })],
  ["an answer that is lost after the write", () => dropConnection({ when: "after" })],
] as const)("%s, at each write in turn, makes one volume all the same", async ([, fault], { world }) => {
  for (let skip = 0, met = true; met; skip++) {
    await using cluster = world.fork();
    const driver = new MemoryDriver();
    const fails = cluster.faults.next({ verb: "writes", skip }, fault());
    await cluster.run(provisioner(driver));
    await cluster.apply(PersistentVolumeClaim, claim());
    await cluster.clock.advance("1h");
    expect([driver.volumes.size, await volumesOf(cluster)]).toEqual([1, [...driver.volumes.keys()]]);
    met = fails.hits > 0;
    cluster.faults.clear();
  }
});

test.for(["before", "after"] as const)(
  "no volume is left when it dies %s any of its writes",
  async (when, { world }) => {
    for (let skip = 0, met = true; met; skip++) {
      await using cluster = world.fork();
      const driver = new MemoryDriver();
      const death = cluster.faults.next({ verb: "writes", skip }, crash({ when }));
      await cluster.run(provisioner(driver), { restart: true });
      const [made] = await cluster.apply(PersistentVolumeClaim, claim());
      await cluster.settled();
      await cluster.client().resource(PersistentVolumeClaim).delete(made!);
      await cluster.clock.advance("1m");
      expect([driver.volumes.size, await volumesOf(cluster)]).toEqual([0, []]);
      met = death.hits > 0;
      cluster.faults.clear();
    }
  },
);

test("a claim that was created while the watch was broken is found by the next list", async ({ cluster, driver }) => {
  await cluster.run(provisioner(driver));
  cluster.faults.open({ kind: PersistentVolumeClaim }, watchExpires());
  await cluster.apply(PersistentVolumeClaim, claim());
  await cluster.settled();
  expect(driver.volumes.size).toBe(1);
});

test("the second provisioner takes over after the first has crashed, and creates nothing twice", async ({
  cluster,
}) => {
  const lease = { namespace: "kube-system", name: "provisioner" };
  const [driver, other] = [new MemoryDriver(), new MemoryDriver()];
  const first = await cluster.run(provisioner(driver), { leaderElection: { lease, identity: "first" } });
  const second = await cluster.run(provisioner(other), { leaderElection: { lease, identity: "second" } });
  await cluster.apply(PersistentVolumeClaim, claim());
  await cluster.settled();
  first.crash();
  await cluster.clock.advance("20s");
  expect([second.leading, driver.volumes.size]).toEqual([true, 1]);
  await cluster.apply(PersistentVolumeClaim, { ...claim(), metadata: { ...KEY, name: "carts" } });
  await cluster.settled();
  expect([...other.volumes.keys()].toSorted()).toEqual((await volumesOf(cluster)).toSorted());
});
