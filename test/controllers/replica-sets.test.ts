import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { Namespace, Pod, ReplicaSet, ReplicationController } from "../../src/client/kinds/index.ts";
import { replicaSets, replicationControllerPods } from "../../src/controllers/workloads/replicas.ts";
import { controllerOf } from "../../src/workloads/common/ownership.ts";
import { World } from "../runtime/world.ts";
import { WorkloadHands, at, refusingPods, template } from "./model/workload-hands.ts";

let world: World;
let hands: WorkloadHands;
let areFailuresExpected = false;
beforeEach(async () => {
  areFailuresExpected = false;
  world = await World.create();
  hands = new WorkloadHands(world);
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.warnings.length > 0 && !areFailuresExpected) throw new Error(world.warnings.join("\n"));
});
const start = () => world.run(replicaSets, replicationControllerPods);
/** Starts the controllers, whose Pods are refused while `refuses` says so. */
const startRefused = async (refuses: () => boolean) => {
  const client = world.cluster.client("manager").with({ through: refusingPods(refuses) });
  await world.manager({ client }).add(replicaSets).start();
  areFailuresExpected = true;
};
const sets = () => world.resource(ReplicaSet);
const status = async (name = "r") => (await sets().get(at(name))).status;
const bound = { nodeName: "n", terminationGracePeriodSeconds: 30 };

