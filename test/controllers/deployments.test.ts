import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Deployment, Pod, ReplicaSet } from "../../src/client/kinds/index.ts";
import { deploymentRollout } from "../../src/controllers/workloads/deployment.ts";
import { replicaSets } from "../../src/controllers/workloads/replicas.ts";
import { controllerOf } from "../../src/workloads/common/ownership.ts";
import { hashOf } from "../../src/workloads/common/template.ts";
import { World } from "../runtime/world.ts";
import { WorkloadHands, at, refusingPods, template } from "./model/workload-hands.ts";

let world: World;
let hands: WorkloadHands;
let areFailuresExpected = false;
beforeEach(async () => {
  world = await World.create();
  hands = new WorkloadHands(world);
  areFailuresExpected = false;
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.warnings.length > 0 && !areFailuresExpected) throw new Error(world.warnings.join("\n"));
});
const start = () => world.run(deploymentRollout, replicaSets);
const rolling = (maxSurge: number | string, maxUnavailable: number | string) => ({
  strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
});
const recreate = { strategy: { type: "Recreate" } };
const PREFIX = "deployment.kubernetes.io/";
/** The annotations of a Deployment or ReplicaSet without their prefix. */
const annotationsOf = ({ metadata }: Deployment | ReplicaSet) =>
  Object.fromEntries(
    Object.entries(metadata.annotations ?? {}).map(([name, value]) => [name.replace(PREFIX, ""), value]),
  );
const conditions = async () => hands.conditions(await hands.deployment);
/** A template whose Pods are bound, so that they stay a while when they are deleted. */
const boundTemplate = (image = "i1") => template(image, { nodeName: "n", terminationGracePeriodSeconds: 30 });

