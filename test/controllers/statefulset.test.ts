import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import {
  ConfigMap,
  ControllerRevision,
  PersistentVolumeClaim,
  type Pod,
  StatefulSet,
} from "../../src/client/kinds/index.ts";
import { garbageCollector } from "../../src/controllers/garbage/collector.ts";
import { claimProtection } from "../../src/controllers/storage/protection.ts";
import { statefulSet } from "../../src/controllers/workloads/statefulset.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { World } from "../runtime/world.ts";
import { Hands, at, templateOf } from "./sets.ts";

let world: World;
let hands: Hands;
beforeEach(async () => {
  world = await World.create();
  hands = new Hands(world);
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  const others = world.warnings.filter((text) => !EXPECTED.some((one) => text.includes(one)));
  if (others.length > 0) throw new Error(others.join("\n"));
});
/** Obstacles that are tried again. */
const EXPECTED = ["already exists", "is invalid"];
const start = () => world.run(statefulSet, garbageCollector, claimProtection(kubernetes));

const CLAIM = {
  metadata: { name: "data", labels: { l: "m" } },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};
const rolling = (rollingUpdate: object) => ({ updateStrategy: { type: "RollingUpdate", rollingUpdate } });

/** A set whose Pods are all ready. */
async function running(replicas: number, spec: object = {}): Promise<void> {
  await hands.statefulSet({ replicas, podManagementPolicy: "Parallel", ...spec });
  for (let made = 0; made < replicas;) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other where it is ordered
    const names = (await hands.names()).filter((name) => !name.startsWith("-"));
    made = names.length;
    // oxlint-disable-next-line no-await-in-loop -- as above
    await hands.ready(names);
  }
}
const ordered = (replicas: number, spec: object = {}) =>
  running(replicas, { podManagementPolicy: "OrderedReady", ...spec });
const claim = (name: string) => world.resource(PersistentVolumeClaim).find(at(name));
const ownersOf = async (name: string) =>
  (await claim(name))?.metadata.ownerReferences?.map((one) => `${one.kind}/${one.name}`);

