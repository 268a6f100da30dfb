import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type NewObject, isStatus } from "../../src/client/index.ts";
import {
  CoreEvent,
  CustomResourceDefinition,
  Deployment,
  Event,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
} from "../../src/client/kinds/index.ts";
import { disruption } from "../../src/controllers/workloads/disruption.ts";
import { World } from "../runtime/world.ts";

let world: World;
beforeEach(async () => {
  world = await World.create();
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.failures.length > 0) throw world.failures[0]!.error;
  if (world.warnings.length > 0) throw new Error(world.warnings.join("\n"));
});

const start = () => world.run(disruption);
const at = (name: string) => ({ name, namespace: "default" });
const pods = () => world.resource(Pod);
const now = () => new Date(world.clock.now()).toISOString().replace(/\.\d+/, "");
const POD_SPEC = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
const TEMPLATE = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };

const makePod = async (name: string, { ready = true, owner = undefined as object | undefined, metadata = {} } = {}) => {
  const ownerReferences = owner ? [{ controller: true, ...owner }] : [];
  await pods().create({
    metadata: { ...at(name), labels: { app: "a" }, ownerReferences, ...metadata },
    spec: POD_SPEC,
  } as unknown as NewObject<Pod>);
  await setReady(name, ready);
};
const setReady = async (name: string, ready: boolean) => {
  const conditions = [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: now() }];
  await pods().status.patch(at(name), { status: { phase: "Running", conditions } });
  await world.settled();
};
const makeBudget = async (spec: object, name = "b") => {
  const whole = { selector: { matchLabels: { app: "a" } }, ...spec };
  await world
    .resource(PodDisruptionBudget)
    .create({ metadata: at(name), spec: whole } as NewObject<PodDisruptionBudget>);
  await world.settled();
};
const budget = () => world.resource(PodDisruptionBudget).get(at("b"));
const counts = async () => {
  const { status } = await budget();
  const condition = status.conditions?.find(({ type }) => type === "DisruptionAllowed");
  return [
    status.expectedPods,
    status.currentHealthy,
    status.desiredHealthy,
    status.disruptionsAllowed,
    condition?.reason,
  ];
};
const evict = (name: string) =>
  world.client.json("POST", `/api/v1/namespaces/default/pods/${name}/eviction`, {
    body: { apiVersion: "policy/v1", kind: "Eviction", metadata: at(name) },
  });
const events = async () => (await world.resource(Event).list()).items.map(({ type, reason }) => `${type} ${reason}`);
const makeSet = async (name: string, replicas: number, owner?: object) => {
  const ownerReferences = owner ? [{ controller: true, ...owner }] : [];
  const spec = { replicas, selector: { matchLabels: { app: "a" } }, template: TEMPLATE };
  const { metadata } = await world
    .resource(ReplicaSet)
    .create({ metadata: { ...at(name), ownerReferences }, spec } as never);
  return { apiVersion: "apps/v1", kind: "ReplicaSet", name, uid: metadata.uid };
};