describe("making ReplicaSets", () => {
  test("WL-DEP-1, WL-DEP-3, WL-DEP-9, WL-GEN-8: one for its template, named by the hash of it", async () => {
    await start();
    const annotations = {
      note: "n",
      "kubectl.kubernetes.io/last-applied-configuration": "{}",
      [`${PREFIX}revision`]: "7",
    };
    const { metadata } = await hands.deploy({ replicas: 4, minReadySeconds: 3 }, { annotations });
    const [set] = await hands.sets();
    const hash = hashOf((await hands.deployment).spec.template);
    expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]+$/);
    expect(set!.metadata).toMatchObject({
      name: `w-${hash}`,
      labels: { app: "a", "pod-template-hash": hash },
      ownerReferences: [
        { kind: "Deployment", name: "w", uid: metadata.uid, controller: true, blockOwnerDeletion: true },
      ],
    });
    expect(set!.spec).toMatchObject({
      replicas: 4,
      minReadySeconds: 3,
      selector: { matchLabels: { app: "a", "pod-template-hash": hash } },
      template: { metadata: { labels: { app: "a", "pod-template-hash": hash } } },
    });
    expect(annotationsOf(set!)).toEqual({ note: "n", revision: "1", "desired-replicas": "4", "max-replicas": "5" });
    expect(annotationsOf(await hands.deployment)).toMatchObject({ revision: "1" });
    expect(await hands.events("w")).toEqual([
      `Normal ScalingReplicaSet deployment-controller: Scaled up replica set w-${hash} from 0 to 4`,
    ]);
  });

  test("WL-DEP-2: only a change of the template makes another one, an annotation included", async () => {
    await start();
    await hands.deploy({ replicas: 1 });
    await hands.finish();
    await hands.patch(Deployment, "w", {
      metadata: { labels: { x: "1" }, annotations: { y: "1" } },
      spec: { minReadySeconds: 5, strategy: { rollingUpdate: { maxSurge: 3 } }, replicas: 2 },
    });
    const [only, ...others] = await hands.sets();
    expect(others).toEqual([]);
    expect(only!.spec).toMatchObject({ minReadySeconds: 5, replicas: 2 });
    expect(annotationsOf(only!)).toMatchObject({ y: "1", "max-replicas": "5" });
    const restarted = { "kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z" };
    await hands.patch(Deployment, "w", { spec: { template: { metadata: { annotations: restarted } } } });
    expect(await hands.sets()).toHaveLength(2);
  });

  test("WL-DEP-2: of several of its own with its template the oldest is the present one", async () => {
    await start();
    const { metadata } = await hands.deploy({ replicas: 1 });
    const [first] = await hands.sets();
    await world.advance("5s");
    const labels = { app: "a", "pod-template-hash": "other" };
    const owner = { apiVersion: "apps/v1", kind: "Deployment", name: "w", uid: metadata.uid, controller: true };
    const spec = { replicas: 1, selector: { matchLabels: labels }, template: template("i1", {}, { labels }) };
    await hands.replicaSet(spec, { name: "twin", labels, ownerReferences: [owner] });
    await hands.finish();
    const sizes = (await hands.sets()).map((set) => [set.metadata.name, set.spec.replicas]);
    expect(sizes).toEqual([
      [first!.metadata.name, 1],
      ["twin", 0],
    ]);
  });

  test("WL-DEP-4: going back takes the ReplicaSet that there is, with a new revision and a history", async () => {
    await start();
    await hands.deploy({ replicas: 1 });
    for (const image of ["i2", "i1", "i2", "i1"]) {
      await hands.finish();
      await world.advance("2s");
      await hands.setImage(image);
    }
    await hands.finish();
    expect(annotationsOf(await hands.setOf("i1"))).toMatchObject({ revision: "5", "revision-history": "1,3" });
    expect(annotationsOf(await hands.setOf("i2"))).toMatchObject({ revision: "4", "revision-history": "2" });
    expect(annotationsOf(await hands.deployment)).toMatchObject({ revision: "5" });
    expect(await hands.sizes()).toBe("i1 1, i2 0");
  });

  test("WL-DEP-4: the history of a ReplicaSet keeps its last revisions, in 2000 characters", async () => {
    await start();
    await hands.deploy({ replicas: 0 });
    await hands.setImage("i2");
    const history = Array.from({ length: 500 }, (_, i) => String(1000 + i))
      .join(",")
      .slice(0, 1999);
    const { metadata } = await hands.setOf("i1");
    await hands.patch(ReplicaSet, metadata.name, {
      metadata: { annotations: { [`${PREFIX}revision-history`]: history } },
    });
    await hands.setImage("i1");
    const kept = annotationsOf(await hands.setOf("i1"))["revision-history"]!;
    expect(kept.length).toBeLessThanOrEqual(2000);
    expect(kept).toMatch(/^1001,1002,.*,1$/);
  });

  test("WL-DEP-5: a name that is taken raises collisionCount, and the next hash is tried", async () => {
    const { spec } = await hands.deploy({ replicas: 1 });
    const labels = { app: "z" };
    for (const taken of [undefined, 1]) {
      const name = `w-${hashOf(spec.template, taken)}`;
      await hands.replicaSet(
        { replicas: 0, selector: { matchLabels: labels }, template: template("i1", {}, { labels }) },
        { name },
      );
    }
    await start();
    await world.settled();
    const { status } = await hands.deployment;
    expect(status.collisionCount).toBe(2);
    const made = (await hands.sets()).find((set) => set.spec.replicas === 1);
    expect(made?.metadata.name).toBe(`w-${hashOf(spec.template, 2)}`);
  });

  test("WL-DEP-6, WL-GEN-1: one that it takes over is the present one if the template is equal, else an old one", async () => {
    const labels = { app: "a", x: "1" };
    const selected = { matchLabels: { app: "a", x: "1" } };
    const equal = { replicas: 2, selector: selected, template: template("i1", {}, { labels }) };
    await hands.replicaSet({ ...equal, template: template("i0", {}, { labels }) }, { name: "old", labels });
    await start();
    await hands.replicaSet(equal, { name: "same", labels });
    const { metadata } = await hands.deploy({ replicas: 2, template: template("i1", {}, { labels }) });
    await hands.finish();
    const sets = await hands.sets();
    expect(sets.map((set) => [set.metadata.name, set.spec.replicas, controllerOf(set)?.uid])).toEqual([
      ["old", 0, metadata.uid],
      ["same", 2, metadata.uid],
    ]);
    await hands.patch(ReplicaSet, "same", { metadata: { labels: { app: "b" } } });
    await hands.finish();
    const now = await hands.sets();
    expect(controllerOf(now.find((set) => set.metadata.name === "same")!)).toBeUndefined();
    expect(now).toHaveLength(3);
  });

  test.each([
    [0, ["i9"]],
    [2, ["i7", "i8", "i9"]],
    [undefined, ["i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8", "i9"]],
  ])("WL-DEP-7: of old ones the newest %s are kept once the rollout is complete", async (limit, images) => {
    await start();
    await hands.deploy({ replicas: 1, ...(limit === undefined ? {} : { revisionHistoryLimit: limit }) });
    await hands.finish();
    for (let i = 2; i <= 9; i++) {
      await hands.setImage(`i${i}`);
      expect(await hands.sizes()).toContain(`i${i - 1} 1`);
      await hands.finish();
    }
    expect((await hands.sizes()).replaceAll(/ \d/g, "").split(", ")).toEqual(images);
  });

  test("WL-DEP-8: what is changed by hand is put right", async () => {
    await start();
    await hands.deploy({ replicas: 2 });
    await hands.finish();
    const [set] = await hands.sets();
    await hands.patch(ReplicaSet, set!.metadata.name, { spec: { replicas: 5 } });
    expect(await hands.sizes()).toBe("i1 2");
    await hands.patch(ReplicaSet, set!.metadata.name, { spec: { replicas: 0 } });
    expect(await hands.sizes()).toBe("i1 2");
    const [first] = await hands.names();
    await world.resource(Pod).delete(at(first!));
    await world.settled();
    expect(await hands.names()).toHaveLength(2);
    await world.resource(ReplicaSet).delete(set!, { propagationPolicy: "Orphan" });
    await world.resource(ReplicaSet).patch(at(set!.metadata.name), { metadata: { finalizers: null } } as never);
    await world.settled();
    const [again] = await hands.sets();
    expect(again!.metadata.name).toBe(set!.metadata.name);
    expect(again!.metadata.uid).not.toBe(set!.metadata.uid);
  });

  test("WL-GEN-2: while it is being deleted it only writes status, and its ReplicaSets are left alone", async () => {
    await start();
    await hands.deploy({ replicas: 2 }, { finalizers: ["example.com/x"] });
    await hands.finish();
    await world.resource(Deployment).delete(at("w"));
    await world.settled();
    const [set] = await hands.sets();
    await hands.patch(ReplicaSet, set!.metadata.name, { spec: { replicas: 1 } });
    expect(await hands.sizes()).toBe("i1 1");
    const { status, metadata } = await hands.deployment;
    expect(status).toMatchObject({ replicas: 1, observedGeneration: metadata.generation });
  });
});

