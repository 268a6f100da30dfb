/** Limits of nodes, and what one Pod uses alone (SCHED-42..50). */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { CSINode, Pod, VolumeAttachment } from "../../src/client/kinds/index.ts";
import { DRIVER, HOSTNAME, Stage, at, only } from "./model/stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.create();
  await stage.node("a");
});
afterEach(() => stage[Symbol.asyncDispose]());

const LIMIT = "0/1 nodes are available: 1 node(s) exceed max volume count.";

describe("limits of a node", () => {
  const attach = async (name: string, volume: string, driver = DRIVER) => {
    const spec = { attacher: driver, nodeName: "a", source: { persistentVolumeName: volume } };
    await stage.world.resource(VolumeAttachment).create({ metadata: { name }, spec } as NewObject<VolumeAttachment>);
    await stage.world.settled();
  };

  test("SCHED-42, CSIN-15: a node takes no more volumes of a driver than it says, until one goes", async () => {
    await stage.csiNode("a", 1);
    await stage.bound("c");
    await stage.bound("d");
    await stage.pod("p", { claims: ["c"] });
    await stage.pod("q", { claims: ["d"] });
    expect(await stage.nodeOf("p")).toBe("a");
    expect(await stage.why("q")).toBe(LIMIT);
    await stage.remove("p");
    await stage.pass();
    expect(await stage.nodeOf("q")).toBe("a");
  });

  test("SCHED-42: two volumes of one pod may be too many, and a node with room is taken", async () => {
    await stage.csiNode("a", 1);
    await stage.bound("c");
    await stage.bound("d");
    await stage.pod("p", { claims: ["c", "d"] });
    expect(await stage.why("p")).toBe(LIMIT);
    await stage.node("b");
    await stage.csiNode("b", 2);
    await stage.pass();
    expect(await stage.nodeOf("p")).toBe("b");
  });

  test("SCHED-42, SCHED-4: attachments without pods count, and free their places", async () => {
    await stage.csiNode("a", 1);
    await stage.bound("c");
    await stage.bound("d");
    await attach("x", "v-c");
    await stage.pod("q", { claims: ["d"] });
    expect(await stage.why("q")).toBe(LIMIT);
    await stage.world.resource(VolumeAttachment).delete({ name: "x" });
    await stage.pass();
    expect(await stage.nodeOf("q")).toBe("a");
  });

  test("SCHED-42, CSIN-16: a volume that is attached and used counts once", async () => {
    await stage.csiNode("a", 2);
    for (const name of ["c", "d", "e"]) await stage.bound(name);
    await stage.pod("p", { claims: ["c"] });
    await attach("x", "v-c");
    await stage.pod("q", { claims: ["d"] });
    expect(await stage.nodeOf("q")).toBe("a");
    await stage.pod("r", { claims: ["e"] });
    expect(await stage.why("r")).toBe(LIMIT);
  });

  test("SCHED-43, CSIN-16: a volume that pods share counts once", async () => {
    await stage.csiNode("a", 1);
    await stage.bound("c", { accessModes: ["ReadWriteMany"] });
    await stage.pod("p", { claims: ["c"] });
    await stage.pod("q", { claims: ["c"] });
    expect(await stage.nodeOf("q")).toBe("a");
  });

  test("SCHED-43: a claim that is not bound yet counts by its class", async () => {
    await stage.csiNode("a", 1);
    await stage.lateClass();
    for (const name of ["c", "d"]) await stage.claim(name, { storageClassName: "late" });
    await stage.pod("p", { claims: ["c", "d"] });
    expect(await stage.why("p")).toBe(LIMIT);
    await stage.pod("q", { claims: ["c"] });
    expect(await stage.chosenFor("c")).toBe("a");
    await stage.pod("r", { claims: ["d"] });
    expect(await stage.why("r")).toBe(LIMIT);
    expect(await stage.chosenFor("d")).toBeUndefined();
  });

  test("SCHED-35, SCHED-42: volumes that were just given to claims count, too", async () => {
    await stage.csiNode("a", 1);
    await stage.lateClass("static");
    for (const name of ["v", "w"]) await stage.volume(name, { storageClassName: "static", ...only("a") });
    for (const name of ["c", "d"]) await stage.claim(name, { storageClassName: "static" });
    await Promise.all([stage.pod("p", { claims: ["c"] }), stage.pod("q", { claims: ["d"] })]);
    await stage.pass();
    expect([await stage.nodeOf("p"), await stage.nodeOf("q")].filter(Boolean)).toEqual(["a"]);
  });

  test("SCHED-44, CSIN-6, CSIN-17: without a CSINode, an entry or a count there is no limit", async () => {
    for (const name of ["c", "d", "e"]) await stage.bound(name);
    await stage.pod("p", { claims: ["c"] });
    expect(await stage.nodeOf("p")).toBe("a");
    await stage.csiNode("a", 0, "another.example.com");
    await stage.pod("q", { claims: ["d"] });
    expect(await stage.nodeOf("q")).toBe("a");
    const drivers = [{ name: DRIVER, nodeID: "a", topologyKeys: [] }];
    await stage.world.resource(CSINode).delete({ name: "a" });
    await stage.world.resource(CSINode).create({ metadata: { name: "a" }, spec: { drivers } } as NewObject<CSINode>);
    await stage.pod("r", { claims: ["e"] });
    expect(await stage.nodeOf("r")).toBe("a");
  });

  test("SCHED-44: a count of 0 lets none in, and one that is raised lets pods in", async () => {
    await stage.csiNode("a", 0);
    await stage.bound("c");
    await stage.pod("p", { claims: ["c"] });
    expect(await stage.why("p")).toBe(LIMIT);
    await stage.world.resource(CSINode).delete({ name: "a" });
    await stage.csiNode("a", 1);
    await stage.pass();
    expect(await stage.nodeOf("p")).toBe("a");
  });

  test("SCHED-45: volumes that are no CSI volumes do not count", async () => {
    await stage.csiNode("a", 0);
    const claimRef = at("c");
    await stage.volume("v", { csi: undefined, local: { path: "/disk" }, ...only("a"), claimRef });
    await stage.claim("c", { volumeName: "v", storageClassName: "" });
    await stage.pod("p", { claims: ["c"] });
    expect(await stage.nodeOf("p")).toBe("a");
  });
});

