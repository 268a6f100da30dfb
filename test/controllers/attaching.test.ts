import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import {
  CSIDriver,
  CSINode,
  CoreEvent,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
} from "../../src/client/kinds/index.ts";
import { attachDetach } from "../../src/controllers/storage/attach/controller.ts";
import { volumeBinder } from "../../src/controllers/storage/binder/binder.ts";
import { migrationOf } from "../../src/claims/plugin-migration.ts";
import type { Controller, Manager } from "../../src/runtime/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { seededRandom } from "../../src/util/clock.ts";
import { World } from "../runtime/world.ts";

let world: World;
let manager: Manager;
/** Managers that are started one after the other name their Events differently, although no time passes. */
let starts = 0;
const start = async (...controllers: readonly Controller[]) => {
  manager = world.manager({ countedEvents: true, seed: ++starts }).add(...controllers);
  await manager.start();
};
beforeEach(async () => {
  world = await World.create();
  await world.run(volumeBinder(kubernetes));
  await start(attachDetach(kubernetes));
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.warnings.length > 0) throw new Error(world.warnings.join("\n"));
});

const at = (name: string) => ({ name, namespace: "default" });
const MANAGED = "volumes.kubernetes.io/controller-managed-attach-detach";
const DRIVER = "d.example.com";
const ENTRY = `kubernetes.io/csi/${DRIVER}^h-v`;
const nodes = () => world.resource(Node);
const attachments = () => world.resource(VolumeAttachment);
const nameOn = (node: string, handle = "h-v", driver = DRIVER) =>
  `csi-${createHash("sha256")
    .update(handle + driver + node)
    .digest("hex")}`;
const on = (node: string) => attachments().find({ name: nameOn(node) });
const all = async () =>
  (await attachments().list()).items
    .map(({ spec }) => `${spec.source.persistentVolumeName} ${spec.nodeName}`)
    .toSorted();

const setReady = (name: string, status: string, more: object = {}) =>
  nodes().status.patch({ name }, { status: { conditions: [{ type: "Ready", status, ...more }] } });
const makeNode = async (name = "n1", annotations: Readonly<Record<string, string>> = { [MANAGED]: "true" }) => {
  await nodes().create({ metadata: { name, annotations } } as NewObject<Node>);
  await setReady(name, "True");
};
/** A claim `a` that is bound to a volume `v`. */
const bind = async (
  accessModes = ["ReadWriteOnce"],
  source: object = { csi: { driver: DRIVER, volumeHandle: "h-v" } },
) => {
  await world.resource(PersistentVolume).create({
    metadata: { name: "v" },
    spec: { capacity: { storage: "1Gi" }, accessModes, ...source, claimRef: at("a") },
  } as NewObject<PersistentVolume>);
  await world.resource(PersistentVolumeClaim).create({
    metadata: at("a"),
    spec: { accessModes, volumeName: "v", storageClassName: "", resources: { requests: { storage: "1Gi" } } },
  } as NewObject<PersistentVolumeClaim>);
  await world.settled();
};
const makePod = async (name = "p", node: string | undefined = "n1", metadata: object = {}) => {
  const volumes = [{ name: "x", persistentVolumeClaim: { claimName: "a" } }];
  const spec = { nodeName: node, containers: [{ name: "c", image: "i" }], volumes };
  await world.resource(Pod).create({ metadata: { ...at(name), ...metadata }, spec } as NewObject<Pod>);
  await world.settled();
};
const removePod = async (name = "p") => {
  await world.resource(Pod).delete(at(name), { gracePeriodSeconds: 0 });
  await world.settled();
};
/** What an attacher writes. */
const attacher = async (status: object = { attached: true }, node = "n1") => {
  await attachments().status.patch({ name: nameOn(node) }, { status });
  await world.settled();
};
const useOf = async (entries: readonly string[] | null, node = "n1") => {
  await nodes().status.patch({ name: node }, { status: { volumesInUse: entries } });
  await world.settled();
};
const listed = async (node = "n1") =>
  (await nodes().get({ name: node })).status.volumesAttached?.map(({ name }) => name);