describe("making and deleting", () => {
  test("WL-RS-1, WL-GEN-7: as many Pods as it wants, of its template, with itself as their controller, and Events", async () => {
    await start();
    const made = template("i1", {}, { annotations: { note: "n" }, finalizers: ["example.com/x"] });
    const { metadata } = await hands.replicaSet({ replicas: 2, template: made });
    const pods = await hands.pods();
    expect(pods).toHaveLength(2);
    for (const pod of pods) {
      expect(pod.metadata.name).toMatch(/^r-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      expect(pod.metadata).toMatchObject({
        generateName: "r-",
        labels: { app: "a" },
        annotations: { note: "n" },
        finalizers: ["example.com/x"],
        ownerReferences: [
          {
            apiVersion: "apps/v1",
            kind: "ReplicaSet",
            name: "r",
            uid: metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      });
      expect(pod.spec.containers[0]?.image).toBe("i1");
    }
    expect((await hands.events("r")).toSorted()).toEqual(
      pods.map((pod) => `Normal SuccessfulCreate replicaset-controller: Created pod: ${pod.metadata.name}`).toSorted(),
    );
    const [first] = pods;
    await hands.setReady(first!);
    await hands.patch(ReplicaSet, "r", { spec: { replicas: 1 } });
    const going = (await hands.pods()).filter(({ metadata: { deletionTimestamp } }) => deletionTimestamp);
    expect(going.map(({ metadata: { name } }) => name)).toEqual([pods[1]!.metadata.name]);
    expect(await hands.events("r")).toContain(
      `Normal SuccessfulDelete replicaset-controller: Deleted pod: ${pods[1]!.metadata.name}`,
    );
  });

  test("WL-RS-1: a ReplicationController does the same with its map of labels", async () => {
    await start();
    const spec = { replicas: 2, selector: { app: "a" }, template: template() };
    await world.resource(ReplicationController).create({ metadata: at("k"), spec } as NewObject<ReplicationController>);
    await world.settled();
    await hands.pod("x");
    await world.settled();
    const pods = await hands.pods();
    expect(pods).toHaveLength(2);
    expect(pods.map((pod) => controllerOf(pod)?.kind)).toEqual(["ReplicationController", "ReplicationController"]);
    expect((await hands.events("k")).toSorted()[0]).toMatch(
      /^Normal SuccessfulCreate replication-controller: Created pod: k-/,
    );
    const { status: counts } = await world.resource(ReplicationController).get(at("k"));
    expect(counts).toEqual({ replicas: 2, fullyLabeledReplicas: 2, observedGeneration: 1 });
  });

  test("WL-RS-2: a Pod that ended or is going is replaced at once, and one that ended stays", async () => {
    await start();
    await hands.replicaSet({ replicas: 3, template: template("i1", bound) });
    const [failed, succeeded, going] = await hands.names();
    await world.resource(Pod).status.patch(at(failed!), { status: { phase: "Failed" } });
    await world.resource(Pod).status.patch(at(succeeded!), { status: { phase: "Succeeded" } });
    await world.resource(Pod).delete(at(going!));
    await world.settled();
    const names = await hands.names();
    expect(names).toHaveLength(6);
    expect(names).toEqual(expect.arrayContaining([failed, succeeded, going]));
    expect(await status()).toMatchObject({ replicas: 3, terminatingReplicas: 1 });
  });

  test("WL-RS-3: a change of the template touches no Pod that is there", async () => {
    await start();
    await hands.replicaSet({ replicas: 1 });
    const [before] = await hands.pods();
    await hands.patch(ReplicaSet, "r", { spec: { template: template("i2") } });
    const [after] = await hands.pods();
    expect(after!.metadata.resourceVersion).toBe(before!.metadata.resourceVersion);
    await world.resource(Pod).delete(at(before!.metadata.name));
    await world.settled();
    expect((await hands.pods()).map(({ spec }) => spec.containers[0]?.image)).toEqual(["i2"]);
  });

  test("WL-RS-4: Pods of all ReplicaSets of one Deployment count on a node, those of one without a controller do not", async () => {
    await start();
    const controller = { apiVersion: "apps/v1", kind: "Deployment", name: "d", uid: "d-1", controller: true };
    for (const [name, ownerReferences] of [
      ["r", [controller]],
      ["s", [controller]],
      ["t", []],
    ] as const) {
      const labels = { matchLabels: { app: name } };
      const made = template("i1", { nodeName: name === "s" ? "b" : "a" }, { labels: { app: name } });
      await hands.replicaSet({ replicas: 1, selector: labels, template: made }, { name, ownerReferences });
      await hands.ready();
      await world.advance("1h");
    }
    const second = template("i1", { nodeName: "b" }, { labels: { app: "r" } });
    // A second Pod on the node of `s`, which was ready for as long as that on the other node.
    await world.advance("300h");
    await hands.patch(ReplicaSet, "r", { spec: { template: second, replicas: 2 } });
    await hands.ready();
    await world.advance("3000h");
    await hands.patch(ReplicaSet, "r", { spec: { replicas: 1 } });
    const left = (await hands.pods()).filter(
      ({ metadata }) => metadata.labels?.["app"] === "r" && !metadata.deletionTimestamp,
    );
    expect(left.map(({ spec }) => spec.nodeName)).toEqual(["a"]);
  });

  test("WL-GEN-5: a template that is refused costs one request until the next try; batches grow while none is", async () => {
    let asked = 0;
    let room = 0;
    await startRefused(() => ++asked > room);
    await hands.replicaSet({ replicas: 40 });
    expect([asked, (await hands.names()).length]).toEqual([1, 0]);
    expect(await hands.events("r")).toEqual([
      "Warning FailedCreate replicaset-controller: Error creating: pods is forbidden: exceeded quota: q",
    ]);
    room = 3;
    asked = 0;
    await world.advance("5ms");
    // 1, then 2, then 4 of which none may be made.
    expect([asked, (await hands.names()).length]).toEqual([7, 3]);
    room = Infinity;
    await world.advance("1m");
    expect(await hands.names()).toHaveLength(40);
  });

  test("WL-GEN-5: at most 500 are made by one plan, and all of them in the end", async () => {
    await start();
    await hands.replicaSet({ replicas: 620 });
    expect(await hands.names()).toHaveLength(620);
    expect(await status()).toMatchObject({ replicas: 620, observedGeneration: 1 });
  });

  test("WL-GEN-4: a failed sync is tried again after milliseconds, then after twice as long", async () => {
    const times: number[] = [];
    await startRefused(() => times.push(world.clock.now()) > 0);
    await hands.replicaSet({ replicas: 1 });
    await world.advance("100s");
    const waits = times.slice(1).map((time, i) => time - times[i]!);
    expect(waits.length).toBeGreaterThan(12);
    for (const [i, wait] of waits.entries()) {
      // Half of it is by chance.
      expect(wait).toBeGreaterThanOrEqual(2.5 * 2 ** i);
      expect(wait).toBeLessThanOrEqual(5 * 2 ** i + 1);
    }
  });

  test("nothing is made in a namespace that is being deleted, which is no failure", async () => {
    await start();
    await world.cluster
      .client("test")
      .resource({ apiVersion: "v1", kind: "Namespace" })
      .then(async (namespaces) => {
        await namespaces.create({ metadata: { name: "ending", finalizers: ["example.com/x"] } } as never);
        await hands.replicaSet({ replicas: 2 }, { namespace: "ending" });
        expect(await hands.names()).toHaveLength(2);
        await namespaces.delete({ name: "ending" });
      });
    for (const { metadata } of await hands.pods()) {
      await world.resource(Pod).delete({ name: metadata.name, namespace: "ending" });
    }
    await world.advance("1h");
    expect(await hands.names()).toHaveLength(0);
    expect(world.failures).toEqual([]);
  });
});

describe("ownership", () => {
  test("WL-GEN-1: it takes Pods that fit and have no controller, and lets those go whose labels no longer fit", async () => {
    await hands.pod("fits");
    await hands.pod("other", { labels: { app: "b" } });
    await hands.pod("going", { finalizers: ["example.com/x"] });
    await world.resource(Pod).delete(at("going"));
    const owner = { apiVersion: "v1", kind: "ReplicationController", name: "z", uid: "z-1", controller: true };
    await hands.pod("owned", { ownerReferences: [owner] });
    await start();
    const { metadata } = await hands.replicaSet({ replicas: 1 });
    expect(await hands.names()).toEqual(["fits", "going", "other", "owned"]);
    const ownerOf = async (name: string) => controllerOf(await world.resource(Pod).get(at(name)))?.uid;
    expect(await ownerOf("fits")).toBe(metadata.uid);
    expect(await ownerOf("other")).toBeUndefined();
    expect(await ownerOf("going")).toBeUndefined();
    expect(await ownerOf("owned")).toBe("z-1");
    await hands.patch(Pod, "fits", { metadata: { labels: { app: "b" } } });
    expect(await ownerOf("fits")).toBeUndefined();
    expect(await hands.names()).toHaveLength(5);
    await hands.patch(Pod, "other", { metadata: { labels: { app: "a" } } });
    // Taken over, and one too many.
    expect((await status()).replicas).toBe(1);
  });

  test("WL-GEN-2: while it is being deleted it only writes status", async () => {
    await start();
    await hands.replicaSet({ replicas: 2 }, { finalizers: ["example.com/x"] });
    await hands.pod("free", { labels: { app: "b" } });
    await sets().delete(at("r"), { propagationPolicy: "Orphan" });
    await world.settled();
    await hands.patch(Pod, "free", { metadata: { labels: { app: "a" } } });
    const [first] = (await hands.names()).filter((name) => name !== "free");
    await world.resource(Pod).delete(at(first!));
    await world.settled();
    expect(await hands.names()).toHaveLength(2);
    expect(controllerOf(await world.resource(Pod).get(at("free")))).toBeUndefined();
    expect(await status()).toMatchObject({ replicas: 1, observedGeneration: 2 });
  });

  test("WL-RS-5: Pods that are taken over and are too many are deleted by the order of who goes first", async () => {
    for (const name of ["p1", "p2", "p3"]) await hands.pod(name);
    await hands.setReady("p2");
    await start();
    await hands.replicaSet({ replicas: 1 });
    expect(await hands.names()).toEqual(["p2"]);
  });

  test("a Pod of another namespace that names its uid is none of its own", async () => {
    await start();
    const { uid } = (await hands.replicaSet({ replicas: 1 })).metadata;
    await world.resource(Namespace).create({ metadata: { name: "elsewhere" } });
    const ownerReferences = [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid, controller: true }];
    await hands.pod("stray", { namespace: "elsewhere", ownerReferences });
    expect((await status()).replicas).toBe(1);
    await hands.patch(ReplicaSet, "r", { spec: { replicas: 0 } });
    expect((await status()).replicas).toBe(0);
    const left = await world.resource(Pod).list();
    expect(left.items.map(({ metadata }) => metadata.name)).toEqual(["stray"]);
  });

  test("a free Pod of other labels is taken over once its labels fit", async () => {
    await start();
    await hands.replicaSet({ replicas: 2 });
    await hands.pod("free", { labels: { other: "x" } });
    const ownerOf = async (name: string) => controllerOf(await world.resource(Pod).get(at(name)));
    expect(await ownerOf("free")).toBeUndefined();
    await hands.patch(ReplicaSet, "r", { spec: { replicas: 3 } });
    await hands.patch(Pod, "free", { metadata: { labels: { app: "a", other: null } } });
    const pods = await hands.pods();
    expect([pods.length, pods.filter((pod) => controllerOf(pod)?.name === "r").length]).toEqual([3, 3]);
  });

  test("an owner that was deleted behind its memory takes nothing over", async () => {
    await start();
    await hands.replicaSet({ replicas: 0 });
    await sets().delete(at("r"), { propagationPolicy: "Orphan" });
    await hands.pod("free");
    expect(controllerOf(await world.resource(Pod).get(at("free")))).toBeUndefined();
  });
});

describe("status", () => {
  test("WL-RS-6, WL-GEN-3: counts; those that are 0 are absent but replicas and terminatingReplicas", async () => {
    await start();
    const labels = { app: "a", v: "1" };
    await hands.replicaSet({ replicas: 0, template: template("i1", bound, { labels }) });
    expect(await status()).toEqual({ replicas: 0, terminatingReplicas: 0, observedGeneration: 1 });
    await hands.pod("plain", {}, bound);
    await hands.patch(ReplicaSet, "r", { spec: { replicas: 3 } });
    expect(await status()).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      terminatingReplicas: 1,
      observedGeneration: 2,
    });
    await hands.ready("i1", 2);
    expect(await status()).toMatchObject({ readyReplicas: 2, availableReplicas: 2 });
    const [first] = (await hands.pods()).filter(({ metadata }) => !metadata.deletionTimestamp);
    await hands.patch(Pod, first!.metadata.name, { metadata: { labels: { v: null } } });
    expect(await status()).toMatchObject({ replicas: 3, fullyLabeledReplicas: 2 });
  });

  test("WL-RS-6: a Pod that something holds is terminating until it is let go", async () => {
    await start();
    await hands.replicaSet({ replicas: 1, template: template("i1", {}, { finalizers: ["example.com/x"] }) });
    await hands.patch(ReplicaSet, "r", { spec: { replicas: 0 } });
    expect(await status()).toEqual({ replicas: 0, terminatingReplicas: 1, observedGeneration: 2 });
    const [name] = await hands.names();
    await hands.patch(Pod, name!, { metadata: { finalizers: null } });
    expect(await status()).toEqual({ replicas: 0, terminatingReplicas: 0, observedGeneration: 2 });
  });

  test("WL-RS-7: a failure is a condition until it is over", async () => {
    let refuses = true;
    await startRefused(() => refuses);
    await hands.replicaSet({ replicas: 1 });
    const { conditions, replicas } = await status();
    expect(replicas).toBe(0);
    expect(conditions).toEqual([
      {
        type: "ReplicaFailure",
        status: "True",
        reason: "FailedCreate",
        lastTransitionTime: expect.any(String) as string,
        message: "pods is forbidden: exceeded quota: q",
      },
    ]);
    await world.advance("10s");
    expect((await status()).conditions).toEqual(conditions);
    refuses = false;
    await world.advance("1m");
    expect(await status()).toEqual({
      replicas: 1,
      fullyLabeledReplicas: 1,
      terminatingReplicas: 0,
      observedGeneration: 1,
    });
  });

  test("WL-RS-8: a Pod is available when it was ready for minReadySeconds, to the second", async () => {
    await start();
    await hands.replicaSet({ replicas: 2, minReadySeconds: 10 });
    await hands.ready("i1", 1);
    await world.advance("4s");
    await hands.ready("i1", 1);
    await world.advance("5999ms");
    expect(await status()).toMatchObject({ readyReplicas: 2 });
    expect((await status()).availableReplicas).toBeUndefined();
    await world.advance("1ms");
    expect(await status()).toMatchObject({ availableReplicas: 1 });
    await world.advance("4s");
    expect(await status()).toMatchObject({ availableReplicas: 2 });
  });

  test("at rest nothing is written", async () => {
    await start();
    await hands.replicaSet({ replicas: 3, minReadySeconds: 5 });
    await hands.ready();
    await world.advance("10s");
    const before = await hands.versions();
    await world.advance("24h");
    expect(await hands.versions()).toEqual(before);
  });
});

test("WL-GEN-6: two that run at once come to the same number of Pods", async () => {
  for (const seed of [1, 2]) await world.manager({ seed }).add(replicaSets).start();
  await hands.replicaSet({ replicas: 7 });
  await world.advance("1m");
  expect(await hands.names()).toHaveLength(7);
  await hands.patch(ReplicaSet, "r", { spec: { replicas: 3 } });
  await world.advance("1m");
  expect(await hands.names()).toHaveLength(3);
  expect(await status()).toMatchObject({ replicas: 3 });
});
