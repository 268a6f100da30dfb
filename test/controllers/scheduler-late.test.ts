/** Claims that wait for their first consumer: matched, made, waited for (SCHED-24..41). */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  CSIDriver,
  CSIStorageCapacity,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
} from "../../src/client/kinds/index.ts";
import { Stage, at, labelled, only, reachedFrom } from "./model/stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.create();
  await stage.node("a", { labels: { place: "p1" } });
  await stage.node("b", { labels: { place: "p2" } });
});
afterEach(() => stage[Symbol.asyncDispose]());

const SELECTED = "volume.kubernetes.io/selected-node";
const size = (storage: string) => ({ resources: { requests: { storage } } });
const patchClaim = async (name: string, patch: object) => {
  await stage.world.resource(PersistentVolumeClaim).patch(at(name), patch);
  await stage.pass();
};

describe("volumes that are there", () => {
  const here = (name: string, node: string, more: object = {}, metadata: object = {}) =>
    stage.volume(name, { storageClassName: "static", ...only(node), ...more }, metadata);
  const wants = (name: string, more: object = {}) => stage.claim(name, { storageClassName: "static", ...more });
  beforeEach(() => stage.lateClass("static"));

  test("SCHED-24, SCHED-30, SC-16: a pod goes where its claim finds a volume, which then names the claim", async () => {
    await here("v", "b");
    await wants("c");
    await stage.pass();
    expect((await stage.getClaim("c")).status.phase).toBe("Pending");
    await stage.pod("p", { claims: ["c"] });
    expect(await stage.nodeOf("p")).toBe("b");
    const { spec, metadata } = await stage.getVolume("v");
    const claim = await stage.getClaim("c");
    expect(spec.claimRef).toMatchObject({ ...at("c"), uid: claim.metadata.uid });
    expect(metadata.annotations).toMatchObject({ "pv.kubernetes.io/bound-by-controller": "yes" });
    expect(claim.status.phase).toBe("Bound");
    expect(await stage.chosenFor("c")).toBeUndefined();
  });

  test("SCHED-24: a volume that comes later is found", async () => {
    await wants("c");
    await stage.pod("p", { claims: ["c"] });
    expect(await stage.why("p")).toBe(
      "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind.",
    );
    await here("v", "a");
    await stage.pass();
    expect(await stage.nodeOf("p")).toBe("a");
  });

  test.each([
    ["size", size("3Gi"), { capacity: { storage: "2Gi" } }, {}],
    ["access modes", { accessModes: ["ReadWriteMany"] }, {}, {}],
    ["volumeMode", { volumeMode: "Block" }, {}, {}],
    ["class", {}, { storageClassName: "other" }, {}],
    ["selector", { selector: { matchLabels: { x: "y" } } }, {}, { labels: { x: "z" } }],
    ["reservation", {}, { claimRef: at("another") }, {}],
  ])("SCHED-24: a volume of another %s is not taken", async (_, claim, volume, metadata) => {
    await here("v", "a", volume, metadata);
    await wants("c", claim);
    await stage.pod("p", { claims: ["c"] });
    expect(await stage.why("p")).toContain("2 node(s) didn't find available persistent volumes to bind");
  });

  test("SCHED-24: the smallest that fits is taken, whatever its access modes", async () => {
    await here("big", "a", { capacity: { storage: "9Gi" } });
    await here("fits", "a", { capacity: { storage: "2Gi" }, accessModes: ["ReadWriteOnce", "ReadOnlyMany"] });
    await here("small", "a", { capacity: { storage: "1Gi" } });
    await wants("c", size("2Gi"));
    await stage.pod("p", { claims: ["c"] });
    expect((await stage.getClaim("c")).spec.volumeName).toBe("fits");
  });

  test("SCHED-24: the volume that is put by for a claim comes before others", async () => {
    await here("z", "b", { capacity: { storage: "9Gi" }, claimRef: at("c") });
    await here("v", "a");
    await wants("c");
    await stage.pod("p", { claims: ["c"] });
    await stage.pass();
    expect(await stage.nodeOf("p")).toBe("b");
    expect((await stage.getClaim("c")).spec.volumeName).toBe("z");
  });

  test("SCHED-25: two claims of a pod do not take one volume", async () => {
    await here("v1", "a");
    await here("w1", "b");
    await wants("c");
    await wants("d");
    await stage.pod("p", { claims: ["c", "d"] });
    expect(await stage.why("p")).toContain("2 node(s) didn't find available persistent volumes to bind");
    expect((await stage.getVolume("v1")).spec.claimRef).toBeUndefined();
    await here("w2", "b");
    await stage.pass();
    expect(await stage.nodeOf("p")).toBe("b");
    const names = await Promise.all(["c", "d"].map(async (name) => (await stage.getClaim(name)).spec.volumeName));
    expect(new Set(names)).toEqual(new Set(["w1", "w2"]));
  });

  test.each([
    [["small", "large"], "in one order"],
    [["large", "small"], "in the other"],
  ])("SCHED-26: claims are served from the smallest on, %s %s", async (claims) => {
    await here("v2", "a", { capacity: { storage: "2Gi" } });
    await here("v5", "a", { capacity: { storage: "5Gi" } });
    await wants("small", size("1Gi"));
    await wants("large", size("4Gi"));
    await stage.pod("p", { claims });
    expect(await stage.nodeOf("p")).toBe("a");
    expect((await stage.getClaim("small")).spec.volumeName).toBe("v2");
    expect((await stage.getClaim("large")).spec.volumeName).toBe("v5");
  });

  test("SCHED-34: nothing is written where a pod fits nowhere for another reason", async () => {
    await here("v", "a");
    await wants("c");
    await stage.pod("p", { claims: ["c"], nodeSelector: { place: "p2" } });
    await stage.pass();
    expect(await stage.nodeOf("p")).toBeUndefined();
    expect((await stage.getVolume("v")).spec.claimRef).toBeUndefined();
    expect((await stage.getClaim("c")).status.phase).toBe("Pending");
  });

  test("SCHED-35: pods that come at once do not share a volume that one claim can have", async () => {
    await here("v", "a");
    await wants("c");
    await wants("d");
    await Promise.all([stage.pod("p", { claims: ["c"] }), stage.pod("q", { claims: ["d"] })]);
    await stage.pass();
    const nodes = [await stage.nodeOf("p"), await stage.nodeOf("q")];
    expect(nodes.filter(Boolean)).toEqual(["a"]);
    await here("w", "b");
    await stage.pass();
    expect(new Set([await stage.nodeOf("p"), await stage.nodeOf("q")])).toEqual(new Set(["a", "b"]));
  });

  test("SCHED-35: pods of one claim that come at once go where its volume is", async () => {
    await here("v", "b");
    await here("w", "a", { capacity: { storage: "2Gi" } });
    await wants("c");
    await Promise.all(["p", "q", "r"].map((name) => stage.pod(name, { claims: ["c"] })));
    await stage.pass();
    const { volumeName } = (await stage.getClaim("c")).spec;
    const node = volumeName === "v" ? "b" : "a";
    for (const name of ["p", "q", "r"]) expect(await stage.nodeOf(name)).toBe(node);
  });
});