describe("Pods", () => {
  test("WL-STS-1, WL-GEN-1: a Pod has its name, its labels, the names of the service, and its set as controller", async () => {
    await start();
    await hands.statefulSet({ template: templateOf("1", { hostname: "other", subdomain: "other" }) });
    const set = await hands.set();
    const { metadata, spec } = await hands.pods.get(at("t-0"));
    expect(metadata.labels).toEqual({
      app: "a",
      v: "1",
      "statefulset.kubernetes.io/pod-name": "t-0",
      "apps.kubernetes.io/pod-index": "0",
      "controller-revision-hash": set.status.updateRevision,
    });
    expect(metadata.ownerReferences).toEqual([
      {
        apiVersion: "apps/v1",
        kind: "StatefulSet",
        name: "t",
        uid: set.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(spec).toMatchObject({ hostname: "t-0", subdomain: "svc" });
  });

  test("WL-STS-2: ordered, each Pod waits until those before it are ready, and Events say what is done", async () => {
    await start();
    await hands.statefulSet({ replicas: 3 });
    expect(await hands.names()).toEqual(["t-0"]);
    await world.advance("1h");
    expect(await hands.names()).toEqual(["t-0"]);
    await hands.ready(["t-0"]);
    expect(await hands.names()).toEqual(["t-0", "t-1"]);
    await hands.ready(["t-1"]);
    await hands.ready(["t-0"], false);
    await hands.change({ replicas: 4 });
    expect(await hands.names()).toEqual(["t-0", "t-1", "t-2"]);
    await hands.ready(["t-2"]);
    expect(await hands.names()).toEqual(["t-0", "t-1", "t-2"]);
    await hands.ready(["t-0"]);
    expect(await hands.names()).toEqual(["t-0", "t-1", "t-2", "t-3"]);
    expect(await hands.events()).toContain("Normal SuccessfulCreate: Create Pod t-0 in StatefulSet t successful");
  });

  test("WL-STS-2: scaled down, the highest goes first, and the next when it is gone", async () => {
    await start();
    await hands.node("n");
    await ordered(3);
    await hands.bind(["t-0", "t-1", "t-2"], "n");
    await hands.change({ replicas: 1 });
    expect(await hands.names()).toEqual(["t-0", "t-1", "-t-2"].toSorted());
    await world.advance("1h");
    expect(await hands.names()).toContain("t-1");
    await hands.gone("t-2");
    expect(await hands.names()).toEqual(["-t-1", "t-0"]);
    await hands.gone("t-1");
    expect(await hands.names()).toEqual(["t-0"]);
    expect(await hands.events()).toContain("Normal SuccessfulDelete: Delete Pod t-2 in StatefulSet t successful");
  });

  test("WL-STS-2: a Pod that stays and is not ready holds up scaling down", async () => {
    await start();
    await ordered(3);
    await hands.ready(["t-0"], false);
    await hands.change({ replicas: 2 });
    expect(await hands.names()).toEqual(["t-0", "t-1", "t-2"]);
    await hands.ready(["t-0"]);
    expect(await hands.names()).toEqual(["t-0", "t-1"]);
  });

  test("WL-STS-3: in Parallel all are made and deleted at once", async () => {
    await start();
    await hands.statefulSet({ replicas: 4, podManagementPolicy: "Parallel" });
    expect(await hands.names()).toEqual(["t-0", "t-1", "t-2", "t-3"]);
    await hands.node("n");
    await hands.bind(["t-0", "t-1", "t-2", "t-3"], "n");
    await hands.change({ replicas: 1 });
    expect(await hands.names()).toEqual(["-t-1", "-t-2", "-t-3", "t-0"]);
  });

  test.each(["Failed", "Succeeded"])(
    "WL-STS-4: a Pod that is %s is deleted and made again with its name",
    async (phase) => {
      await start();
      await ordered(2);
      const { metadata } = await hands.pods.get(at("t-0"));
      await hands.phase("t-0", phase);
      const again = await hands.pods.get(at("t-0"));
      expect(again.metadata.uid).not.toBe(metadata.uid);
      expect(again.status.phase).toBe("Pending");
      expect(await hands.names()).toEqual(["t-0", "t-1"]);
    },
  );

  test("WL-STS-4: a Pod that is going is replaced when it is gone, not before", async () => {
    await start();
    await hands.node("n");
    await ordered(1);
    await hands.bind(["t-0"], "n");
    await hands.remove("t-0");
    await world.advance("1h");
    expect(await hands.names()).toEqual(["-t-0"]);
    await hands.gone("t-0");
    expect(await hands.names()).toEqual(["t-0"]);
  });

  test("WL-STS-13: a change of the first ordinal makes the new ones and deletes those outside", async () => {
    await start();
    await ordered(2, { ordinals: { start: 3 } });
    expect(await hands.names()).toEqual(["t-3", "t-4"]);
    await hands.change({ ordinals: { start: 4 } });
    expect(await hands.names()).toEqual(["t-3", "t-4", "t-5"]);
    await hands.ready(["t-5"]);
    expect(await hands.names()).toEqual(["t-4", "t-5"]);
  });

  test("a new leader continues an update", async () => {
    const first = await start();
    await ordered(3);
    await hands.change({ template: templateOf("2") });
    await first.stop({ grace: 0 });
    await hands.ready(["t-2"]);
    await world.advance("1h");
    expect(await hands.versions()).toEqual(["t-0:1", "t-1:1", "t-2:2"]);
    await start();
    await world.advance("1s");
    expect(await hands.versions()).toEqual(["t-0:1", "t-1:2", "t-2:2"]);
    expect(await hands.revisions()).toHaveLength(2);
  });

  test("two controllers at once make each Pod once", async () => {
    await start();
    await start();
    await running(4);
    await hands.change({ template: templateOf("2") });
    for (const name of ["t-3", "t-2", "t-1", "t-0"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await world.advance("5s");
      // oxlint-disable-next-line no-await-in-loop -- as above
      await hands.ready([name]);
    }
    await world.advance("1m");
    expect(await hands.versions()).toEqual(["t-0:2", "t-1:2", "t-2:2", "t-3:2"]);
    expect((await hands.set()).status).toMatchObject({ readyReplicas: 4, updatedReplicas: 4 });
    expect(await hands.revisions()).toHaveLength(2);
  });

  test("WL-STS-15: with minReadySeconds the next Pod waits until the one before is available", async () => {
    await start();
    await hands.statefulSet({ replicas: 2, minReadySeconds: 30 });
    await hands.ready(["t-0"]);
    await world.advance("29s");
    expect(await hands.names()).toEqual(["t-0"]);
    expect((await hands.set()).status).toMatchObject({ readyReplicas: 1, availableReplicas: 0 });
    await world.advance("2s");
    expect(await hands.names()).toEqual(["t-0", "t-1"]);
    expect((await hands.set()).status).toMatchObject({ readyReplicas: 1, availableReplicas: 1 });
  });

  test("any number of replicas may be asked for", async () => {
    await start();
    await hands.statefulSet({ replicas: 2_000_000_000 });
    expect(await hands.names()).toEqual(["t-0"]);
  });
});

describe("ownership", () => {
  const orphan = (name: string, labels: object = { app: "a" }) =>
    hands.pods.create({
      metadata: { ...at(name), labels },
      spec: { containers: [{ name: "c", image: "i" }] },
    } as unknown as NewObject<Pod>);

  test("WL-STS-12, WL-GEN-1: takes a Pod with a name of its own that fits, no other, and releases one that fits no longer", async () => {
    await Promise.all([orphan("t-0"), orphan("t-x"), orphan("t-01"), orphan("u-0")]);
    await start();
    await hands.statefulSet();
    const owners = async () =>
      (await hands.list())
        .filter(({ metadata }) => metadata.ownerReferences?.length)
        .map(({ metadata }) => metadata.name);
    expect(await owners()).toEqual(["t-0"]);
    await hands.pods.patch(at("t-0"), { metadata: { labels: { app: "b" } } } as never);
    await world.advance("1s");
    expect(await owners()).toEqual([]);
  });

  test("WL-STS-12: a Pod that does not fit stands in the way, and is tried again with growing delay", async () => {
    await orphan("t-0", { app: "b" });
    await start();
    await hands.statefulSet();
    await world.advance("10m");
    const attempts = world.failures.length;
    expect(attempts).toBeGreaterThan(5);
    expect(attempts).toBeLessThan(25);
    await hands.remove("t-0");
    await world.advance("20m");
    expect((await hands.pods.get(at("t-0"))).metadata.ownerReferences).toHaveLength(1);
    expect((await hands.events()).filter((text) => text.includes("FailedCreate"))).toEqual([]);
  });

  test("WL-GEN-2: deleted with Orphan it leaves its Pods and revisions, and one that is made again takes them", async () => {
    await start();
    await ordered(2);
    const before = (await hands.list()).map(({ metadata }) => metadata.uid);
    await world.resource(StatefulSet).delete(at("t"), { propagationPolicy: "Orphan" });
    await world.advance("10s");
    expect((await hands.list()).map(({ metadata }) => metadata.ownerReferences)).toEqual([undefined, undefined]);
    await hands.statefulSet({ replicas: 2 });
    await world.advance("10s");
    const { metadata, status } = await hands.set();
    expect((await hands.list()).map((pod) => pod.metadata.uid)).toEqual(before);
    for (const pod of await hands.list()) expect(pod.metadata.ownerReferences?.[0]?.uid).toBe(metadata.uid);
    expect(await hands.revisions()).toHaveLength(1);
    expect(status).toMatchObject({
      replicas: 2,
      updatedReplicas: 2,
      currentRevision: (await hands.revisions())[0]?.metadata.name,
    });
  });

  test("WL-GEN-2: while it is being deleted only its status is written", async () => {
    await start();
    await ordered(1);
    await world.resource(StatefulSet).patch(at("t"), { metadata: { finalizers: ["example.com/x"] } } as never);
    await world.resource(StatefulSet).delete(at("t"), { propagationPolicy: "Orphan" });
    await world.advance("10s");
    await hands.remove("t-0");
    await world.advance("1m");
    expect(await hands.names()).toEqual([]);
    expect((await hands.set()).status.replicas).toBe(0);
  });
});

describe("revisions", () => {
  test("WL-STS-5: a template that was there before takes its revision again with the next number", async () => {
    await start();
    await ordered(1);
    await hands.change({ template: templateOf("2") });
    await hands.ready(["t-0"]);
    const [first, second] = await hands.revisions();
    expect([first?.revision, second?.revision]).toEqual([1, 2]);
    const { metadata, data } = first!;
    expect(metadata.labels).toEqual({ app: "a", v: "1", "controller.kubernetes.io/hash": metadata.name.slice(2) });
    expect(metadata.name).toMatch(/^t-[bcdfghjklmnpqrstvwxz2456789]+$/);
    expect(metadata.ownerReferences?.[0]).toMatchObject({ kind: "StatefulSet", name: "t", controller: true });
    expect(data).toEqual({
      spec: { template: { ...(await hands.set()).spec.template, ...stored("1"), $patch: "replace" } },
    });
    expect((await hands.set()).status).toMatchObject({
      currentRevision: second?.metadata.name,
      updateRevision: second?.metadata.name,
    });
    await hands.change({ template: templateOf("1") });
    const again = await hands.revisions();
    expect(again.map(({ metadata: { name }, revision }) => [name, revision])).toEqual([
      [second?.metadata.name, 2],
      [first?.metadata.name, 3],
    ]);
    expect((await hands.set()).status).toMatchObject({
      currentRevision: second?.metadata.name,
      updateRevision: first?.metadata.name,
    });
  });
  const stored = (version: string) => {
    const { metadata } = templateOf(version);
    return {
      metadata,
      spec: expect.objectContaining({ containers: [expect.objectContaining({ image: `i${version}` })] }),
    };
  };

  test("WL-STS-5: a name that another template has raises collisionCount", async () => {
    await start();
    await ordered(1);
    const [first] = await hands.revisions();
    await world.resource(StatefulSet).delete(at("t"));
    await world.advance("10s");
    await world
      .resource(ControllerRevision)
      .create({ metadata: at(first!.metadata.name), data: { x: 1 }, revision: 1 } as never);
    await hands.statefulSet();
    const { status } = await hands.set();
    expect(status.collisionCount).toBe(1);
    expect(status.updateRevision).not.toBe(first!.metadata.name);
    expect(await hands.names()).toEqual(["t-0"]);
  });

  test("WL-STS-6: of old revisions that no Pod has the newest revisionHistoryLimit stay", async () => {
    await start();
    await ordered(1, { revisionHistoryLimit: 1 });
    for (const version of ["2", "3", "4"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await hands.change({ template: templateOf(version) });
      // oxlint-disable-next-line no-await-in-loop -- as above
      await hands.ready(["t-0"]);
    }
    expect((await hands.revisions()).map(({ revision }) => revision)).toEqual([3, 4]);
    await hands.change({ revisionHistoryLimit: 0 });
    expect((await hands.revisions()).map(({ revision }) => revision)).toEqual([4]);
  });
});

describe("updates", () => {
  test("WL-STS-7: Pods are updated from the highest down, one at a time", async () => {
    await start();
    await ordered(3);
    await hands.change({ template: templateOf("2") });
    expect(await hands.versions()).toEqual(["t-0:1", "t-1:1", "t-2:2"]);
    await hands.ready(["t-2"]);
    expect(await hands.versions()).toEqual(["t-0:1", "t-1:2", "t-2:2"]);
    await hands.ready(["t-1"]);
    await hands.ready(["t-0"]);
    const { status } = await hands.set();
    expect(status).toMatchObject({ updatedReplicas: 3, currentReplicas: 3, readyReplicas: 3 });
    expect(status.currentRevision).toBe(status.updateRevision);
  });

  test("WL-STS-7: below the partition nothing is updated, and a lost Pod is made from the current revision", async () => {
    await start();
    await ordered(3, rolling({ partition: 1 }));
    await hands.change({ template: templateOf("2") });
    await hands.ready(["t-2"]);
    await hands.ready(["t-1"]);
    expect(await hands.versions()).toEqual(["t-0:1", "t-1:2", "t-2:2"]);
    await hands.remove("t-0");
    expect(await hands.versions()).toEqual(["t-0:1", "t-1:2", "t-2:2"]);
    await hands.ready(["t-0"]);
    const { status } = await hands.set();
    expect(status).toMatchObject({ currentReplicas: 1, updatedReplicas: 2 });
    expect(status.currentRevision).not.toBe(status.updateRevision);
    await hands.change({ ...rolling({ partition: 5 }), template: templateOf("3") });
    expect(await hands.versions()).toEqual(["t-0:1", "t-1:2", "t-2:2"]);
  });

  test.each([
    [2, ["t-0:1", "t-1:1", "t-2:1", "t-3:2", "t-4:2"]],
    ["50%", ["t-0:1", "t-1:1", "t-2:1", "t-3:2", "t-4:2"]],
    ["10%", ["t-0:1", "t-1:1", "t-2:1", "t-3:1", "t-4:2"]],
  ])("WL-STS-7: maxUnavailable %s of 5", async (maxUnavailable, expected) => {
    await start();
    await running(5, rolling({ maxUnavailable }));
    await hands.change({ template: templateOf("2") });
    expect(await hands.versions()).toEqual(expected);
    await world.advance("1h");
    expect(await hands.versions()).toEqual(expected);
  });

  test("WL-STS-8: a Pod of an update that does not get ready stops it, a newer template does not replace it", async () => {
    await start();
    await ordered(2);
    await hands.change({ template: templateOf("2") });
    await hands.change({ template: templateOf("3") });
    expect(await hands.versions()).toEqual(["t-0:1", "t-1:2"]);
    await hands.remove("t-1");
    expect(await hands.versions()).toEqual(["t-0:1", "t-1:3"]);
  });

  test("WL-STS-9: OnDelete updates a Pod only when it is deleted", async () => {
    await start();
    await ordered(2, { updateStrategy: { type: "OnDelete" } });
    await hands.change({ template: templateOf("2") });
    await world.advance("1h");
    expect(await hands.versions()).toEqual(["t-0:1", "t-1:1"]);
    await hands.remove("t-0");
    expect(await hands.versions()).toEqual(["t-0:2", "t-1:1"]);
  });

  test("WL-STS-15: with minReadySeconds the next of an update waits", async () => {
    await start();
    await ordered(2, { podManagementPolicy: "Parallel", minReadySeconds: 10 });
    await world.advance("11s");
    await hands.change({ template: templateOf("2") });
    await hands.ready(["t-1"]);
    await world.advance("9s");
    expect(await hands.versions()).toEqual(["t-0:1", "t-1:2"]);
    await world.advance("2s");
    expect(await hands.versions()).toEqual(["t-0:2", "t-1:2"]);
  });

  test("WL-STS-14: the status counts Pods; counts of 0 are absent but for two", async () => {
    await start();
    await hands.statefulSet({ replicas: 2 });
    const { updateRevision } = (await hands.set()).status;
    expect((await hands.set()).status).toEqual({
      observedGeneration: 1,
      replicas: 1,
      currentReplicas: 1,
      updatedReplicas: 1,
      currentRevision: updateRevision,
      updateRevision,
      collisionCount: 0,
      availableReplicas: 0,
    });
    await hands.change({ replicas: 0 });
    expect((await hands.set()).status).toEqual({
      observedGeneration: 2,
      replicas: 0,
      currentRevision: updateRevision,
      updateRevision,
      collisionCount: 0,
      availableReplicas: 0,
    });
  });
});

describe("claims", () => {
  const policy = (whenDeleted: string, whenScaled: string) => ({
    persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
    volumeClaimTemplates: [CLAIM],
  });

  test("WL-STS-10: a Pod has a claim of its own, which stays and is used again", async () => {
    await start();
    await ordered(2, { volumeClaimTemplates: [CLAIM] });
    const made = (await claim("data-t-1"))!;
    expect(made.metadata.labels).toEqual({ app: "a", l: "m" });
    expect(made.metadata.ownerReferences).toBeUndefined();
    const { spec } = await hands.pods.get(at("t-1"));
    expect(spec.volumes?.filter(({ name }) => name === "data")).toEqual([
      { name: "data", persistentVolumeClaim: { claimName: "data-t-1" } },
    ]);
    await hands.change({ replicas: 0 });
    await world.resource(StatefulSet).delete(at("t"));
    await world.advance("10s");
    expect((await claim("data-t-1"))?.metadata.uid).toBe(made.metadata.uid);
    const events = await hands.events();
    expect(events).toContain("Normal SuccessfulCreate: Create Claim data-t-0 Pod t-0 in StatefulSet t success");
  });

  test("WL-STS-11: whenScaled Delete gives the claim to the Pod that is to go, and the collector has it", async () => {
    await start();
    await hands.node("n");
    await ordered(2, policy("Retain", "Delete"));
    await hands.bind(["t-1"], "n");
    expect(await ownersOf("data-t-1")).toBeUndefined();
    await hands.change({ replicas: 1 });
    expect(await ownersOf("data-t-1")).toEqual(["Pod/t-1"]);
    await hands.gone("t-1");
    await world.advance("10s");
    expect(await claim("data-t-1")).toBeUndefined();
    expect(await ownersOf("data-t-0")).toBeUndefined();
    await hands.change({ replicas: 2 });
    expect(await hands.names()).toEqual(["t-0", "t-1"]);
    expect(await claim("data-t-1")).toBeDefined();
  });

  test("WL-STS-11: a Pod waits for the end of the claim of the Pod before it", async () => {
    await start();
    await ordered(2, policy("Retain", "Delete"));
    await world
      .resource(PersistentVolumeClaim)
      .patch(at("data-t-1"), { metadata: { finalizers: ["example.com/x"] } } as never);
    await hands.change({ replicas: 1 });
    await hands.change({ replicas: 2 });
    await world.advance("1m");
    expect(await hands.names()).toEqual(["t-0"]);
    await world.resource(PersistentVolumeClaim).patch(at("data-t-1"), { metadata: { finalizers: null } } as never);
    await world.advance("10s");
    expect(await hands.names()).toEqual(["t-0", "t-1"]);
  });

  test("WL-STS-11: whenDeleted Delete makes the set the owner of its claims, until the policy changes", async () => {
    await start();
    await ordered(1, policy("Delete", "Retain"));
    expect(await ownersOf("data-t-0")).toEqual(["StatefulSet/t"]);
    await hands.change({ persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" } });
    expect(await ownersOf("data-t-0")).toBeUndefined();
    await hands.change({ persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" } });
    expect(await ownersOf("data-t-0")).toEqual(["StatefulSet/t"]);
    await world.resource(StatefulSet).delete(at("t"));
    await world.advance("10s");
    expect(await claim("data-t-0")).toBeUndefined();
  });

  test("WL-STS-11: a claim that another controller has stays with it, and an Event says so", async () => {
    await start();
    await ordered(1, policy("Delete", "Retain"));
    const { metadata: owner } = await world.resource(ConfigMap).create({ metadata: at("c") } as NewObject<ConfigMap>);
    const other = { apiVersion: "v1", kind: "ConfigMap", name: "c", uid: owner.uid, controller: true };
    const own = (await claim("data-t-0"))!.metadata.ownerReferences!.map((one) => ({ ...one, controller: false }));
    await world
      .resource(PersistentVolumeClaim)
      .patch(at("data-t-0"), { metadata: { ownerReferences: [...own, other] } } as never);
    await hands.change({ minReadySeconds: 0, revisionHistoryLimit: 3 });
    expect((await claim("data-t-0"))!.metadata.ownerReferences?.map(({ kind }) => kind)).toEqual(["ConfigMap"]);
    const conflict = "Warning ConflictingController: PersistentVolumeClaim data-t-0 has a conflicting OwnerReference";
    expect((await hands.events()).some((text) => text.startsWith(conflict))).toBe(true);
  });

  test("the templates of claims cannot change: the server refuses it", async () => {
    await start();
    await ordered(1, { volumeClaimTemplates: [CLAIM] });
    const larger = { ...CLAIM, spec: { ...CLAIM.spec, resources: { requests: { storage: "2Gi" } } } };
    await expect(hands.change({ volumeClaimTemplates: [larger] })).rejects.toThrow("spec: Forbidden");
  });

  test("WL-GEN-7: a refused claim is reported, and no Pod is created without it", async () => {
    await start();
    await hands.statefulSet({
      volumeClaimTemplates: [CLAIM, { ...CLAIM, metadata: { name: "x", labels: { l: "not valid!" } } }],
    });
    expect(await hands.names()).toEqual([]);
    const told = (await hands.events()).filter((text) => text.startsWith("Warning FailedCreate"));
    expect(
      told.some((text) => text.includes("Create Pod t-0 in StatefulSet t failed error: failed to create PVC x-t-0: ")),
    ).toBe(true);
    expect((await hands.set()).status).toMatchObject({ replicas: 0, observedGeneration: 1 });
  });
});