const events = async (name = "p") => {
  const { items } = await world.resource(CoreEvent).list();
  return items
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ type, reason, source, count }) => [type, reason, source.component, count]);
};
const FROM = "attachdetach-controller";
/** A pod on a node with its volume attached. */
const attached = async (modes?: string[]) => {
  await makeNode();
  await bind(modes);
  await makePod();
  await attacher();
};

describe("attaching", () => {
  test("CTL-AD-1, CTL-AD-2, CSID-2, VA-1: a pod on a node gets an attachment of its volume", async () => {
    await makeNode();
    await bind();
    await makePod();
    const { metadata, spec, status } = (await on("n1"))!;
    expect(spec).toEqual({ attacher: DRIVER, nodeName: "n1", source: { persistentVolumeName: "v" } });
    expect(status).toEqual({ attached: false });
    expect(metadata.finalizers).toBeUndefined();
    expect(await listed()).toBeUndefined();
    expect(await events()).toEqual([]);
  });

  test("CTL-AD-3: attached volumes are in the status of the node, and the Pod gets one Event", async () => {
    await attached();
    expect((await nodes().get({ name: "n1" })).status.volumesAttached).toEqual([{ name: ENTRY, devicePath: "" }]);
    expect(await events()).toEqual([["Normal", "SuccessfulAttachVolume", FROM, 1]]);
    await manager.stop();
    await start(attachDetach(kubernetes));
    await world.settled();
    expect(await events()).toEqual([["Normal", "SuccessfulAttachVolume", FROM, 1]]);
  });

  test("CTL-AD-4: a node is served from when it says that it wants to be", async () => {
    await makeNode("n1", {});
    await bind();
    await makePod();
    expect(await all()).toEqual([]);
    await nodes().patch({ name: "n1" }, { metadata: { annotations: { [MANAGED]: "true" } } });
    await world.settled();
    expect(await all()).toEqual(["v n1"]);
  });

  test("CTL-AD-5: nothing is attached before the claim is bound, the pod has a node, and the node is there", async () => {
    await makePod("early", "n1");
    await bind();
    expect(await all()).toEqual([]);
    await removePod("early");
    await makePod("p", "");
    await makeNode();
    await world.settled();
    expect(await all()).toEqual([]);
    await makePod("q");
    expect(await all()).toEqual(["v n1"]);
  });

  test("CTL-AD-6, CSID-4, CSID-5: a driver that needs no attaching gets none, and gets it once it does", async () => {
    const driver = (attachRequired: boolean) =>
      world
        .resource(CSIDriver)
        .create({ metadata: { name: DRIVER }, spec: { attachRequired } } as NewObject<CSIDriver>);
    await driver(false);
    await makeNode();
    await bind();
    await makePod();
    expect(await all()).toEqual([]);
    await world.resource(CSIDriver).delete({ name: DRIVER });
    await driver(true);
    await world.settled();
    expect(await all()).toEqual(["v n1"]);
  });

  test("CTL-AD-7: volumes of other kinds are attached where a driver has taken over their plugin, on nodes that say so", async () => {
    await makeNode();
    await bind(["ReadWriteOnce"], { cinder: { volumeID: "x" } });
    await makePod();
    expect(await all()).toEqual([]);
    const driver = "cinder.csi.openstack.org";
    await world.resource(CSINode).create({
      metadata: { name: "n1", annotations: { "storage.alpha.kubernetes.io/migrated-plugins": "kubernetes.io/cinder" } },
      spec: { drivers: [{ name: driver, nodeID: "i", topologyKeys: [] }] },
    } as NewObject<CSINode>);
    await world.settled();
    expect((await attachments().get({ name: nameOn("n1", "x", driver) })).spec.attacher).toBe(driver);
  });

  test.each([
    ["awsElasticBlockStore", { volumeID: "aws://us-1a/vol-1" }, "vol-1", {}],
    ["azureDisk", { diskURI: "/subscriptions/x/d", diskName: "d", kind: "Managed" }, "/subscriptions/x/d", {}],
    ["gcePersistentDisk", { pdName: "d" }, "projects/UNSPECIFIED/zones/eu-1b/disks/d", { zone: "eu-1b" }],
    ["gcePersistentDisk", { pdName: "d" }, "projects/UNSPECIFIED/regions/eu-1/disks/d", { zone: "eu-1-b__eu-1-c" }],
    ["vsphereVolume", { volumePath: "[ds] d.vmdk" }, "[ds] d.vmdk", {}],
  ])("CTL-AD-7: a volume of %s %j is %s to its driver", (member, source, handle, { zone }: { zone?: string }) => {
    const labels = zone ? { "topology.kubernetes.io/zone": zone } : {};
    const volume = { metadata: { name: "v", labels }, spec: { [member]: source } } as unknown as PersistentVolume;
    expect(migrationOf(kubernetes).ofSource(volume)?.handle).toBe(handle);
  });

  test("CTL-AD-8: the pods of a node share one attachment until the last is gone", async () => {
    await attached();
    await makePod("q");
    expect(await all()).toEqual(["v n1"]);
    await removePod("p");
    expect((await on("n1"))?.metadata.deletionTimestamp).toBeUndefined();
    expect(await listed()).toEqual([ENTRY]);
    await removePod("q");
    expect(await all()).toEqual([]);
  });

  test("CTL-AD-9, CTL-GEN-3: an error becomes an Event, each once, and the same object is attached in the end", async () => {
    await makeNode();
    await bind();
    await makePod();
    const { uid } = (await on("n1"))!.metadata;
    await attacher({ attachError: { message: "no room", time: "2024-01-02T03:04:05Z" } });
    await world.advance("1m");
    expect(await events()).toEqual([["Warning", "FailedAttachVolume", FROM, 1]]);
    await attacher({ attachError: { message: "no room", time: "2024-01-02T03:05:05Z" } });
    expect(await events()).toEqual([["Warning", "FailedAttachVolume", FROM, 2]]);
    await attacher({ attached: true, attachError: null });
    expect((await on("n1"))!.metadata.uid).toBe(uid);
    const told = (await events()).map(([, reason]) => reason);
    expect(new Set(told)).toEqual(new Set(["FailedAttachVolume", "SuccessfulAttachVolume"]));
  });

  test("CTL-AD-14: a volume for one node is attached to a second after the first has released it, and the Pod gets one Event", async () => {
    await attached();
    await makeNode("n2");
    await makePod("q", "n2");
    await makePod("r", "n2");
    await nodes().patch({ name: "n2" }, { spec: { taints: [{ key: "x", effect: "NoSchedule" }] } });
    await world.settled();
    expect(await all()).toEqual(["v n1"]);
    for (const pod of ["q", "r"]) expect(await events(pod)).toEqual([["Warning", "FailedAttachVolume", FROM, 1]]);
    await attachments().patch({ name: nameOn("n1") }, { metadata: { finalizers: ["external-attacher/d"] } });
    await removePod();
    expect(await all()).toEqual(["v n1"]);
    await attachments().patch({ name: nameOn("n1") }, { metadata: { finalizers: null } });
    await world.settled();
    expect(await all()).toEqual(["v n2"]);
    await attacher({ attached: true }, "n2");
    const told = (await events("q")).map(([, reason]) => reason);
    expect(new Set(told)).toEqual(new Set(["FailedAttachVolume", "SuccessfulAttachVolume"]));
  });

  test("CTL-AD-14: pods that come at once on two nodes get a volume for one node on one of them", async () => {
    for (const name of ["n1", "n2", "n3"]) await makeNode(name);
    await bind();
    await Promise.all(["n1", "n2", "n3"].map((node) => makePod(`p-${node}`, node)));
    await world.settled();
    expect(await all()).toHaveLength(1);
  });

  test.each([[["ReadWriteMany"]], [["ReadWriteOnce", "ReadOnlyMany"]]])(
    "CTL-AD-15: a volume with %j gets an attachment for each node, and nothing is reported",
    async (modes) => {
      await attached(modes);
      await makeNode("n2");
      await makePod("q", "n2");
      expect(await all()).toEqual(["v n1", "v n2"]);
      expect(await events("q")).toEqual([]);
    },
  );

  describe("a disk that several volumes name", () => {
    /** A second claim, in another namespace, of a second volume of the same disk. */
    const bindAgain = async (
      accessModes = ["ReadWriteOnce"],
      source: object = { csi: { driver: DRIVER, volumeHandle: "h-v" } },
    ) => {
      await world.resource(Namespace).create({ metadata: { name: "team" } });
      const claimRef = { name: "b", namespace: "team" };
      await world.resource(PersistentVolume).create({
        metadata: { name: "w" },
        spec: { capacity: { storage: "1Gi" }, accessModes, ...source, claimRef },
      } as NewObject<PersistentVolume>);
      await world.resource(PersistentVolumeClaim).create({
        metadata: claimRef,
        spec: { accessModes, volumeName: "w", storageClassName: "", resources: { requests: { storage: "1Gi" } } },
      } as NewObject<PersistentVolumeClaim>);
    };
    const makePodOfTeam = async (node: string) => {
      const volumes = [{ name: "x", persistentVolumeClaim: { claimName: "b" } }];
      const spec = { nodeName: node, containers: [{ name: "c", image: "i" }], volumes };
      await world.resource(Pod).create({ metadata: { name: "q", namespace: "team" }, spec } as NewObject<Pod>);
      await world.settled();
    };

    test("CTL-AD-14: it goes to a second node when the first has given it up", async () => {
      await attached();
      await makeNode("n2");
      await bindAgain();
      await makePodOfTeam("n2");
      expect(await all()).toEqual(["v n1"]);
      expect(await events("q")).toEqual([["Warning", "FailedAttachVolume", FROM, 1]]);
      await removePod();
      expect(await all()).toEqual(["w n2"]);
    });

    test("CTL-AD-8: on one node they share an attachment, which stays until the last Pod is gone", async () => {
      await attached();
      await bindAgain();
      await makePodOfTeam("n1");
      expect(await all()).toEqual(["v n1"]);
      await removePod();
      expect(await all()).toEqual(["v n1"]);
      await world.resource(Pod).delete({ name: "q", namespace: "team" }, { gracePeriodSeconds: 0 });
      await world.settled();
      expect(await all()).toEqual([]);
    });

    test("CTL-AD-7, CTL-AD-14: one of a plugin that is left to the driver is the same disk", async () => {
      const { metadata, spec } = {
        metadata: {
          name: "n2",
          annotations: { "storage.alpha.kubernetes.io/migrated-plugins": "kubernetes.io/aws-ebs" },
        },
        spec: { drivers: [{ name: "ebs.csi.aws.com", nodeID: "n2" }] },
      };
      await makeNode();
      await makeNode("n2");
      await world.resource(CSINode).create({ metadata, spec } as NewObject<CSINode>);
      await bind(undefined, { csi: { driver: "ebs.csi.aws.com", volumeHandle: "vol-1" } });
      await makePod();
      expect(await all()).toEqual(["v n1"]);
      await bindAgain(undefined, { awsElasticBlockStore: { volumeID: "vol-1" } });
      await makePodOfTeam("n2");
      expect(await all()).toEqual(["v n1"]);
      await removePod();
      expect(await all()).toEqual(["w n2"]);
    });
  });

  test("CTL-AD-16: an attachment that a user deleted is created again, and the node loses its entry meanwhile", async () => {
    await attached();
    const { uid } = (await on("n1"))!.metadata;
    await attachments().patch({ name: nameOn("n1") }, { metadata: { finalizers: ["external-attacher/d"] } });
    await attachments().delete({ name: nameOn("n1") });
    await world.settled();
    expect((await on("n1"))?.metadata.uid).toBe(uid);
    expect(await listed()).toBeUndefined();
    await attachments().patch({ name: nameOn("n1") }, { metadata: { finalizers: null } });
    await world.settled();
    expect((await on("n1"))?.metadata.uid).not.toBe(uid);
    expect((await on("n1"))?.status.attached).toBe(false);
  });
});

