/** The requirements of a Pod on nodes, and how they are reported (SCHED-1..11). */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Node, Pod } from "../../src/client/kinds/index.ts";
import { HOSTNAME, Stage, at, labelled } from "./model/stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.create();
});
afterEach(() => stage[Symbol.asyncDispose]());

const affinity = (...nodeSelectorTerms: object[]) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const patchNode = async (name: string, patch: object) => {
  await stage.world.resource(Node).patch({ name }, patch);
  await stage.pass();
};

describe("placing", () => {
  test("SCHED-1: pods of another scheduler are left alone", async () => {
    await stage.node("a");
    await stage.pod("p", { schedulerName: "another" });
    expect(await stage.told("p")).toEqual([]);
    expect(await stage.nodeOf("p")).toBeUndefined();
    expect(await stage.events("p")).toEqual([]);
  });

  test("SCHED-2: a pod gets its node and the condition at once, and an Event", async () => {
    await stage.node("a");
    await stage.pod("p");
    expect(await stage.nodeOf("p")).toBe("a");
    expect((await stage.told("p"))[0]).toBe("True");
    expect(await stage.events("p")).toEqual(["Normal Scheduled default-scheduler"]);
  });

  test("SCHED-3: a Pod that fits no node gets one Event with how many nodes lack what", async () => {
    await stage.pod("early");
    expect(await stage.why("early")).toBe("0/0 nodes are available: there is no node.");
    await stage.node("a", { spec: { unschedulable: true } });
    await stage.node("b");
    await stage.node("c");
    await stage.pod("p", { nodeSelector: { x: "y" } });
    const message =
      "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector.";
    expect(await stage.told("p")).toEqual(["False", "Unschedulable", message]);
    expect(await stage.events("p")).toEqual(["Warning FailedScheduling default-scheduler"]);
    const { resourceVersion } = (await stage.getPod("p")).metadata;
    await stage.world.advance("20m");
    expect((await stage.getPod("p")).metadata.resourceVersion).toBe(resourceVersion);
  });

  test("SCHED-4: a pod that waits is placed when a node comes, gets a label, or loses a taint", async () => {
    await stage.pod("p", { nodeSelector: { x: "y" } });
    await stage.pod("q", { nodeSelector: { [HOSTNAME]: "b" } });
    await stage.pod("r", { nodeSelector: { [HOSTNAME]: "c" } });
    await stage.node("a");
    await stage.node("b");
    await stage.node("c", { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } });
    await stage.pass();
    expect(await stage.nodeOf("q")).toBe("b");
    expect(await stage.nodeOf("p")).toBeUndefined();
    await patchNode("a", { metadata: { labels: { x: "y" } } });
    expect(await stage.nodeOf("p")).toBe("a");
    await patchNode("c", { spec: { taints: null } });
    expect(await stage.nodeOf("r")).toBe("c");
  });

  test("SCHED-4: tries pause for a second and longer, up to some seconds", async () => {
    await stage.pod("p");
    await stage.node("a", { room: { pods: "0" } });
    await stage.world.advance("1s");
    expect(await stage.why("p")).toContain("1 Too many pods");
    await stage.world.resource(Node).status.patch({ name: "a" }, { status: { allocatable: { pods: "1" } } });
    await stage.world.advance("1900ms");
    expect(await stage.nodeOf("p")).toBeUndefined();
    await stage.world.advance("200ms");
    expect(await stage.nodeOf("p")).toBe("a");
  });

  test("SCHED-5: a pod with gates is not looked at until they are gone", async () => {
    await stage.node("a");
    await stage.pod("p", { schedulingGates: [{ name: "example.com/g" }] });
    expect((await stage.told("p")).slice(0, 2)).toEqual(["False", "SchedulingGated"]);
    await stage.pass();
    expect(await stage.nodeOf("p")).toBeUndefined();
    await stage.world.resource(Pod).patch(at("p"), { spec: { schedulingGates: null } });
    await stage.world.settled();
    expect(await stage.nodeOf("p")).toBe("a");
  });

  test("SCHED-11: a pod that names its node is not touched, and counts there", async () => {
    await stage.node("a", { room: { cpu: "1" } });
    await stage.pod("there", { nodeName: "a", requests: { cpu: "800m" }, claims: ["absent"] });
    expect(await stage.events("there")).toEqual([]);
    await stage.pod("p", { requests: { cpu: "300m" } });
    expect(await stage.why("p")).toContain("1 Insufficient cpu");
    await stage.remove("there");
    await stage.pass();
    expect(await stage.nodeOf("p")).toBe("a");
  });

  test("more important pods come first, then older ones", async () => {
    await stage.pod("low", { priority: 1 });
    await stage.world.advance("10s");
    await stage.pod("older", { priority: 5 });
    await stage.world.advance("10s");
    await stage.pod("younger", { priority: 5 });
    await stage.world.advance("10s");
    await stage.node("a", { room: { pods: "2" } });
    await stage.pass();
    expect([await stage.nodeOf("low"), await stage.nodeOf("older"), await stage.nodeOf("younger")]).toEqual([
      undefined,
      "a",
      "a",
    ]);
  });
});