describe("volumes that are made", () => {
  const wants = (name: string, more: object = {}) => stage.claim(name, { storageClassName: "late", ...more });

  test("SCHED-30, SCHED-31: a claim gets the selected node, and the Pod is bound when the claim is", async () => {
    await stage.lateClass();
    await wants("c");
    await stage.pod("p", { claims: ["c"], nodeSelector: { place: "p2" } });
    expect(await stage.chosenFor("c")).toBe("b");
    await stage.pass();
    expect(await stage.nodeOf("p")).toBeUndefined();
    // Others are placed meanwhile.
    await stage.pod("q");
    expect(await stage.nodeOf("q")).toBeDefined();
    await stage.provision("c", only("b"));
    expect(await stage.nodeOf("p")).toBe("b");
  });

  test("SCHED-31: after ten minutes the Pod gets an Event that its claims were not bound, and is tried again", async () => {
    await stage.lateClass();
    await wants("c");
    await stage.pod("p", { claims: ["c"] });
    await stage.world.advance("9m");
    expect(await stage.told("p")).toEqual([]);
    await stage.world.advance("61s");
    expect((await stage.told("p")).slice(0, 2)).toEqual(["False", "SchedulerError"]);
    await stage.provision("c");
    await stage.pass();
    expect(await stage.nodeOf("p")).toBe(await stage.chosenFor("c"));
  });

  test("SCHED-27: a class without a provisioner makes none", async () => {
    await stage.lateClass("static");
    await stage.claim("c", { storageClassName: "static" });
    await stage.pod("p", { claims: ["c"] });
    expect(await stage.why("p")).toContain("2 node(s) didn't find available persistent volumes to bind");
    expect(await stage.chosenFor("c")).toBeUndefined();
  });

  test("SCHED-25: what finds no volume is made, what does is not", async () => {
    await stage.lateClass();
    await stage.volume("v", { storageClassName: "late", ...only("b") });
    await wants("c");
    await wants("d", size("2Gi"));
    await stage.pod("p", { claims: ["c", "d"], nodeSelector: { place: "p2" } });
    expect(await stage.chosenFor("c")).toBeUndefined();
    expect((await stage.getClaim("c")).spec.volumeName).toBe("v");
    expect(await stage.chosenFor("d")).toBe("b");
    await stage.provision("d", { capacity: { storage: "2Gi" } });
    expect(await stage.nodeOf("p")).toBe("b");
  });

  const topology = (...terms: Readonly<Record<string, readonly string[]>>[]) => ({
    allowedTopologies: terms.map((term) => ({
      matchLabelExpressions: Object.entries(term).map(([key, values]) => ({ key, values })),
    })),
  });

  test.each([
    ["a term that one node has", [{ place: ["p2"] }], "b"],
    ["one of two terms", [{ place: ["p9"] }, { place: ["p1"] }], "a"],
  ])("SCHED-28, SC-3: %s leaves that node", async (_, terms, node) => {
    await stage.lateClass("late", topology(...(terms as never[])));
    await wants("c");
    await stage.pod("p", { claims: ["c"] });
    expect(await stage.chosenFor("c")).toBe(node);
  });

  test("SCHED-28, SC-21: every label of a term must be there", async () => {
    await stage.lateClass("late", topology({ place: ["p1", "p2"], rack: ["r1"] }));
    await wants("c");
    await stage.pod("p", { claims: ["c"] });
    expect(await stage.why("p")).toContain("2 node(s) didn't find available persistent volumes to bind");
    await stage.world.resource(Node).patch({ name: "b" }, { metadata: { labels: { rack: "r1" } } });
    await stage.pass();
    expect(await stage.chosenFor("c")).toBe("b");
  });

  test("SCHED-28: no terms allow every node", async () => {
    await stage.lateClass("late", { allowedTopologies: [] });
    await wants("c");
    await stage.pod("p", { claims: ["c"] });
    expect(await stage.chosenFor("c")).toBeDefined();
  });

  test("SCHED-28, SC-20: a term without expressions allows no node", async () => {
    await using neutral = await Stage.create("neutral");
    await neutral.node("a");
    await neutral.lateClass("late", { allowedTopologies: [{}] });
    await neutral.claim("c", { storageClassName: "late" });
    await neutral.pod("p", { claims: ["c"] });
    expect(await neutral.why("p")).toContain("1 node(s) didn't find available persistent volumes to bind");
    expect(await neutral.chosenFor("c")).toBeUndefined();
  });

  test("SCHED-29: a claim whose node was chosen is considered for that one only", async () => {
    await stage.lateClass();
    await stage.claim("c", { storageClassName: "late" }, { annotations: { [SELECTED]: "b" } });
    await stage.pod("p", { claims: ["c"], nodeSelector: { place: "p1" } });
    expect(await stage.why("p")).toContain("1 node(s) didn't find available persistent volumes to bind");
    await stage.pod("q", { claims: ["c"] });
    await stage.provision("c");
    await stage.pass();
    expect(await stage.nodeOf("q")).toBe("b");
  });

  test("SCHED-32, SCHED-6: where the provisioner gives the node up, another one is chosen", async () => {
    await stage.lateClass();
    await wants("c");
    await stage.pod("p", { claims: ["c"], nodeSelector: { place: "p1" } });
    expect(await stage.chosenFor("c")).toBe("a");
    await stage.node("c", { labels: { place: "p1" } });
    await stage.world.resource(Node).patch({ name: "a" }, { spec: { unschedulable: true } });
    await stage.world
      .resource(PersistentVolumeClaim)
      .patch(at("c"), { metadata: { annotations: { [SELECTED]: null } } });
    await stage.world.settled();
    expect((await stage.told("p")).slice(0, 2)).toEqual(["False", "SchedulerError"]);
    await stage.pass();
    expect(await stage.chosenFor("c")).toBe("c");
    await stage.provision("c");
    expect(await stage.nodeOf("p")).toBe("c");
  });

  test("SCHED-32: where the volume that came cannot be reached the pod waits", async () => {
    await stage.lateClass();
    await wants("c");
    await stage.pod("p", { claims: ["c"], nodeSelector: { place: "p1" } });
    await stage.provision("c", only("b"));
    await stage.pass();
    expect(await stage.nodeOf("p")).toBeUndefined();
    expect(await stage.why("p")).toContain("1 node(s) didn't match PersistentVolume's node affinity");
  });

  test("SCHED-32: where the selected node is deleted, or the volume is lost again, the Pod is considered again", async () => {
    await stage.lateClass();
    await wants("c");
    await stage.pod("p", { claims: ["c"], nodeSelector: { place: "p1" } });
    await stage.world.resource(Node).delete({ name: "a" });
    await stage.world.settled();
    expect(await stage.told("p")).toEqual(["False", "SchedulerError", "the node a was deleted"]);
    await stage.node("c", { labels: { place: "p1" } });
    await stage.pass();
    expect(await stage.why("p")).toContain("1 node(s) didn't find available persistent volumes to bind");
    await patchClaim("c", { metadata: { annotations: { [SELECTED]: null } } });
    expect(await stage.chosenFor("c")).toBe("c");
  });

  test("SCHED-33: a pod that goes while it waits leaves the choice", async () => {
    await stage.lateClass();
    await wants("c");
    await stage.pod("p", { claims: ["c"] });
    const node = await stage.chosenFor("c");
    await stage.remove("p");
    await stage.pass();
    expect(await stage.chosenFor("c")).toBe(node);
    expect(node).toBeDefined();
  });

  test("SCHED-4, SCHED-33: a pod that goes while it waits makes room for others", async () => {
    await stage.lateClass();
    await wants("c");
    const there = { nodeSelector: { place: "p2" }, requests: { cpu: "3" } };
    await stage.pod("p", { claims: ["c"], ...there });
    await stage.pod("q", there);
    expect(await stage.why("q")).toContain("1 Insufficient cpu");
    await stage.remove("p");
    await stage.pass();
    expect(await stage.nodeOf("q")).toBe("b");
  });

  test("SCHED-31: a restarted scheduler continues where the last one ended", async () => {
    await stage.lateClass();
    await wants("c");
    await stage.pod("p", { claims: ["c"], nodeSelector: { place: "p2" } });
    await stage.restart();
    await stage.world.resource(Node).patch({ name: "a" }, { metadata: { labels: { place: "p2" } } });
    await stage.provision("c");
    await stage.pass();
    expect(await stage.nodeOf("p")).toBe("b");
  });
});