describe("claims for one pod", () => {
  const IN_USE = "ReadWriteOncePod access mode already in-use by another pod";
  beforeEach(async () => {
    await stage.node("b");
    await stage.bound("c", { accessModes: ["ReadWriteOncePod"] });
  });

  test("SCHED-46: a second pod waits on whatever node, and is placed when the first has gone", async () => {
    await stage.pod("p", { claims: ["c"], nodeSelector: { [HOSTNAME]: "a" } });
    await stage.pod("q", { claims: ["c"], nodeSelector: { [HOSTNAME]: "b" } });
    expect(await stage.nodeOf("p")).toBe("a");
    expect(await stage.why("q")).toContain(IN_USE);
    await stage.remove("p");
    await stage.pass();
    expect(await stage.nodeOf("q")).toBe("b");
  });

  test("SCHED-46: one pod may use it twice", async () => {
    await stage.pod("p", { claims: ["c", "c"] });
    expect(await stage.nodeOf("p")).toBeDefined();
  });

  test("SCHED-47: a more important pod takes it, and the first one goes", async () => {
    await stage.pod("p", { claims: ["c"], priority: 1, metadata: { finalizers: ["example.com/hold"] } });
    const node = await stage.nodeOf("p");
    await stage.pod("q", { claims: ["c"], priority: 10 });
    const victim = await stage.getPod("p");
    expect(victim.metadata.deletionTimestamp).toBeDefined();
    expect(victim.status.conditions).toContainEqual(
      expect.objectContaining({ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }),
    );
    expect(await stage.events("p")).toContain("Normal Preempted default-scheduler");
    expect((await stage.getPod("q")).status.nominatedNodeName).toBe(node);
    expect(await stage.nodeOf("q")).toBeUndefined();
    await stage.world.resource(Pod).patch(at("p"), { metadata: { finalizers: null } });
    await stage.world.settled();
    expect(await stage.nodeOf("q")).toBe(node);
    expect((await stage.getPod("q")).status.nominatedNodeName).toBeUndefined();
  });

  test.each([
    ["an equal priority", { priority: 1 }],
    ["a lower priority", { priority: 0 }],
    ["the policy Never", { priority: 10, preemptionPolicy: "Never" }],
  ])("SCHED-48: %s displaces nobody", async (_, words) => {
    await stage.pod("p", { claims: ["c"], priority: 1 });
    await stage.pod("q", { claims: ["c"], ...words });
    await stage.pass();
    expect(await stage.nodeOf("p")).toBeDefined();
    expect((await stage.getPod("p")).metadata.deletionTimestamp).toBeUndefined();
    expect(await stage.why("q")).toContain(IN_USE);
  });

  test("SCHED-47: the fewest and least important pods go, where they help", async () => {
    await stage.pod("a1", { nodeName: "a", priority: 1, requests: { cpu: "2" } });
    await stage.pod("a2", { nodeName: "a", priority: 2, requests: { cpu: "2" } });
    await stage.pod("b1", { nodeName: "b", priority: 3, requests: { cpu: "4" } });
    await stage.pod("q", { priority: 10, requests: { cpu: "2" } });
    await stage.pass();
    expect(await stage.nodeOf("q")).toBe("a");
    await expect(stage.getPod("a1")).rejects.toThrow("not found");
    expect(await stage.nodeOf("a2")).toBe("a");
    expect(await stage.nodeOf("b1")).toBe("b");
    await stage.pod("r", { priority: 10, nodeSelector: { no: "node" }, requests: { cpu: "4" } });
    await stage.pass();
    expect(await stage.nodeOf("b1")).toBe("b");
  });
});

