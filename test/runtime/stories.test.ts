/** What people write controllers for, each as a story. */
import { expect, test } from "vitest";
import { attempt } from "../../src/client/index.ts";
import {
  ConfigMap,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
} from "../../src/client/kinds/index.ts";
import { defineController, retryOnConflict, sharedInformer, watches } from "../../src/runtime/index.ts";
import { World } from "./world.ts";

const isReady = (pod: Pod): boolean =>
  pod.status.conditions?.some((c) => c.type === "Ready" && c.status === "True") ?? false;

/** Keeps as many pods as the data of a ConfigMap says. */
const sets = defineController({
  name: "sets",
  for: sharedInformer(ConfigMap, { labelSelector: "set" }),
  owns: [Pod],
  async reconcile(ctx) {
    const wanted = Number(ctx.object.data?.["replicas"] ?? "0");
    const pods = ctx.owned(Pod).filter((pod) => pod.metadata.deletionTimestamp === undefined);
    for (let n = pods.length; n < wanted; n++) {
      const pod = await ctx.create(Pod, {
        metadata: { generateName: `${ctx.key.name}-` },
        spec: { containers: [{ name: "web", image: "web:1" }] },
      });
      ctx.events.normal("SuccessfulCreate", `created pod ${pod.metadata.name}`, pod);
    }
    const surplus = pods
      .toSorted((a, b) => Number(isReady(a)) - Number(isReady(b)))
      .slice(0, Math.max(0, pods.length - wanted));
    for (const pod of surplus) await ctx.delete(Pod, pod);
  },
});

const web = (replicas: number) => ({
  metadata: { name: "web", namespace: "default", labels: { set: "yes" } },
  data: { replicas: String(replicas) },
});

test("as many pods as asked for: made, made again when one is deleted, and taken away", async () => {
  await using world = await World.create();
  await world.run(sets);
  const owner = await world.resource(ConfigMap).create(web(3));
  await world.settled();
  const pods = async () => (await world.resource(Pod).list({ namespace: "default" })).items;
  expect(await pods()).toHaveLength(3);
  const [first] = await pods();
  expect(first!.metadata.ownerReferences).toEqual([
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      name: "web",
      uid: owner.metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ]);
  await world.resource(Pod).delete(first!, { propagationPolicy: "Background" });
  await world.advance("1m");
  expect(await pods()).toHaveLength(3);
  await world
    .resource(ConfigMap)
    .modify({ namespace: "default", name: "web" }, (map) => ({ ...map, ...web(1), metadata: map.metadata }));
  await world.advance("1m");
  expect(await pods()).toHaveLength(1);
  expect([world.failures, world.warnings]).toEqual([[], []]);
});

test("a count that several write is right although writes meet", async () => {
  await using world = await World.create();
  const counter = (name: string) =>
    defineController({
      name,
      for: Namespace,
      reconcile: ({ client }) =>
        void retryOnConflict(async () => {
          const maps = client.resource(ConfigMap);
          const map = await maps.get({ namespace: "default", name: "count" });
          await maps.update({ ...map, data: { seen: String(Number(map.data?.["seen"] ?? "0") + 1) } });
        }, 50),
    });
  await world.resource(ConfigMap).create({ metadata: { name: "count", namespace: "default" } });
  await world.run(counter("one"), counter("two"));
  await world.settled();
  const { data } = await world.resource(ConfigMap).get({ namespace: "default", name: "count" });
  const { items } = await world.resource(Namespace).list();
  expect(data).toEqual({ seen: String(2 * items.length) });
});

interface Driver {
  create(name: string, size: string): Promise<string>;
  delete(name: string): Promise<void>;
}

const claims = sharedInformer(PersistentVolumeClaim, { indexes: { class: (claim) => claim.spec.storageClassName } });

/** A storage driver's provisioner: the finalizer is there before the volume is, so nothing leaks. */
const provisioner = (driver: Driver) =>
  defineController({
    name: "fast.example.com",
    for: claims,
    finalizer: "fast.example.com/provisioning",
    sources: [
      watches(StorageClass, ({ metadata: { name } }, informer) =>
        informer(claims)
          .by("class", name)
          .map(({ metadata }) => ({ namespace: metadata.namespace!, name: metadata.name })),
      ),
    ],
    async reconcile({ object: claim, key, client, apply }) {
      const { storageClassName = "", accessModes = [], resources, volumeName } = claim.spec;
      const found = await attempt(client.resource(StorageClass).get({ name: storageClassName }), "NotFound");
      if (!found.ok || found.value.provisioner !== "fast.example.com" || volumeName) return;
      const name = `pvc-${claim.metadata.uid}`;
      const storage = resources.requests?.["storage"] ?? "1Gi";
      const csi = { driver: "fast.example.com", volumeHandle: await driver.create(name, storage) };
      await apply(PersistentVolume, {
        metadata: { name },
        spec: {
          storageClassName,
          accessModes,
          capacity: { storage },
          csi,
          claimRef: { ...key, uid: claim.metadata.uid },
        },
      });
    },
    async cleanup({ object: { metadata, spec } }) {
      if (!spec.volumeName) await driver.delete(`pvc-${metadata.uid}`);
    },
  });

test("a provisioner makes a volume when claim and class are there, in any order, and takes it away", async () => {
  await using world = await World.create();
  const volumes = new Map<string, string>();
  const driver: Driver = {
    create: async (name, size) => (volumes.set(name, size), `handle-${name}`),
    delete: async (name) => void volumes.delete(name),
  };
  await world.run(provisioner(driver));
  const claim = await world.resource(PersistentVolumeClaim).create({
    metadata: { name: "data", namespace: "default" },
    spec: { storageClassName: "fast", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } },
  });
  await world.settled();
  const key = { namespace: "default", name: "data" };
  expect((await world.resource(PersistentVolumeClaim).get(key)).metadata.finalizers).toContain(
    "fast.example.com/provisioning",
  );
  expect(volumes.size).toBe(0);
  await world.resource(StorageClass).create({ metadata: { name: "fast" }, provisioner: "fast.example.com" });
  await world.settled();
  const name = `pvc-${claim.metadata.uid}`;
  expect([...volumes]).toEqual([[name, "2Gi"]]);
  expect((await world.resource(PersistentVolume).get({ name })).spec.csi?.volumeHandle).toBe(`handle-${name}`);
  await world.resource(PersistentVolumeClaim).delete(key);
  await world.settled();
  expect(volumes.size).toBe(0);
  const left = await world.resource(PersistentVolumeClaim).find(key);
  expect(left?.metadata.finalizers ?? []).not.toContain("fast.example.com/provisioning");
  expect(world.failures).toEqual([]);
});