describe("WL-PDB-1: what is counted", () => {
  test("an integer minAvailable counts the Pods that fit; healthy ones are ready and not going", async () => {
    await start();
    await makeBudget({ minAvailable: 1 });
    for (const name of ["p", "q", "r"]) await makePod(name);
    await makePod("unready", { ready: false });
    expect(await counts()).toEqual([4, 3, 1, 2, "SufficientPods"]);
    expect((await budget()).status.observedGeneration).toBe(1);
    await pods().delete(at("p"));
    await world.settled();
    expect(await counts()).toEqual([4, 2, 1, 1, "SufficientPods"]);
    await pods().delete(at("p"), { gracePeriodSeconds: 0 });
    await setReady("q", false);
    expect(await counts()).toEqual([3, 1, 1, 0, "InsufficientPods"]);
  });

  test.each([
    [{ minAvailable: "50%" }, 4, [4, 2, 2, 0]],
    [{ minAvailable: "51%" }, 4, [4, 2, 3, 0]],
    [{ minAvailable: "20%" }, 3, [3, 2, 1, 1]],
    [{ maxUnavailable: 1 }, 2, [2, 2, 1, 1]],
    [{ maxUnavailable: "30%" }, 3, [3, 2, 2, 0]],
    [{ maxUnavailable: 5 }, 3, [3, 2, 0, 2]],
    [{ maxUnavailable: "100%" }, 3, [3, 2, 0, 2]],
  ])("%j of %i replicas, two of them healthy: %j", async (spec, replicas, expected) => {
    await start();
    const owner = await makeSet("rs", replicas);
    await makePod("p", { owner });
    await makePod("q", { owner });
    await makeBudget(spec);
    expect((await counts()).slice(0, 4)).toEqual(expected);
  });

  test("a Deployment is asked for its ReplicaSets, once; any other controller by its scale", async () => {
    await start();
    const deployment = await world.resource(Deployment).create({
      metadata: at("d"),
      spec: { replicas: 5, selector: { matchLabels: { app: "a" } }, template: TEMPLATE },
    } as never);
    const owner = { apiVersion: "apps/v1", kind: "Deployment", name: "d", uid: deployment.metadata.uid };
    await makePod("p", { owner: await makeSet("old", 1, owner) });
    await makePod("q", { owner: await makeSet("new", 2, owner) });
    await makeBudget({ maxUnavailable: 1 });
    expect(await counts()).toEqual([5, 2, 4, 0, "InsufficientPods"]);
    await makeCrane();
    const crane = await world.client.json<{ metadata: { uid: string } }>(
      "POST",
      "/apis/example.com/v1/namespaces/default/cranes",
      { body: { apiVersion: "example.com/v1", kind: "Crane", metadata: { name: "c" }, spec: { size: 3 } } },
    );
    await makePod("r", { owner: { apiVersion: "example.com/v1", kind: "Crane", name: "c", uid: crane.metadata.uid } });
    expect(await counts()).toEqual([8, 3, 7, 0, "InsufficientPods"]);
  });
});

async function makeCrane(): Promise<void> {
  const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  await world.resource(CustomResourceDefinition).create({
    metadata: { name: "cranes.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "cranes", kind: "Crane" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          subresources: { scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" }, status: {} },
        },
      ],
    },
  } as never);
  await world.settled();
}

test("WL-PDB-2: the time of the condition changes with its status; without Pods nothing is allowed, and an Event tells", async () => {
  await start();
  await makeBudget({ minAvailable: 0 });
  expect(await counts()).toEqual([0, 0, 0, 0, "InsufficientPods"]);
  expect(await events()).toEqual(["Normal NoPods"]);
  const time = async () => (await budget()).status.conditions![0]!.lastTransitionTime;
  const first = await time();
  await world.advance("10s");
  await makePod("p", { ready: false });
  expect(await time()).toBe(first);
  await setReady("p", true);
  expect(await time()).toBe(now());
});

test("WL-PDB-2: a controller that cannot be found is SyncFailed, and allows nothing", async () => {
  await start();
  await makePod("p", { owner: { apiVersion: "example.com/v1", kind: "Nothing", name: "x", uid: "1" } });
  await makeBudget({ maxUnavailable: 1 });
  const { status } = await budget();
  expect(status.conditions).toMatchObject([{ type: "DisruptionAllowed", status: "False", reason: "SyncFailed" }]);
  expect(status.conditions![0]!.message).toContain("Nothing");
  expect(status.disruptionsAllowed).toBe(0);
  const { resourceVersion } = (await budget()).metadata;
  await world.advance("1h");
  expect((await budget()).metadata.resourceVersion).toBe(resourceVersion);
});