test("CTL-AD-17: a volume of a migrated plugin that is described in pods is attached with its description", async () => {
  const driver = "cinder.csi.openstack.org";
  for (const node of ["n1", "n2"]) {
    await makeNode(node);
    await world.resource(CSINode).create({
      metadata: {
        name: node,
        annotations: { "storage.alpha.kubernetes.io/migrated-plugins": "kubernetes.io/a,kubernetes.io/cinder" },
      },
      spec: { drivers: [{ name: driver, nodeID: "i", topologyKeys: [] }] },
    } as NewObject<CSINode>);
    const spec = {
      nodeName: node,
      containers: [{ name: "c", image: "i" }],
      volumes: [{ name: "x", cinder: { volumeID: "x/1" } }],
    };
    await world.resource(Pod).create({ metadata: at(`p-${node}`), spec } as NewObject<Pod>);
    await world.settled();
  }
  const name = nameOn("n1", "x/1", driver);
  const { spec } = await attachments().get({ name });
  const csi = { driver, volumeHandle: "x/1" };
  expect(spec).toMatchObject({
    attacher: driver,
    source: { inlineVolumeSpec: { accessModes: ["ReadWriteOnce"], csi } },
  });
  expect((await attachments().list()).items).toHaveLength(1);
  expect(await events("p-n2")).toEqual([["Warning", "FailedAttachVolume", FROM, 1]]);
  await attachments().status.patch({ name }, { status: { attached: true } });
  await world.settled();
  expect(await listed()).toEqual([`kubernetes.io/csi/${driver}^x/1`]);
  await removePod("p-n1");
  const { items } = await attachments().list();
  expect(items.map(({ spec: { nodeName } }) => nodeName)).toEqual(["n2"]);
  expect(await listed()).toBeUndefined();
});