describe("disks in pods", () => {
  const iscsi = (readOnly: boolean) => ({
    volumes: [
      { name: "d", iscsi: { targetPortal: "1.2.3.4:3260", iqn: "iqn.2020-01.com.example:x", lun: 0, readOnly } },
    ],
  });

  test("SCHED-49: a disk that is written is not shared on a node, but elsewhere", async () => {
    await stage.pod("p", iscsi(false));
    await stage.pod("q", iscsi(true));
    expect(await stage.why("q")).toContain("1 node(s) had no available disk");
    await stage.node("b");
    await stage.pass();
    expect(await stage.nodeOf("q")).toBe("b");
  });

  test("SCHED-49: a disk that all only read is shared", async () => {
    await stage.pod("p", iscsi(true));
    await stage.pod("q", iscsi(true));
    expect(await stage.nodeOf("q")).toBe("a");
  });

  test("SCHED-49: an elastic disk is never shared, an image is known by any of its monitors", async () => {
    const elastic = { volumes: [{ name: "d", awsElasticBlockStore: { volumeID: "vol-1", readOnly: true } }] };
    await stage.pod("p", elastic);
    await stage.pod("q", elastic);
    expect(await stage.why("q")).toContain("no available disk");
    const image = (...monitors: string[]) => ({ volumes: [{ name: "d", rbd: { monitors, image: "i", pool: "p" } }] });
    await stage.pod("r", image("m1", "m2"));
    await stage.pod("s", image("m2", "m3"));
    await stage.pod("t", image("m3"));
    expect(await stage.nodeOf("r")).toBe("a");
    expect(await stage.why("s")).toContain("no available disk");
    expect(await stage.nodeOf("t")).toBe("a");
  });
});

test("SCHED-50: ReadWriteOnce keeps no second pod off the node where the volume is", async () => {
  await stage.bound("c");
  await stage.pod("p", { claims: ["c"] });
  await stage.pod("q", { claims: ["c"] });
  expect([await stage.nodeOf("p"), await stage.nodeOf("q")]).toEqual(["a", "a"]);
});
