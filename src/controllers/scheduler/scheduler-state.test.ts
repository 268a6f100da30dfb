import { beforeEach, describe, expect, test } from "vitest";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../../client/kinds/index.ts";
import { kubernetes } from "../../meta/dialect.ts";
import { claimOfVolume } from "../../claims/claim-ref.ts";
import { SchedulerState } from "./scheduler-state.ts";
import { type Decision, decide } from "./decide.ts";
import { podInfoOf } from "./pod-info.ts";
import { schedulerNames } from "./names.ts";
import { systemClock } from "../../util/clock.ts";

const names = schedulerNames(kubernetes);
const meta = (name: string) => ({ name, namespace: "default", uid: `uid-${name}`, creationTimestamp: "" });
const claim = (name: string): PersistentVolumeClaim =>
  ({
    metadata: meta(name),
    spec: { accessModes: ["ReadWriteOnce"], storageClassName: "delayed", resources: { requests: { storage: "1Gi" } } },
    status: { phase: "Pending" },
  }) as unknown as PersistentVolumeClaim;
const volume = (name: string): PersistentVolume =>
  ({
    metadata: meta(name),
    spec: { accessModes: ["ReadWriteOnce"], storageClassName: "delayed", capacity: { storage: "1Gi" } },
    status: { phase: "Available" },
  }) as unknown as PersistentVolume;
const pod = (name: string, ...claims: string[]): Pod =>
  ({
    metadata: meta(name),
    spec: { volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
    status: {},
  }) as unknown as Pod;
const node = (name: string, pods = "10"): Node =>
  ({ metadata: meta(name), spec: {}, status: { allocatable: { pods, cpu: "1" } } }) as unknown as Node;

let state: SchedulerState;
let provisioner: string;
let volumes: Map<string, PersistentVolume>;
beforeEach(() => {
  provisioner = "kubernetes.io/no-provisioner";
  volumes = new Map([["v", volume("v")]]);
  state = new SchedulerState(
    {
      claim: (key) => claim(key.replace("default/", "")),
      volume: (name) => volumes.get(name),
      storageClass: () => ({ provisioner, volumeBindingMode: "WaitForFirstConsumer" }) as StorageClass,
      driver: () => undefined,
      capacities: () => [],
      volumesNaming: (key) => [...volumes.values()].filter((one) => claimOfVolume(one) === key),
      attachmentsOn: () => [],
    },
    names,
  );
  for (const one of volumes.values()) state.setVolume(one);
  state.setNode(node("a"));
});

const decided = async (name: string, ...claims: string[]): Promise<Decision> => {
  const info = podInfoOf(pod(name, ...claims), names);
  const decision = await decide(info, state, 0, systemClock.loop.slice());
  if (decision.is === "placed") state.assume(info, decision.node, decision.plan);
  return decision;
};

describe("SCHED-35: decisions that are not stored yet", () => {
  test("a reserved volume is not available to others, and is again once the plan is forgotten", async () => {
    const first = await decided("p", "c");
    expect(first).toMatchObject({ is: "placed", plan: { matched: [{ volume: { metadata: { name: "v" } } }] } });
    expect((await decided("q", "d")).is).toBe("waits");
    if (first.is === "placed") state.forgetPlan(first.plan);
    expect((await decided("q", "d")).is).toBe("placed");
  });

  test("a reserved volume of a claim counts for other Pods, too", async () => {
    await decided("p", "c");
    volumes.set("w", volume("w"));
    state.setVolume(volumes.get("w")!);
    expect(await decided("q", "c")).toMatchObject({ plan: { matched: [{ volume: { metadata: { name: "v" } } }] } });
  });

  test("a claim with a selected node is for that node only", async () => {
    provisioner = "d.example.com";
    volumes.clear();
    state.dropVolume("v");
    expect(await decided("p", "c")).toMatchObject({ node: "a" });
    state.setNode(node("a", "1"));
    state.setNode(node("b"));
    expect((await decided("q", "c")).is).toBe("waits");
    expect((await decided("r", "d")).is).toBe("placed");
  });

  test("Pods count on their chosen nodes", async () => {
    state.setNode(node("a", "1"));
    expect((await decided("p")).is).toBe("placed");
    expect(await decided("q")).toMatchObject({ is: "waits", message: "0/1 nodes are available: 1 Too many pods." });
    state.dropPod("uid-p");
    expect((await decided("q")).is).toBe("placed");
  });
});

test("a deleted node has no state once its Pods are deleted", async () => {
  await decided("p");
  state.dropNode("a");
  expect(state.nodes).toEqual([]);
  state.dropPod("uid-p");
  state.setNode(node("a", "1"));
  expect((await decided("q")).is).toBe("placed");
});

test("a node that does not say how many Pods it takes takes none", async () => {
  state.setNode({ ...node("a"), status: { allocatable: { cpu: "1" } } } as unknown as Node);
  expect(await decided("p")).toMatchObject({ is: "waits", message: "0/1 nodes are available: 1 Too many pods." });
});