describe("detaching", () => {
  beforeEach(() => attached());

  test("CTL-AD-10: when the pod is gone the node loses the entry first, then the attachment goes", async () => {
    const { resourceVersion } = (await attachments().list()).metadata;
    await removePod();
    expect(await on("n1")).toBeUndefined();
    expect(await listed()).toBeUndefined();
    for await (const { type, object } of attachments().watch({ resourceVersion })) {
      const node = await nodes().get({ name: "n1" });
      expect(type).toBe("DELETED");
      expect(BigInt(object.metadata.resourceVersion!)).toBeGreaterThan(BigInt(node.metadata.resourceVersion!));
      break;
    }
  });

  test.each(["Succeeded", "Failed"])("CTL-AD-10: a pod that has %s needs no volume", async (phase) => {
    await world.resource(Pod).status.patch(at("p"), { status: { phase } });
    await world.settled();
    expect(await all()).toEqual([]);
  });

  test("a node that says so keeps the volumes of pods that have ended", async () => {
    const annotations = { "volumes.kubernetes.io/keep-terminated-pod-volumes": "true" };
    await nodes().patch({ name: "n1" }, { metadata: { annotations } });
    await world.resource(Pod).status.patch(at("p"), { status: { phase: "Succeeded" } });
    await world.settled();
    expect(await all()).toEqual(["v n1"]);
  });

  test("CTL-AD-11, CTL-AD-20: the attacher holds it, and its errors do not take the deletion back", async () => {
    await attachments().patch({ name: nameOn("n1") }, { metadata: { finalizers: ["external-attacher/d"] } });
    await removePod();
    await attacher({ detachError: { message: "busy" } });
    const { metadata, status } = (await on("n1"))!;
    expect(metadata.deletionTimestamp).toBeDefined();
    expect(status).toMatchObject({ attached: true, detachError: { message: "busy" } });
    expect(await listed()).toBeUndefined();
    await attachments().patch({ name: nameOn("n1") }, { metadata: { finalizers: null } });
    await world.settled();
    expect(await all()).toEqual([]);
  });

  test("CTL-AD-12: what the node uses is not detached before it says that it does not", async () => {
    await useOf([ENTRY]);
    await removePod();
    await world.advance("1h");
    expect((await on("n1"))?.metadata.deletionTimestamp).toBeUndefined();
    expect(await listed()).toEqual([ENTRY]);
    await useOf(null);
    expect(await all()).toEqual([]);
    expect(await listed()).toBeUndefined();
  });

  test("CTL-AD-13: a node that is out of service gives up what it uses", async () => {
    await useOf([ENTRY]);
    await removePod();
    const taints = [{ key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" }];
    await nodes().patch({ name: "n1" }, { spec: { taints } });
    await world.settled();
    expect(await all()).toEqual([]);
    expect(await listed()).toBeUndefined();
  });

  test("CTL-AD-13: a node that is not ready gives up what it uses after six minutes, and not if it comes back", async () => {
    await useOf([ENTRY]);
    await removePod();
    await setReady("n1", "Unknown");
    await world.advance("5m");
    await setReady("n1", "True");
    await world.advance("2m");
    expect(await all()).toEqual(["v n1"]);
    await setReady("n1", "Unknown");
    await world.advance("359s");
    expect(await all()).toEqual(["v n1"]);
    await world.advance("2s");
    expect(await all()).toEqual([]);
  });

  test("CTL-AD-13: the time that the node names itself counts", async () => {
    await useOf([ENTRY]);
    await removePod();
    const lastTransitionTime = new Date(world.clock.now() - 400_000).toISOString();
    await setReady("n1", "False", { lastTransitionTime });
    await world.settled();
    expect(await all()).toEqual([]);
  });

  test("CTL-AD-13: where that is switched off, a node that is lost is waited for", async () => {
    await manager.stop();
    await start(attachDetach(kubernetes, { forceDetach: false }));
    await useOf([ENTRY]);
    await removePod();
    await setReady("n1", "Unknown");
    await world.advance("1h");
    expect(await all()).toEqual(["v n1"]);
  });

  test("CTL-AD-13: a pod that is still there is not robbed of its volume, whatever is said of its node", async () => {
    const taints = [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }];
    await nodes().patch({ name: "n1" }, { spec: { taints } });
    await setReady("n1", "Unknown");
    await world.advance("1h");
    expect(await all()).toEqual(["v n1"]);
  });

  test("CTL-AD-18: a new leader detaches volumes that no pod needs, and removes entries that are not attached", async () => {
    await manager.stop();
    await removePod();
    const volumesAttached = [ENTRY, "kubernetes.io/csi/d^gone", "example.com/x"].map((name) => ({
      name,
      devicePath: "",
    }));
    await nodes().status.patch({ name: "n1" }, { status: { volumesAttached } });
    await attachments().create({
      metadata: { name: "mine" },
      spec: { attacher: DRIVER, nodeName: "n1", source: { persistentVolumeName: "v" } },
    } as NewObject<VolumeAttachment>);
    await start(attachDetach(kubernetes));
    await world.settled();
    expect(await on("n1")).toBeUndefined();
    expect(await attachments().find({ name: "mine" })).toBeDefined();
    expect(await listed()).toEqual(["example.com/x"]);
  });

  test("CTL-AD-18: an attachment goes, too, when its volume or its node is gone", async () => {
    await makeNode("n2");
    await manager.stop();
    await removePod();
    for (const [name, node] of [
      [nameOn("n2", "gone"), "n2"],
      [nameOn("n3"), "n3"],
    ] as const) {
      const source = { persistentVolumeName: node === "n2" ? "gone" : "v" };
      const spec = { attacher: DRIVER, nodeName: node, source };
      await attachments().create({ metadata: { name }, spec } as NewObject<VolumeAttachment>);
    }
    await start(attachDetach(kubernetes));
    await world.settled();
    // The volumes of a node that was deleted earlier are not known.
    expect(await all()).toEqual(["v n3"]);
    await world.advance("6m");
    expect(await all()).toEqual([]);
  });

  test("CTL-AD-12, CTL-AD-13: a node that was deleted has what it used for six minutes, and nothing else", async () => {
    await makeNode("n2");
    await useOf([ENTRY]);
    await nodes().delete({ name: "n1" });
    await removePod();
    await makePod("q", "n2");
    await world.advance("5m");
    expect(await all()).toEqual(["v n1"]);
    expect(await events("q")).toEqual([["Warning", "FailedAttachVolume", FROM, 1]]);
    await world.advance("2m");
    expect(await all()).toEqual(["v n2"]);
  });

  test("CTL-AD-13: a node that was deleted and used nothing, or was out of service, has nothing", async () => {
    await removePod();
    await makeNode("n2");
    await makePod("q", "n2");
    await attacher({ attached: true }, "n2");
    await nodes().delete({ name: "n2" });
    await removePod("q");
    expect(await all()).toEqual([]);
    await makeNode("n3");
    await makePod("r", "n3");
    await attacher({ attached: true }, "n3");
    await useOf([ENTRY], "n3");
    const taints = [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }];
    await nodes().patch({ name: "n3" }, { spec: { taints } });
    await nodes().delete({ name: "n3" });
    await removePod("r");
    expect(await all()).toEqual([]);
  });

  test("CTL-AD-12: a node that comes back under its name says itself what it uses", async () => {
    await useOf([ENTRY]);
    await nodes().delete({ name: "n1" });
    await removePod();
    expect(await all()).toEqual(["v n1"]);
    await makeNode();
    await world.settled();
    expect(await all()).toEqual([]);
  });

  test("CTL-AD-19: a node that is not ready gives up what it does not use", async () => {
    await setReady("n1", "Unknown");
    await removePod();
    expect(await all()).toEqual([]);
  });

  test("CTL-GEN-1: two of this controller do it once", async () => {
    await world.manager({ name: "other", countedEvents: true }).add(attachDetach(kubernetes)).start();
    await makeNode("n2");
    await removePod();
    await makePod("q", "n2");
    await world.advance("1s");
    expect(await all()).toEqual(["v n2"]);
    expect(await listed()).toBeUndefined();
  });
});