describe("strategy", () => {
  test("WL-DEP-10, WL-DEP-11, WL-DEP-12: 4 with the defaults go by 3 + 2, 2 + 3, 1 + 4 to 0 + 4", async () => {
    await start();
    await hands.deploy({ replicas: 4 });
    await hands.finish();
    await hands.setImage("i2");
    const seen = [await hands.sizes()];
    while (seen.length < 20 && (await hands.sizes()) !== "i1 0, i2 4") {
      await hands.ready("i2", 1);
      seen.push(await hands.sizes());
    }
    expect(seen).toEqual(["i1 3, i2 2", "i1 2, i2 3", "i1 1, i2 4", "i1 0, i2 4"]);
  });

  test("WL-DEP-11: old Pods that are not ready do not hold up a newer template", async () => {
    await start();
    await hands.deploy({ replicas: 4, ...rolling(1, 1) });
    await hands.finish();
    await hands.setImage("broken");
    expect(await hands.sizes()).toBe("broken 2, i1 3");
    await hands.setImage("i3");
    expect(await hands.sizes()).toBe("broken 0, i1 3, i3 2");
    await hands.finish();
    expect(await hands.sizes()).toBe("broken 0, i1 0, i3 4");
  });

  test("WL-DEP-13: Pods that are going do not hold up a RollingUpdate; minReadySeconds does", async () => {
    await start();
    await hands.deploy({ replicas: 2, ...rolling(1, 0), minReadySeconds: 10, template: boundTemplate() });
    await hands.ready();
    await world.advance("10s");
    await hands.patch(Deployment, "w", { spec: { template: boundTemplate("i2") } });
    expect(await hands.sizes()).toBe("i1 2, i2 1");
    await hands.ready("i2");
    await world.advance("9999ms");
    expect(await hands.sizes()).toBe("i1 2, i2 1");
    await world.advance("1ms");
    expect(await hands.sizes()).toBe("i1 1, i2 2");
    await hands.ready("i2");
    await world.advance("10s");
    expect(await hands.sizes()).toBe("i1 0, i2 2");
    expect(await hands.pods("i1")).toHaveLength(2);
    expect(await conditions()).toMatchObject({ Progressing: "True NewReplicaSetAvailable" });
  });

  test("WL-DEP-14: Recreate makes nothing new before the last old Pod is gone or has ended", async () => {
    await start();
    await hands.deploy({ replicas: 2, ...recreate, template: boundTemplate() });
    await hands.ready();
    await hands.patch(Deployment, "w", { spec: { template: boundTemplate("i2") } });
    expect(await hands.sizes()).toBe("i1 0");
    const [first, second] = await hands.pods("i1");
    await hands.goneOf([first!]);
    expect(await hands.sizes()).toBe("i1 0");
    await world.resource(Pod).status.patch(at(second!.metadata.name), { status: { phase: "Succeeded" } });
    await world.settled();
    expect(await hands.sizes()).toBe("i1 0, i2 2");
  });

  test("WL-DEP-15: paused it makes no ReplicaSet and rolls nothing out, but scales those that there are", async () => {
    await start();
    await hands.deploy({ replicas: 2, paused: true });
    expect(await hands.sets()).toEqual([]);
    await hands.patch(Deployment, "w", { spec: { paused: false } });
    await hands.finish();
    await hands.patch(Deployment, "w", { spec: { paused: true, template: template("i2") } });
    expect(await hands.sizes()).toBe("i1 2");
    await hands.scale(5);
    expect(await hands.sizes()).toBe("i1 5");
    await hands.scale(0);
    await hands.scale(1);
    expect(await hands.sizes()).toBe("i1 1");
    await hands.patch(Deployment, "w", { spec: { paused: false } });
    await hands.finish();
    expect(await hands.sizes()).toBe("i1 0, i2 1");
  });

  test("WL-DEP-16: a change of replicas on the way is shared out: 4 + 2 of 4 with surge 2 to 10 is 8 + 4", async () => {
    await start();
    await hands.deploy({ replicas: 4, ...rolling(2, 0) });
    await hands.finish();
    await hands.setImage("i2");
    expect(await hands.sizes()).toBe("i1 4, i2 2");
    await hands.scale(10);
    expect(await hands.sizes()).toBe("i1 8, i2 4");
    await hands.scale(5);
    expect(await hands.sizes()).toBe("i1 5, i2 2");
    await hands.finish();
    expect(await hands.sizes()).toBe("i1 0, i2 5");
  });

  test("an annotation of old clients takes the Deployment back to a revision", async () => {
    await start();
    await hands.deploy({ replicas: 1 }, { annotations: { cause: "first" } });
    await hands.finish();
    await hands.patch(Deployment, "w", {
      metadata: { annotations: { cause: "second" } },
      spec: { template: template("i2") },
    });
    await hands.finish();
    const rollback = { "deprecated.deployment.rollback.to": "1" };
    await hands.patch(Deployment, "w", { metadata: { annotations: rollback } });
    await hands.finish();
    expect(await hands.sizes()).toBe("i1 1, i2 0");
    expect(annotationsOf(await hands.deployment)).toEqual({ cause: "first", revision: "3" });
    expect(await hands.events("w")).toContain(
      'Normal DeploymentRollback deployment-controller: Rolled back deployment "w" to revision 1',
    );
    await hands.patch(Deployment, "w", { metadata: { annotations: { "deprecated.deployment.rollback.to": "9" } } });
    expect(await hands.events("w")).toContain(
      "Warning DeploymentRollbackRevisionNotFound deployment-controller: Unable to find the revision to rollback to.",
    );
    expect(annotationsOf(await hands.deployment)).toEqual({ cause: "first", revision: "3" });
  });
});