test("WL-PDB-3: Pods without a controller do not count towards expected, and an Event tells", async () => {
  await start();
  await makePod("p", { owner: await makeSet("rs", 3) });
  await makePod("alone");
  await makeBudget({ maxUnavailable: 1 });
  expect(await counts()).toEqual([3, 2, 2, 0, "InsufficientPods"]);
  expect(await events()).toEqual(["Warning UnmanagedPods"]);
  const [event] = (await world.resource(CoreEvent).list()).items;
  expect(event!.reportingComponent).toBe("controllermanager");
  expect(event!.message).toContain(
    "(selector: &LabelSelector{MatchLabels:map[string]string{app: a,},MatchExpressions:[]LabelSelectorRequirement{},})",
  );
});

test("WL-PDB-3: a Job has no scale, so a budget of its Pods with maxUnavailable is SyncFailed", async () => {
  await start();
  const owner = { apiVersion: "batch/v1", kind: "Job", name: "j", uid: "1" };
  await makePod("p", { owner });
  await makeBudget({ maxUnavailable: 1 });
  const message = "jobs.batch does not implement the scale subresource";
  expect((await budget()).status.conditions).toMatchObject([{ status: "False", reason: "SyncFailed", message }]);
  const [event] = (await world.resource(CoreEvent).list()).items;
  expect(event!.message).toBe(`Failed to calculate the number of expected pods: ${message}`);
});

test("a Pod of several budgets counts in each, and an Event about it tells", async () => {
  await start();
  await makeBudget({ minAvailable: 0 });
  await makeBudget({ minAvailable: 0 }, "c");
  await makePod("p");
  expect(await counts()).toEqual([1, 1, 0, 1, "SufficientPods"]);
  const found = (await world.resource(CoreEvent).list()).items.filter(
    ({ involvedObject }) => involvedObject.kind === "Pod",
  );
  expect(found.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
    'MultiplePodDisruptionBudgets: Pod "default"/"p" matches multiple PodDisruptionBudgets.  Chose "b" arbitrarily.',
  ]);
});

test("WL-PDB-4: an empty selector is all Pods of the namespace", async () => {
  await start();
  await makeBudget({ minAvailable: 1, selector: {} });
  await makePod("p");
  await makePod("q", { metadata: { labels: { other: "x" } } });
  expect(await counts()).toEqual([2, 2, 1, 1, "SufficientPods"]);
});