test.each([1, 2, 3, 4, 5])(
  "CTL-AD-8, CTL-AD-10, CTL-AD-14, CTL-GEN-2: in random schedule %i a volume for one node is never on two, and in the end where it is needed",
  async (seed) => {
    const random = seededRandom(seed);
    const anyOf = <T>(some: readonly T[]): T | undefined => some[Math.floor(random.next() * some.length)];
    const names = ["n1", "n2", "n3"];
    for (const node of names) await makeNode(node);
    await bind();
    const podsOf = async () => (await world.resource(Pod).list({ namespace: "default" })).items;
    /** What an attacher and a node agent do, for one attachment. */
    const serve = async (attachment: VolumeAttachment | undefined) => {
      if (!attachment) return;
      const { metadata, spec, status } = attachment;
      const { name } = metadata;
      if (metadata.deletionTimestamp)
        return void (await attachments().patch({ name }, { metadata: { finalizers: null } }));
      if (status.attached) {
        const isUsed = (await podsOf()).some(({ spec: { nodeName } }) => nodeName === spec.nodeName);
        return useOf(isUsed ? [ENTRY] : null, spec.nodeName);
      }
      await attachments().patch({ name }, { metadata: { finalizers: ["external-attacher/d"] } });
      return attacher({ attached: true }, spec.nodeName);
    };
    let made = 0;
    const steps = [
      () => makePod(`p${made++}`, anyOf(names)),
      async () => {
        const pod = anyOf(await podsOf());
        if (pod) await removePod(pod.metadata.name);
      },
      async () => serve(anyOf((await attachments().list()).items)),
      async () => serve(anyOf((await attachments().list()).items)),
      async () => {
        await manager.stop({ grace: 0 });
        await start(attachDetach(kubernetes));
      },
    ];
    for (let i = 0; i < 60; i++) {
      const isTwo = random.next() < 0.5;
      await Promise.all([anyOf(steps)!(), ...(isTwo ? [steps[0]!()] : [])]);
      if (random.next() < 0.5) await world.settled();
      const { items } = await attachments().list();
      expect(items.length).toBeLessThanOrEqual(1);
      for (const node of names) {
        const isAttached = items.some(({ spec, status }) => spec.nodeName === node && status.attached);
        if ((await listed(node)) && !isAttached) await world.settled();
        expect(((await listed(node)) ?? []).length).toBeLessThanOrEqual(isAttached ? 1 : 0);
      }
    }
    for (let i = 0; i < 6; i++) {
      for (const attachment of (await attachments().list()).items) await serve(attachment);
      await world.advance("1s");
    }
    const needed = new Set((await podsOf()).map(({ spec }) => spec.nodeName));
    const { items } = await attachments().list();
    expect(items.map(({ spec, status }) => needed.has(spec.nodeName) && status.attached)).toEqual(
      needed.size > 0 ? [true] : [],
    );
  },
);
