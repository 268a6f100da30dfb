/** Claims that are not ready, and claims that have their volumes (SCHED-12..23). */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../../src/client/kinds/index.ts";
import { HOSTNAME, Stage, at, labelled, only, reachedFrom } from "./model/stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.create();
});
afterEach(() => stage[Symbol.asyncDispose]());

const claims = () => stage.world.resource(PersistentVolumeClaim);
const ZONE = "topology.kubernetes.io/zone";
const REGION = "topology.kubernetes.io/region";
const OLD_ZONE = "failure-domain.beta.kubernetes.io/zone";

describe("claims that are not ready", () => {
  beforeEach(() => stage.node("a"));

  test("SCHED-12: a pod waits for a claim that does not exist, and is placed when it has come and is bound", async () => {
    await stage.pod("p", { claims: ["c"] });
    expect(await stage.why("p")).toBe('0/1 nodes are available: persistentvolumeclaim "c" not found.');
    await stage.bound("c");
    await stage.pass();
    expect(await stage.nodeOf("p")).toBe("a");
  });

  test("SCHED-13: a pod waits for a claim that is being deleted", async () => {
    await stage.bound("c");
    await claims().patch(at("c"), { metadata: { finalizers: ["example.com/hold"] } });
    await claims().delete(at("c"));
    await stage.pod("p", { claims: ["c"] });
    expect(await stage.why("p")).toContain('persistentvolumeclaim "c" is being deleted');
  });

  test("SCHED-14: a pod waits for a claim that has lost its volume", async () => {
    await stage.bound("c");
    await stage.world.resource(PersistentVolume).delete({ name: "v-c" });
    await stage.world.resource(PersistentVolume).patch({ name: "v-c" }, { metadata: { finalizers: null } });
    await stage.world.settled();
    expect((await stage.getClaim("c")).status.phase).toBe("Lost");
    await stage.pod("p", { claims: ["c"] });
    expect(await stage.why("p")).toContain('"c" bound to non-existent persistentvolume "v-c"');
  });

  test("SCHED-15: a pod waits for an unbound claim of no class, of one that binds at once, or that is missing", async () => {
    const now = { metadata: { name: "now" }, provisioner: "d.example.com" };
    await stage.world.resource(StorageClass).create(now as NewObject<StorageClass>);
    await stage.claim("none", { storageClassName: "" });
    await stage.claim("now", { storageClassName: "now" });
    await stage.claim("missing", { storageClassName: "missing" });
    for (const name of ["none", "now", "missing"]) {
      await stage.pod(`p-${name}`, { claims: [name] });
      expect(await stage.why(`p-${name}`)).toContain("pod has unbound immediate PersistentVolumeClaims");
    }
    expect(await stage.why("p-missing")).toContain('storageclass "missing" not found');
    await stage.volume("v", { storageClassName: "missing", claimRef: at("missing") });
    await stage.pass();
    expect(await stage.nodeOf("p-missing")).toBe("a");
  });

  test("SCHED-16: a claim that only names a volume waits for the binder, also in a class that waits for pods", async () => {
    await stage.lateClass();
    await stage.claim("c", { storageClassName: "late", volumeName: "v" });
    await stage.pod("p", { claims: ["c"] });
    expect(await stage.why("p")).toContain("pod has unbound immediate PersistentVolumeClaims");
    expect(await stage.chosenFor("c")).toBeUndefined();
    await stage.volume("v", { storageClassName: "late" });
    await stage.pass();
    expect(await stage.nodeOf("p")).toBe("a");
  });

  test("SCHED-17: a pod waits for the claims of its own volumes to be made", async () => {
    await stage.lateClass("static");
    await stage.volume("v", { storageClassName: "static" });
    const spec = {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "static",
      resources: { requests: { storage: "1Gi" } },
    };
    const volumes = [{ name: "data", ephemeral: { volumeClaimTemplate: { spec } } }];
    await stage.pod("p", { volumes });
    await stage.pass();
    expect(await stage.nodeOf("p")).toBe("a");
    expect((await stage.getClaim("p-data")).spec.volumeName).toBe("v");
    await stage.claim("q-data", { storageClassName: "static" });
    await stage.pod("q", { volumes });
    expect(await stage.why("q")).toContain('"q-data" was not created for pod "q"');
  });
});