describe("WL-PDB-10: evictions", () => {
  test("lower the number at once; the entry goes when the Pod is seen to go", async () => {
    await start();
    await makeBudget({ minAvailable: 1 });
    await makePod("p");
    await makePod("q");
    await evict("p");
    await expect(evict("q")).rejects.toSatisfy((error) => isStatus(error, "TooManyRequests"));
    await world.settled();
    const { status } = await budget();
    expect(status.disruptedPods).toBeUndefined();
    expect(await counts()).toEqual([2, 1, 1, 0, "InsufficientPods"]);
    const { conditions } = (await pods().get(at("p"))).status;
    expect(conditions).toContainEqual(
      expect.objectContaining({ type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI" }),
    );
  });

  test("of a Pod that is never deleted is dropped after two minutes, and the condition of the Pod is set back", async () => {
    await start();
    await makeBudget({ minAvailable: 1 });
    await makePod("p");
    await makePod("q");
    const conditions = [
      { type: "Ready", status: "True" },
      { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI", lastTransitionTime: now() },
    ];
    await pods().status.patch(at("p"), { status: { conditions } });
    await world
      .resource(PodDisruptionBudget)
      .status.patch(at("b"), { status: { disruptedPods: { p: now() }, disruptionsAllowed: 0 } });
    await world.settled();
    expect(await counts()).toEqual([2, 1, 1, 0, "InsufficientPods"]);
    await world.advance("120s");
    expect(await counts()).toEqual([2, 1, 1, 0, "InsufficientPods"]);
    const target = async () =>
      (await pods().get(at("p"))).status.conditions!.find(({ type }) => type === "DisruptionTarget");
    expect(await target()).toMatchObject({ status: "False" });
    await world.advance("1s");
    expect(await counts()).toEqual([2, 2, 1, 1, "SufficientPods"]);
    expect((await budget()).status.disruptedPods).toBeUndefined();
    expect(await events()).toContain("Warning NotDeleted");
  });

  test("of a Pod that is there again under its name does not count for the new one", async () => {
    await start();
    await makeBudget({ minAvailable: 0 });
    await makePod("p", { metadata: { finalizers: ["example.com/x"] } });
    await world.resource(PodDisruptionBudget).status.patch(at("b"), { status: { disruptedPods: { q: now() } } });
    await world.advance("5s");
    await world.resource(PodDisruptionBudget).status.patch(at("b"), { status: { disruptedPods: { q: now() } } });
    await world.advance("5s");
    await makePod("q");
    expect((await budget()).status.disruptedPods).toBeUndefined();
  });
});

describe("evictions that need no budget, or change nothing", () => {
  const isRefused = (error: unknown) => isStatus(error, "TooManyRequests");
  const isThere = async (name: string) => {
    const pod = await pods().find(at(name));
    return pod !== undefined && pod.metadata.deletionTimestamp === undefined;
  };

  test("WL-PDB-10: two budgets of one Pod are an error, and nothing is taken of either", async () => {
    await start();
    await makePod("p");
    await makePod("q");
    await makeBudget({ minAvailable: 1 });
    await makeBudget({ minAvailable: 0 }, "b2");
    await expect(evict("p")).rejects.toMatchObject({ status: { code: 500 } });
    expect(await isThere("p")).toBe(true);
    expect(await counts()).toEqual([2, 2, 1, 1, "SufficientPods"]);
  });

  test("WL-PDB-11: Pods that are Pending, have ended or are going are deleted whatever the budget says", async () => {
    await start();
    await makeBudget({ minAvailable: 5 });
    for (const [name, phase] of [
      ["pending", "Pending"],
      ["failed", "Failed"],
      ["done", "Succeeded"],
    ] as const) {
      await makePod(name, { ready: false });
      await pods().status.patch(at(name), { status: { phase } });
      await evict(name);
      expect(await isThere(name)).toBe(false);
    }
    await makePod("going");
    await pods().delete(at("going"));
    await evict("going");
    expect((await budget()).status.disruptedPods).toBeUndefined();
  });

  test("WL-PDB-12: a Pod that is not ready goes if the budget is met, or always with AlwaysAllow", async () => {
    await start();
    await makeBudget({ minAvailable: 2 });
    await makePod("p");
    await makePod("unready", { ready: false });
    await expect(evict("unready")).rejects.toSatisfy(isRefused);
    await makePod("q");
    await evict("unready");
    expect(await counts()).toEqual([3, 2, 2, 0, "InsufficientPods"]);
    await makePod("again", { ready: false });
    await setReady("q", false);
    await expect(evict("again")).rejects.toSatisfy(isRefused);
    await world.resource(PodDisruptionBudget).patch(at("b"), { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } });
    await world.settled();
    await evict("again");
    expect(await isThere("again")).toBe(false);
  });

  test("WL-PDB-13: a dry run changes neither Pod nor budget; a budget whose spec is not counted yet allows nothing", async () => {
    const manager = await start();
    await makeBudget({ minAvailable: 1 });
    await makePod("p");
    await makePod("q");
    const { resourceVersion } = (await budget()).metadata;
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: at("p"), deleteOptions: { dryRun: ["All"] } };
    await world.client.json("POST", "/api/v1/namespaces/default/pods/p/eviction", { body });
    expect(await isThere("p")).toBe(true);
    expect((await budget()).metadata.resourceVersion).toBe(resourceVersion);
    await manager.stop({ grace: 0 });
    await world.resource(PodDisruptionBudget).patch(at("b"), { spec: { minAvailable: 0 } });
    const refused = evict("p").catch((error: unknown) => error);
    await world.advance("2m");
    expect(await refused).toMatchObject({ status: { code: 429, details: { retryAfterSeconds: 10 } } });
  });
});