describe("capacity", () => {
  const place = (value: string) => ({ nodeTopology: { matchLabels: { place: value } } });
  const wants5 = async () => {
    await stage.claim("c", { storageClassName: "late", ...size("5Gi") });
    await stage.pod("p", { claims: ["c"] });
  };
  /** The message for a Pod that fits no node, and the fact that no node was selected for its claim. */
  const refusal = async () => [await stage.why("p"), await stage.chosenFor("c")];
  const REFUSED = ["0/2 nodes are available: 2 node(s) did not have enough free storage.", undefined];
  beforeEach(() => stage.lateClass());

  test("SCHED-36: a driver that does not tell what is left is not asked, nor is one without an object", async () => {
    await wants5();
    expect(await stage.chosenFor("c")).toBeDefined();
    await stage.countingDriver(false);
    await stage.claim("d", { storageClassName: "late" });
    await stage.pod("q", { claims: ["d"] });
    expect(await stage.chosenFor("d")).toBeDefined();
  });

  test("SCHED-36: a volume that is there needs no capacity", async () => {
    await stage.countingDriver();
    await stage.volume("v", { storageClassName: "late", capacity: { storage: "5Gi" }, ...only("b") });
    await wants5();
    expect(await stage.nodeOf("p")).toBe("b");
  });

  test("SCHED-37, CSID-24, CAP-9, CAP-14: the node is taken whose storage has room for the request", async () => {
    await stage.countingDriver();
    await stage.capacity("one", { ...place("p1"), capacity: "4Gi" });
    await stage.capacity("two", { ...place("p2"), capacity: "5Gi" }, "kube-system");
    await wants5();
    expect(await stage.chosenFor("c")).toBe("b");
  });

  test("SCHED-37, CAP-13: the size of the largest volume counts where it is reported", async () => {
    await stage.countingDriver();
    await stage.capacity("one", { ...place("p1"), capacity: "90Gi", maximumVolumeSize: "4Gi" });
    await stage.capacity("two", { ...place("p2"), maximumVolumeSize: "6Gi" });
    await wants5();
    expect(await stage.chosenFor("c")).toBe("b");
  });

  test("SCHED-37: of another class nothing counts", async () => {
    await stage.countingDriver();
    await stage.capacity("one", { nodeTopology: {}, capacity: "90Gi", storageClassName: "other" });
    await wants5();
    expect(await refusal()).toEqual(REFUSED);
  });

  test("SCHED-38, CAP-10, AMB-22: an unset topology is no node's, an empty one everybody's", async () => {
    await stage.countingDriver();
    await stage.capacity("one", { capacity: "90Gi" });
    await wants5();
    expect(await refusal()).toEqual(REFUSED);
    await stage.capacity("two", { capacity: "90Gi", nodeTopology: {} });
    await stage.pass();
    expect(await stage.chosenFor("c")).toBeDefined();
  });

  test("SCHED-39: objects are not added up, and each claim is compared with the whole", async () => {
    await stage.countingDriver();
    await stage.capacity("one", { nodeTopology: {}, capacity: "3Gi" });
    await stage.capacity("two", { nodeTopology: {}, capacity: "3Gi" });
    await wants5();
    expect(await refusal()).toEqual(REFUSED);
    for (const name of ["d", "e"]) await stage.claim(name, { storageClassName: "late", ...size("3Gi") });
    await stage.pod("q", { claims: ["d", "e"] });
    expect(await stage.chosenFor("d")).toBeDefined();
    expect(await stage.chosenFor("e")).toBe(await stage.chosenFor("d"));
  });

  test.each([
    ["no object", undefined],
    ["no amount", {}],
    ["zero", { capacity: "0" }],
  ])("SCHED-40, CAP-12, CAP-14: %s means that nothing is left", async (_, amount) => {
    await stage.countingDriver();
    if (amount) await stage.capacity("one", { nodeTopology: {}, ...amount });
    await wants5();
    expect(await refusal()).toEqual(REFUSED);
  });

  test("SCHED-41: a claim without a request needs no capacity", async () => {
    await using neutral = await Stage.create("neutral");
    await neutral.node("a");
    await neutral.lateClass();
    await neutral.countingDriver();
    await neutral.claim("asks", { storageClassName: "late" });
    await neutral.claim("none", { storageClassName: "late", resources: undefined });
    await neutral.pod("p", { claims: ["asks"] });
    await neutral.pod("q", { claims: ["none"] });
    expect(await neutral.why("p")).toContain("1 node(s) did not have enough free storage");
    expect(await neutral.chosenFor("none")).toBe("a");
  });

  test("SCHED-4, CSID-25: a claim waits until there is suitable capacity, which may come later or grow", async () => {
    await stage.countingDriver();
    await wants5();
    expect(await refusal()).toEqual(REFUSED);
    await stage.capacity("one", { ...place("p2"), capacity: "1Gi" });
    await stage.pass();
    expect(await refusal()).toEqual(REFUSED);
    const capacities = stage.world.resource(CSIStorageCapacity);
    await capacities.patch(at("one"), { capacity: "9Gi" });
    await stage.pass();
    expect(await stage.chosenFor("c")).toBe("b");
  });

  test("SCHED-4: a driver that tells no more what is left lets pods go on", async () => {
    await stage.countingDriver();
    await wants5();
    await stage.world.resource(CSIDriver).patch({ name: "d.example.com" }, { spec: { storageCapacity: false } });
    await stage.pass();
    expect(await stage.chosenFor("c")).toBeDefined();
  });
});

test("SCHED-18, SCHED-24: a volume of a place is found by whatever its terms say", async () => {
  await stage.lateClass("static");
  const terms = [labelled("place", "p9"), { matchExpressions: [{ key: "place", operator: "NotIn", values: ["p1"] }] }];
  await stage.volume("v", { storageClassName: "static", ...reachedFrom(...terms) });
  await stage.claim("c", { storageClassName: "static" });
  await stage.pod("p", { claims: ["c"] });
  expect(await stage.nodeOf("p")).toBe("b");
  expect((await stage.world.resource(PersistentVolume).get({ name: "v" })).status.phase).toBe("Bound");
});