describe("claims that have their volumes", () => {
  beforeEach(async () => {
    await stage.node("a", { labels: { x: "1", tier: "gold" } });
    await stage.node("b", { labels: { x: "2", tier: "gold" } });
  });
  /** Where a pod goes whose only claim has a volume of this kind. */
  const goesTo = async (volume: object, metadata: object = {}) => {
    await stage.bound("c", volume, metadata);
    await stage.pod("p", { claims: ["c"] });
    return stage.nodeOf("p");
  };

  test("SCHED-18, PV-3: a pod goes where its volume can be reached", async () => {
    expect(await goesTo(only("b"))).toBe("b");
  });

  test("SCHED-18: a node that can reach it comes later", async () => {
    expect(await goesTo(only("later"))).toBeUndefined();
    expect(await stage.why("p")).toBe(
      "0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity.",
    );
    await stage.node("later");
    await stage.pass();
    expect(await stage.nodeOf("p")).toBe("later");
  });

  test("SCHED-18, PV-5, PV-7: terms of a volume are alternatives", async () => {
    expect(await goesTo(reachedFrom(labelled("x", "9"), labelled("x", "2")))).toBe("b");
  });

  test("SCHED-18, PV-7, PV-9: requirements of one term, which are about labels, must all hold", async () => {
    const matchExpressions = [
      ...labelled("tier", "gold").matchExpressions,
      { key: "x", operator: "NotIn", values: ["1"] },
      { key: HOSTNAME, operator: "Exists" },
    ];
    expect(await goesTo(reachedFrom({ matchExpressions }))).toBe("b");
  });

  test.each([
    ["In", "b", "b"],
    ["NotIn", "b", "a"],
  ])("SCHED-19, PV-10: %s in matchFields of a volume counts the name of the node", async (operator, name, node) => {
    const matchFields = [{ key: "metadata.name", operator, values: [name] }];
    expect(await goesTo(reachedFrom({ matchFields }))).toBe(node);
  });

  test("SCHED-18: a volume without affinity is reached from everywhere", async () => {
    expect(await goesTo({})).toMatch(/^[ab]$/);
  });

  test("SCHED-22: all volumes of a pod must be reached from one node", async () => {
    await stage.bound("c", only("a"));
    await stage.bound("d", only("b"));
    await stage.bound("e", only("a", "b"));
    await stage.pod("p", { claims: ["c", "d"] });
    expect(await stage.why("p")).toContain("2 node(s) didn't match PersistentVolume's node affinity");
    await stage.pod("q", { claims: ["e", "d"] });
    expect(await stage.nodeOf("q")).toBe("b");
    await stage.pod("r", { claims: ["d"], nodeSelector: { x: "1" } });
    expect(await stage.nodeOf("r")).toBeUndefined();
  });

  test("SCHED-23: a claim whose volume is gone, and that was not told yet, keeps a pod from every node", async () => {
    // No binder says that it is lost.
    const world = stage.world.client;
    await stage.claim(
      "c",
      { volumeName: "gone", storageClassName: "" },
      {
        annotations: { "pv.kubernetes.io/bind-completed": "yes" },
      },
    );
    await world.resource(PersistentVolumeClaim).status.patch(at("c"), { status: { phase: "Bound" } });
    const pod = stage.pod("p", { claims: ["c"] });
    await pod;
    expect(await stage.why("p")).toContain("bound to non-existent p");
    expect(await stage.nodeOf("p")).toBeUndefined();
  });
});

describe("zones", () => {
  const withZone = (zone: string, key = ZONE) => stage.bound("c", {}, { labels: { [key]: zone } });
  const zoned = (name: string, labels: Readonly<Record<string, string>>) => stage.node(name, { labels });

  test("SCHED-20: a volume of a zone is used there", async () => {
    await zoned("a", { [ZONE]: "z1", [REGION]: "r" });
    await zoned("b", { [ZONE]: "z2", [REGION]: "r" });
    await withZone("z2");
    await stage.pod("p", { claims: ["c"] });
    expect(await stage.nodeOf("p")).toBe("b");
  });

  test("SCHED-20: a volume of a zone without nodes keeps a pod waiting", async () => {
    await zoned("a", { [ZONE]: "z1" });
    await zoned("b", { [REGION]: "r" });
    await withZone("z9");
    await stage.pod("p", { claims: ["c"] });
    expect(await stage.why("p")).toContain("2 node(s) had no available volume zone");
  });

  test("SCHED-20: one of several zones is enough, and older names mean the same as newer ones", async () => {
    await zoned("a", { [ZONE]: "z1" });
    await zoned("b", { [ZONE]: "z3" });
    await withZone("z2__z3", OLD_ZONE);
    await stage.pod("p", { claims: ["c"] });
    expect(await stage.nodeOf("p")).toBe("b");
  });

  test("SCHED-21: a node without such labels is not asked", async () => {
    await zoned("a", { [ZONE]: "z1" });
    await zoned("plain", {});
    await withZone("z2");
    await stage.pod("p", { claims: ["c"] });
    expect(await stage.nodeOf("p")).toBe("plain");
  });
});

describe("volumes that ask nothing of a node", () => {
  test("SCHED-51: files of objects, directories and paths need nothing, whether they exist or not", async () => {
    await stage.node("a");
    const volumes = [
      { name: "a", configMap: { name: "absent" } },
      { name: "b", secret: { secretName: "absent" } },
      { name: "c", downwardAPI: { items: [{ path: "x", fieldRef: { fieldPath: "metadata.name" } }] } },
      { name: "d", projected: { sources: [{ configMap: { name: "absent" } }] } },
      { name: "e", emptyDir: { medium: "Memory" } },
      { name: "f", hostPath: { path: "/absent" } },
    ];
    await stage.pod("p", { volumes });
    expect(await stage.nodeOf("p")).toBe("a");
  });

  test("SCHED-45: an inline CSI volume asks nothing", async () => {
    await stage.node("a");
    await stage.csiNode("a", 0);
    await stage.pod("p", { volumes: [{ name: "v", csi: { driver: "d.example.com" } }] });
    expect(await stage.nodeOf("p")).toBe("a");
  });
});

test("SCHED-4: a Pod that waits for its claim is tried again when its node is deleted and another one is created", async () => {
  await stage.node("a", { room: { pods: "0" } });
  await stage.bound("c");
  await stage.pod("p", { claims: ["c"] });
  await stage.world.resource(Node).delete({ name: "a" });
  await stage.node("b");
  await stage.pass();
  expect(await stage.nodeOf("p")).toBe("b");
  expect((await stage.world.resource(Pod).get(at("p"))).status.phase).toBe("Pending");
});
