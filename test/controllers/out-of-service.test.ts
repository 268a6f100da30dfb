/** A node that is shut down and does not come back: from the taint that says so to a Pod that has its disk on another node. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { Node, PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttachment } from "../../src/client/kinds/index.ts";
import { type Cluster, createCluster } from "../../src/testing/index.ts";

const DRIVER = "d.example.com";
const MANAGED = "volumes.kubernetes.io/controller-managed-attach-detach";
const at = (name: string) => ({ name, namespace: "default" });

let cluster: Cluster;
beforeEach(async () => {
  cluster = await createCluster({ controllers: "all" });
  for (const node of ["n1", "n2"]) {
    await nodes().create({ metadata: { name: node, annotations: { [MANAGED]: "true" } } } as NewObject<Node>);
    await setReady(node, "True");
  }
  const accessModes = ["ReadWriteOnce"];
  await cluster
    .client()
    .resource(PersistentVolume)
    .create({
      metadata: { name: "v" },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes,
        csi: { driver: DRIVER, volumeHandle: "h" },
        claimRef: at("a"),
      },
    } as NewObject<PersistentVolume>);
  await cluster
    .client()
    .resource(PersistentVolumeClaim)
    .create({
      metadata: at("a"),
      spec: { accessModes, volumeName: "v", storageClassName: "", resources: { requests: { storage: "1Gi" } } },
    } as NewObject<PersistentVolumeClaim>);
  await makePod("p", "n1");
  await attachments().status.patch({ name: await attachmentOn("n1") }, { status: { attached: true } });
  const used = { volumesInUse: [`kubernetes.io/csi/${DRIVER}^h`] };
  await nodes().status.patch({ name: "n1" }, { status: used });
  await setReady("n1", "Unknown");
});
afterEach(() => cluster.close());

const nodes = () => cluster.client().resource(Node);
const pods = () => cluster.client().resource(Pod);
const attachments = () => cluster.client().resource(VolumeAttachment);
const setReady = async (name: string, status: string) => {
  await nodes().status.patch({ name }, { status: { conditions: [{ type: "Ready", status }] } });
  await cluster.settled();
};
const makePod = async (name: string, nodeName: string) => {
  const volumes = [{ name: "x", persistentVolumeClaim: { claimName: "a" } }];
  const spec = { nodeName, containers: [{ name: "c", image: "i" }], volumes };
  await pods().create({ metadata: at(name), spec } as NewObject<Pod>);
  const containerStatuses = [
    { name: "c", ready: true, restartCount: 0, image: "i", imageID: "", state: { running: { startedAt: null } } },
  ];
  await pods().status.patch(at(name), { status: { phase: "Running", containerStatuses } } as never);
  await cluster.settled();
};
const attachmentOn = async (node: string) =>
  (await attachments().list()).items.find(({ spec }) => spec.nodeName === node)!.metadata.name;
const attachedTo = async () => (await attachments().list()).items.map(({ spec }) => spec.nodeName);
const podsLeft = async () => (await pods().list()).items.map(({ metadata }) => metadata.name);
const taint = async () => {
  const taints = [{ key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" }];
  await nodes().patch({ name: "n1" }, { spec: { taints } });
  await cluster.settled();
};

test("CTL-TAINT-1, CTL-PODGC-6, CTL-AD-13: the taint alone removes the pods of a node that is not ready, and detaches their disks at once", async () => {
  await makePod("q", "n2");
  expect(await attachedTo()).toEqual(["n1"]);
  const before = cluster.clock.now();
  await taint();
  expect(cluster.clock.now()).toBe(before);
  expect(await podsLeft()).toEqual(["q"]);
  expect(await attachedTo()).toEqual(["n2"]);
  expect((await nodes().get({ name: "n1" })).status.volumesAttached).toBeUndefined();
});

test("CTL-AD-13: without the taint the pod stays, and once it is removed its disk is detached after six minutes", async () => {
  await pods().delete(at("p"));
  await cluster.clock.advance("10m");
  expect(await podsLeft()).toEqual(["p"]);
  expect(await attachedTo()).toEqual(["n1"]);
  await setReady("n1", "True");
  await setReady("n1", "Unknown");
  await pods().delete(at("p"), { gracePeriodSeconds: 0 });
  await cluster.clock.advance("5m");
  expect(await attachedTo()).toEqual(["n1"]);
  await cluster.clock.advance("2m");
  expect(await attachedTo()).toEqual([]);
});

test("CTL-TAINT-1, CTL-PODGC-6: a node that is ready in spite of the taint ends its pods itself", async () => {
  await setReady("n1", "True");
  await taint();
  expect((await pods().get(at("p"))).metadata.deletionGracePeriodSeconds).toBe(30);
  await cluster.clock.advance("10m");
  expect(await podsLeft()).toEqual(["p"]);
  expect(await attachedTo()).toEqual(["n1"]);
});

test("CTL-PODGC-1, CTL-AD-13: a node that was deleted loses its pods after 40 seconds, and what it used after six minutes", async () => {
  await nodes().delete({ name: "n1" });
  await cluster.clock.advance("39s");
  expect(await podsLeft()).toEqual(["p"]);
  await cluster.clock.advance("2s");
  expect(await podsLeft()).toEqual([]);
  expect(await attachedTo()).toEqual(["n1"]);
  await cluster.clock.advance("6m");
  expect(await attachedTo()).toEqual([]);
});