describe("status", () => {
  test("WL-DEP-20, WL-GEN-3: counts; those that are 0 are absent but terminatingReplicas", async () => {
    await start();
    await hands.deploy({ replicas: 2, ...rolling(1, 0), template: boundTemplate() });
    const counts = async () => {
      const { conditions: _, ...others } = (await hands.deployment).status;
      return others;
    };
    expect(await counts()).toEqual({
      observedGeneration: 1,
      replicas: 2,
      updatedReplicas: 2,
      unavailableReplicas: 2,
      terminatingReplicas: 0,
    });
    await hands.ready(undefined, 1);
    expect(await counts()).toMatchObject({ readyReplicas: 1, availableReplicas: 1, unavailableReplicas: 1 });
    await hands.ready();
    await hands.patch(Deployment, "w", { spec: { template: boundTemplate("i2") } });
    expect(await counts()).toEqual({
      observedGeneration: 2,
      replicas: 3,
      updatedReplicas: 1,
      readyReplicas: 2,
      availableReplicas: 2,
      unavailableReplicas: 1,
      terminatingReplicas: 0,
    });
    await hands.ready("i2");
    expect(await counts()).toMatchObject({ replicas: 3, terminatingReplicas: 1, updatedReplicas: 2 });
    await hands.scale(0);
    await hands.goneOf(await hands.pods());
    expect(await counts()).toEqual({ observedGeneration: 3, terminatingReplicas: 0 });
  });

  test("WL-DEP-21: Available when replicas less maxUnavailable are; with 0 replicas, too", async () => {
    await start();
    await hands.deploy({ replicas: 3, ...rolling(1, 1) });
    expect(await conditions()).toMatchObject({ Available: "False MinimumReplicasUnavailable" });
    await hands.ready("i1", 2);
    expect(await conditions()).toMatchObject({ Available: "True MinimumReplicasAvailable" });
    const [first] = (await hands.pods()).filter(({ status: said }) => said.conditions);
    await hands.setReady(first!, "False");
    expect(await conditions()).toMatchObject({ Available: "False MinimumReplicasUnavailable" });
    await hands.scale(0);
    expect(await conditions()).toMatchObject({ Available: "True MinimumReplicasAvailable" });
  });

  test("WL-DEP-22: Progressing from the first ReplicaSet to the last Pod; lost Pods are no lack of progress", async () => {
    await start();
    await hands.deploy({ replicas: 2, progressDeadlineSeconds: 60 });
    expect(await conditions()).toMatchObject({ Progressing: "True ReplicaSetUpdated" });
    await world.advance("59s");
    await hands.ready(undefined, 1);
    await world.advance("59s");
    await hands.ready();
    expect(await conditions()).toMatchObject({ Progressing: "True NewReplicaSetAvailable" });
    const [first] = await hands.names();
    await hands.setReady(first!, "False");
    await world.advance("1h");
    expect(await conditions()).toMatchObject({ Progressing: "True NewReplicaSetAvailable" });
  });

  test("WL-DEP-22: no change for progressDeadlineSeconds is late, to the second, and later progress makes it good", async () => {
    await start();
    await hands.deploy({ replicas: 2, progressDeadlineSeconds: 60 });
    await world.advance("30s");
    await hands.ready(undefined, 1);
    await world.advance("60s");
    expect(await conditions()).toMatchObject({ Progressing: "True ReplicaSetUpdated" });
    await world.advance("1s");
    expect(await conditions()).toMatchObject({ Progressing: "False ProgressDeadlineExceeded" });
    const before = await hands.versions();
    await world.advance("1h");
    expect(await hands.versions()).toEqual(before);
    await hands.ready();
    expect(await conditions()).toMatchObject({ Progressing: "True NewReplicaSetAvailable" });
  });

  test("WL-DEP-22: with the largest number as deadline nothing is said of progress", async () => {
    await start();
    await hands.deploy({ replicas: 1, progressDeadlineSeconds: 2147483647 });
    await world.advance("2000h");
    expect(await conditions()).toEqual({ Available: "False MinimumReplicasUnavailable" });
  });

  test("WL-DEP-22: while it is paused there is no deadline, and after a resume its time starts again", async () => {
    await start();
    await hands.deploy({ replicas: 1, progressDeadlineSeconds: 60 });
    await world.advance("50s");
    await hands.patch(Deployment, "w", { spec: { paused: true } });
    expect(await conditions()).toMatchObject({ Progressing: "Unknown DeploymentPaused" });
    await world.advance("1h");
    await hands.patch(Deployment, "w", { spec: { paused: false } });
    expect(await conditions()).toMatchObject({ Progressing: "Unknown DeploymentResumed" });
    await world.advance("60s");
    expect(await conditions()).toMatchObject({ Progressing: "Unknown DeploymentResumed" });
    await world.advance("1s");
    expect(await conditions()).toMatchObject({ Progressing: "False ProgressDeadlineExceeded" });
  });

  test("WL-DEP-22: a ReplicaSet that is found says so where nothing was said of progress", async () => {
    await start();
    await hands.deploy({ replicas: 1, progressDeadlineSeconds: 2147483647 });
    await hands.patch(Deployment, "w", { spec: { progressDeadlineSeconds: 60 } });
    expect(await conditions()).toMatchObject({ Progressing: "True FoundNewReplicaSet" });
  });

  test("WL-DEP-22, WL-GEN-4: a ReplicaSet that is refused says so; it is tried 15 times more, then after a change", async () => {
    await start();
    areFailuresExpected = true;
    // With those of the revision they are more bytes of annotations than an object may have.
    await hands.deploy({ replicas: 1 }, { annotations: { big: "b".repeat(262_100) } });
    expect(await conditions()).toMatchObject({ Progressing: "False ReplicaSetCreateError" });
    const [event] = await hands.events("w");
    expect(event).toMatch(/^Warning ReplicaSetCreateError deployment-controller: Failed to create new replica set "w-/);
    await world.advance("1h");
    expect(world.failures).toHaveLength(15);
    await hands.patch(Deployment, "w", { metadata: { annotations: { big: null } } });
    expect(await hands.sizes()).toBe("i1 1");
  });

  test("WL-DEP-22: while a ReplicaSet is refused the old ones stay as they are", async () => {
    await start();
    areFailuresExpected = true;
    await hands.deploy({ replicas: 2 });
    const annotations = { big: "b".repeat(262_100) };
    const containers = [{ name: "c", image: "i2" }];
    await hands.patch(Deployment, "w", { metadata: { annotations }, spec: { template: { spec: { containers } } } });
    expect(await conditions()).toMatchObject({ Progressing: "False ReplicaSetCreateError" });
    expect(await hands.sizes()).toBe("i1 2");
  });

  test("WL-DEP-23: what a ReplicaSet fails at is a condition of the Deployment", async () => {
    let refuses = true;
    areFailuresExpected = true;
    const client = world.cluster.client("manager").with({ through: refusingPods(() => refuses) });
    await world.manager({ client }).add(deploymentRollout, replicaSets).start();
    await hands.deploy({ replicas: 2 });
    expect(await conditions()).toMatchObject({ ReplicaFailure: "True FailedCreate" });
    refuses = false;
    await world.advance("1m");
    expect(Object.keys(await conditions())).not.toContain("ReplicaFailure");
    expect(await hands.names()).toHaveLength(2);
  });

  test("WL-DEP-24: the scale subresource has replicas, those that there are, and the selector", async () => {
    await start();
    await hands.deploy({ replicas: 2 });
    const path = "/apis/apps/v1/namespaces/default/deployments/w/scale";
    const scale = async () => world.client.json<object>("GET", path);
    expect(await scale()).toMatchObject({ spec: { replicas: 2 }, status: { replicas: 2, selector: "app=a" } });
    await world
      .resource(Deployment)
      .subresource("scale")
      .patch(at("w"), { spec: { replicas: 3 } } as never);
    await world.settled();
    expect(await hands.sizes()).toBe("i1 3");
    expect(await scale()).toMatchObject({ spec: { replicas: 3 }, status: { replicas: 3 } });
  });

  test("at rest nothing is written", async () => {
    await start();
    await hands.deploy({ replicas: 3, minReadySeconds: 5, progressDeadlineSeconds: 20 });
    await hands.finish();
    await world.advance("10s");
    const before = await hands.versions();
    await world.advance("24h");
    expect(await hands.versions()).toEqual(before);
  });
});