describe("what pods ask of nodes", () => {
  test("SCHED-7: every label of nodeSelector", async () => {
    await stage.node("a", { labels: { x: "1" } });
    await stage.node("b", { labels: { x: "1", y: "2" } });
    await stage.pod("p", { nodeSelector: { x: "1", y: "2" } });
    expect(await stage.nodeOf("p")).toBe("b");
    await stage.pod("q", { nodeSelector: { x: "2" } });
    expect(await stage.why("q")).toContain("2 node(s) didn't match Pod's node affinity/selector");
  });

  test.each([
    ["In", { key: "x", operator: "In", values: ["1", "3"] }, "a"],
    ["NotIn", { key: "x", operator: "NotIn", values: ["1", "5"] }, "none"],
    ["Exists", { key: "y", operator: "Exists" }, "b"],
    ["DoesNotExist", { key: "x", operator: "DoesNotExist" }, "none"],
    ["Gt", { key: "x", operator: "Gt", values: ["1"] }, "b"],
    ["Lt", { key: "x", operator: "Lt", values: ["5"] }, "a"],
  ])("SCHED-7: %s of a required node affinity", async (_, requirement, node) => {
    await stage.node("a", { labels: { x: "1" } });
    await stage.node("b", { labels: { x: "5", y: "" } });
    await stage.node("none");
    await stage.pod("p", affinity({ matchExpressions: [requirement] }));
    expect(await stage.nodeOf("p")).toBe(node);
  });

  test("SCHED-7: terms are alternatives, requirements of one all hold, and names of nodes count", async () => {
    await stage.node("a", { labels: { x: "1" } });
    await stage.node("b", { labels: { y: "1" } });
    const both = { matchExpressions: [...labelled("x", "1").matchExpressions, ...labelled("y", "1").matchExpressions] };
    await stage.pod("p", affinity(both));
    expect(await stage.why("p")).toContain("2 node(s) didn't match Pod's node affinity/selector");
    await stage.pod("q", affinity(both, labelled("y", "1")));
    expect(await stage.nodeOf("q")).toBe("b");
    const named = { matchFields: [{ key: "metadata.name", operator: "In", values: ["a"] }] };
    await stage.pod("r", affinity(named));
    expect(await stage.nodeOf("r")).toBe("a");
    const another = { matchFields: [{ key: "metadata.name", operator: "NotIn", values: ["a"] }] };
    await stage.pod("s", affinity(another));
    expect(await stage.nodeOf("s")).toBe("b");
  });

  test.each([
    [{ key: "k", operator: "Equal", value: "v", effect: "NoSchedule" }, true],
    [{ key: "k", operator: "Equal", value: "v" }, true],
    [{ key: "k", operator: "Exists" }, true],
    [{ operator: "Exists" }, true],
    [{ key: "k", operator: "Equal", value: "other" }, false],
    [{ key: "other", operator: "Exists" }, false],
    [{ key: "k", operator: "Exists", effect: "NoExecute" }, false],
  ])("SCHED-8: the toleration %j of a taint", async (toleration, isPlaced) => {
    await stage.node("a", { spec: { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] } });
    await stage.pod("p", { tolerations: [toleration] });
    expect(await stage.nodeOf("p")).toBe(isPlaced ? "a" : undefined);
    const message = "0/1 nodes are available: 1 node(s) had untolerated taint(s) {k: v}.";
    expect((await stage.told("p"))[2] ?? "").toBe(isPlaced ? "" : message);
  });

  test("SCHED-8: NoExecute keeps Pods away; PreferNoSchedule keeps none away, but other nodes are preferred", async () => {
    await stage.node("a", { spec: { taints: [{ key: "k", effect: "NoExecute" }] } });
    await stage.pod("p");
    expect(await stage.why("p")).toContain("untolerated taint");
    await stage.node("b", { spec: { taints: [{ key: "k", effect: "PreferNoSchedule" }] } });
    await stage.pass();
    expect(await stage.nodeOf("p")).toBe("b");
    await stage.node("c", { room: { cpu: "1" } });
    await stage.pod("q", { requests: { cpu: "900m" } });
    expect(await stage.nodeOf("q")).toBe("c");
  });

  test("SCHED-9: a cordoned node takes pods that tolerate it, and no others", async () => {
    await stage.node("a", { spec: { unschedulable: true } });
    await stage.pod("p");
    expect(await stage.why("p")).toContain("1 node(s) were unschedulable");
    await stage.pod("q", { tolerations: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }] });
    expect(await stage.nodeOf("q")).toBe("a");
    await patchNode("a", { spec: { unschedulable: false } });
    expect(await stage.nodeOf("p")).toBe("a");
  });

  test("SCHED-10: cpu, memory and storage of all pods of a node must fit, and their number", async () => {
    await stage.node("a", { room: { cpu: "1", memory: "1Gi", "ephemeral-storage": "1Gi", pods: "3" } });
    await stage.pod("cpu", { requests: { cpu: "1001m" } });
    expect(await stage.why("cpu")).toBe("0/1 nodes are available: 1 Insufficient cpu.");
    await stage.pod("memory", { requests: { memory: "1025Mi", "ephemeral-storage": "2Gi" } });
    expect(await stage.why("memory")).toContain("1 Insufficient ephemeral-storage, 1 Insufficient memory");
    await stage.pod("fits", { requests: { cpu: "1", memory: "1Gi" } });
    expect(await stage.nodeOf("fits")).toBe("a");
    await stage.pod("little", { requests: { cpu: "1m" } });
    expect(await stage.why("little")).toContain("1 Insufficient cpu");
    await stage.pod("x");
    await stage.pod("y");
    await stage.pod("z");
    expect([await stage.nodeOf("x"), await stage.nodeOf("y")]).toEqual(["a", "a"]);
    expect(await stage.why("z")).toContain("1 Too many pods");
  });

  test("SCHED-10: a pod that has ended takes no room", async () => {
    await stage.node("a", { room: { pods: "1" } });
    await stage.pod("p");
    await stage.pod("q");
    expect(await stage.nodeOf("q")).toBeUndefined();
    await stage.world.resource(Pod).status.patch(at("p"), { status: { phase: "Succeeded" } });
    await stage.pass();
    expect(await stage.nodeOf("q")).toBe("a");
  });

  test("ports of a node are given once", async () => {
    await stage.node("a");
    const containers = [{ name: "c", image: "i", ports: [{ containerPort: 80, hostPort: 8080 }] }];
    await stage.pod("p", { containers });
    await stage.pod("q", { containers });
    expect(await stage.nodeOf("p")).toBe("a");
    expect(await stage.why("q")).toContain("1 node(s) didn't have free ports");
  });

  test("pods are spread over nodes that are alike", async () => {
    for (const name of ["a", "b", "c"]) await stage.node(name);
    for (const name of ["p", "q", "r"]) await stage.pod(name);
    const nodes = await Promise.all(["p", "q", "r"].map((name) => stage.nodeOf(name)));
    expect(new Set(nodes)).toEqual(new Set(["a", "b", "c"]));
  });

  test("what a pod wishes for counts where several nodes fit", async () => {
    for (const name of ["a", "b", "c"]) await stage.node(name, { labels: { tier: name } });
    const preferredDuringSchedulingIgnoredDuringExecution = [
      { weight: 10, preference: labelled("tier", "b") },
      { weight: 20, preference: labelled("tier", "c") },
    ];
    await stage.pod("p", { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution } } });
    expect(await stage.nodeOf("p")).toBe("c");
  });

  test("a Pod with an unsupported request gets an Event, and waits", async () => {
    await stage.node("a");
    await stage.pod("p", { resourceClaims: [{ name: "gpu", resourceClaimName: "gpu" }] });
    expect(await stage.why("p")).toContain("this scheduler does not look at spec.resourceClaims");
    expect(await stage.nodeOf("p")).toBeUndefined();
  });
});

test("in the neutral dialect marks have its names", async () => {
  await using neutral = await Stage.create("neutral");
  await neutral.node("a", { spec: { unschedulable: true } });
  await neutral.pod("p", { tolerations: [{ key: "node.svc.io/unschedulable", operator: "Exists" }] });
  expect(await neutral.nodeOf("p")).toBe("a");
  await neutral.lateClass();
  await neutral.claim("c", { storageClassName: "late" });
  await neutral.pod("q", { claims: ["c"], tolerations: [{ operator: "Exists" }] });
  expect(await neutral.chosenFor("c")).toBe("a");
});
