import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CSINode, Node, PersistentVolume, Pod, Secret, VolumeAttachment } from "../../src/client/kinds/index.ts";
import { DiskWorld } from "./disk-world.ts";
import { DRIVER, MadeUpDriver } from "./made-up-driver.ts";

const ATTACHED = `external-attacher/${DRIVER.replaceAll(".", "-")}`;

let disks: DiskWorld;
const begin = async (driver = new MadeUpDriver()) => {
  disks = await DiskWorld.create(driver);
  await disks.makeNodes("one", "two");
  await disks.start();
  await disks.makeClass("fast");
  await disks.makeClaim("a");
};
beforeEach(() => begin());
afterEach(() => disks[Symbol.asyncDispose]());

const published = () => disks.driver.asked("controllerPublishVolume");
const unpublished = () => disks.driver.asked("controllerUnpublishVolume");
const nameOf = async (claim = "a") => (await disks.claim(claim)).spec.volumeName!;

describe("an attachment", () => {
  test("SUP-21, VA-16, VA-10, CTL-OUT-4: is attached, and says so with what the driver told, in one write", async () => {
    const watched = disks.resource(VolumeAttachment);
    const volume = await nameOf();
    await disks.attach("x", volume, "one");
    const { metadata, status } = (await disks.attachment("x"))!;
    expect(status).toEqual({ attached: true, attachmentMetadata: { device: "of disk-1" } });
    expect(metadata.finalizers).toEqual([ATTACHED]);
    expect(metadata.annotations).toEqual({
      "csi.alpha.kubernetes.io/node-id": "id-of-one",
      "csi.alpha.kubernetes.io/volume-handle": "disk-1",
    });
    expect((await disks.resource(PersistentVolume).get({ name: volume })).metadata.finalizers).toContain(ATTACHED);
    expect(published()).toEqual([
      {
        volumeId: "disk-1",
        nodeId: "id-of-one",
        readonly: false,
        secrets: {},
        volumeContext: expect.objectContaining({ content: "content of disk-1" }),
        volumeCapability: {
          accessMode: { mode: 7 },
          accessType: { case: "mount", value: { fsType: "", mountFlags: [] } },
        },
      },
    ]);
    // Made, marked, attached: attached and what the driver told came together.
    expect((await watched.get({ name: "x" })).metadata.managedFields?.length).toBeGreaterThan(0);
    await disks.world.advance("5m");
    expect(published()).toHaveLength(1);
  });

  test("VA-2: of another driver is left alone", async () => {
    await disks.create(VolumeAttachment, {
      metadata: { name: "x" },
      spec: { attacher: "other.example.com", nodeName: "one", source: { persistentVolumeName: await nameOf() } },
    });
    expect(published()).toEqual([]);
    expect((await disks.attachment("x"))!.metadata.finalizers).toBeUndefined();
  });

  test("VA-17, VA-12, VA-15: that fails says why, with the code and the time, and is tried again on the same object", async () => {
    disks.driver.fail("controllerPublishVolume", { code: 8 });
    await disks.attach("x", await nameOf(), "one");
    const failed = (await disks.attachment("x"))!;
    expect(failed.status).toMatchObject({
      attached: false,
      attachError: { errorCode: 8, time: "2026-01-01T00:00:00Z" },
    });
    expect(failed.status.attachError!.message).toContain("told to fail");
    await disks.world.advance("10s");
    expect(published().length).toBeGreaterThan(1);
    expect(published().length).toBeLessThan(6);
    disks.driver.fail("controllerPublishVolume", undefined);
    await disks.world.advance("1m");
    const attached = (await disks.attachment("x"))!;
    expect(attached.metadata.uid).toBe(failed.metadata.uid);
    expect(attached.status).toEqual({ attached: true, attachmentMetadata: { device: "of disk-1" } });
  });

  test("VA-17: that fails with more words than there is room for says as much as there is", async () => {
    disks.driver.fail("controllerPublishVolume", { code: 13, says: `${"ü".repeat(20_000)} and so on` });
    await disks.attach("x", await nameOf(), "one");
    const { message } = (await disks.attachment("x"))!.status.attachError!;
    expect(message).toMatch(/^ControllerPublishVolume: Internal: ü+\.\.\.$/);
    expect(Buffer.byteLength(message!)).toBeLessThanOrEqual(1024);
  });

  test("VA-18, CTL-AD-11, CTL-AD-20: that cannot be taken off stays, attached, and says why", async () => {
    await disks.attach("x", await nameOf(), "one");
    disks.driver.fail("controllerUnpublishVolume", { code: 13 });
    await disks.detach("x");
    const failed = (await disks.attachment("x"))!;
    expect(failed.metadata.deletionTimestamp).toBeDefined();
    expect(failed.status).toMatchObject({ attached: true, detachError: { errorCode: 13 } });
    disks.driver.fail("controllerUnpublishVolume", undefined);
    await disks.world.advance("1m");
    expect(await disks.attachment("x")).toBeUndefined();
    expect(disks.driver.disks.get("disk-1")!.nodes.size).toBe(0);
  });

  test("VA-19, DEC-54: a volume that is detached is not attached any more, and has no metadata of the attachment", async () => {
    await disks.attach("x", await nameOf(), "one", { finalizers: ["example.com/looks-on"] });
    await disks.detach("x");
    const { metadata, status } = (await disks.attachment("x"))!;
    expect(status).toEqual({ attached: false });
    expect(metadata.finalizers).toEqual(["example.com/looks-on"]);
    expect(unpublished()).toEqual([{ volumeId: "disk-1", nodeId: "id-of-one", secrets: {} }]);
    await disks.world.advance("5m");
    expect(unpublished()).toHaveLength(1);
  });

  test("that was never tried is not taken off", async () => {
    await disks.resource(CSINode).delete({ name: "one" });
    await disks.attach("x", await nameOf(), "one");
    expect((await disks.attachment("x"))!.status.attachError?.message).toContain("CSINode one");
    await disks.detach("x");
    expect(await disks.attachment("x")).toBeUndefined();
    expect([...published(), ...unpublished()]).toEqual([]);
  });

  test("waits for its node to have the driver, and is taken off a node that has it no more", async () => {
    const { metadata: _, ...node } = await disks.resource(CSINode).get({ name: "one" });
    await disks.resource(CSINode).delete({ name: "one" });
    await disks.attach("x", await nameOf(), "one");
    await disks.create(CSINode, { ...node, metadata: { name: "one" } });
    await disks.world.advance("1s");
    expect((await disks.attachment("x"))!.status.attached).toBe(true);
    await disks.resource(CSINode).delete({ name: "one" });
    await disks.resource(Node).delete({ name: "one" });
    await disks.detach("x");
    expect(await disks.attachment("x")).toBeUndefined();
    expect(unpublished()).toEqual([{ volumeId: "disk-1", nodeId: "id-of-one", secrets: {} }]);
  });

  test("of a driver that attaches nothing is attached at once, without a finalizer", async () => {
    await disks[Symbol.asyncDispose]();
    await begin(new MadeUpDriver(["CREATE_DELETE_VOLUME"]));
    await disks.attach("x", await nameOf(), "one");
    expect((await disks.attachment("x"))!.status).toEqual({ attached: true });
    expect((await disks.attachment("x"))!.metadata.finalizers).toBeUndefined();
    expect(published()).toEqual([]);
    await disks.detach("x");
    expect(await disks.attachment("x")).toBeUndefined();
  });

  test("is made with the secrets of its volume", async () => {
    await disks.create(Secret, { metadata: { namespace: "default", name: "s" }, stringData: { user: "u" } });
    await disks.makeClass("secret", {
      parameters: {
        "csi.storage.k8s.io/controller-publish-secret-name": "s",
        "csi.storage.k8s.io/controller-publish-secret-namespace": "default",
      },
    });
    await disks.makeClaim("b", { storageClassName: "secret" });
    await disks.attach("x", await nameOf("b"), "one");
    await disks.detach("x");
    expect(published().at(-1)!.secrets).toEqual({ user: "u" });
    expect(unpublished().at(-1)!.secrets).toEqual({ user: "u" });
  });

  test("CTL-AD-11: is taken off without secrets that have gone before it", async () => {
    await disks.create(Secret, { metadata: { namespace: "default", name: "s" }, stringData: { user: "u" } });
    await disks.makeClass("secret", {
      parameters: {
        "csi.storage.k8s.io/controller-publish-secret-name": "s",
        "csi.storage.k8s.io/controller-publish-secret-namespace": "default",
      },
    });
    await disks.makeClaim("b", { storageClassName: "secret" });
    await disks.attach("x", await nameOf("b"), "one");
    await disks.resource(Secret).delete({ namespace: "default", name: "s" });
    await disks.detach("x");
    expect(await disks.attachment("x")).toBeUndefined();
    expect(unpublished().at(-1)!.secrets).toEqual({});
  });

  test("CTL-AD-11: is taken off when its volume was taken away by hand before", async () => {
    const name = await nameOf();
    await disks.attach("x", name, "one");
    const volumes = disks.resource(PersistentVolume);
    await volumes.delete({ name });
    await volumes.patch({ name }, { metadata: { finalizers: null } });
    await disks.settled();
    expect(await volumes.find({ name })).toBeUndefined();
    await disks.detach("x");
    expect(await disks.attachment("x")).toBeUndefined();
    expect(unpublished()).toEqual([{ volumeId: "disk-1", nodeId: "id-of-one", secrets: {} }]);
  });

  test("goes with a driver that attaches nothing any more", async () => {
    await disks.attach("x", await nameOf(), "one");
    disks.manager.crash();
    disks.driver.abilities.delete("PUBLISH_UNPUBLISH_VOLUME");
    await disks.start();
    await disks.detach("x");
    expect(await disks.attachment("x")).toBeUndefined();
    expect(unpublished()).toEqual([]);
  });

  test("VA-6: may describe its volume itself", async () => {
    const inlineVolumeSpec = {
      accessModes: ["ReadWriteOnce"],
      csi: { driver: DRIVER, volumeHandle: "disk-1", fsType: "ext4" },
    };
    await disks.create(VolumeAttachment, {
      metadata: { name: "x" },
      spec: { attacher: DRIVER, nodeName: "two", source: { inlineVolumeSpec } },
    });
    expect((await disks.attachment("x"))!.status.attached).toBe(true);
    await disks.detach("x");
    expect(await disks.attachment("x")).toBeUndefined();
  });

  test("of a volume that is deleted is not tried", async () => {
    const name = await nameOf();
    await disks.resource(PersistentVolume).delete({ name });
    await disks.attach("x", name, "one");
    expect(published()).toEqual([]);
    expect((await disks.attachment("x"))!.status.attachError?.message).toContain("being deleted");
  });
});

test("CTL-AD-1, CTL-AD-3, CTL-AD-10, CTL-RECLAIM-20: a Pod, its claim and its volume go in order, and the disk last", async () => {
  const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
  await disks.resource(Node).patch({ name: "one" }, { metadata: { annotations } });
  await disks.create(Pod, {
    metadata: { namespace: "default", name: "p" },
    spec: {
      nodeName: "one",
      containers: [{ name: "c", image: "i" }],
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "a" } }],
    },
  });
  const isListed = async () => (await disks.resource(Node).get({ name: "one" })).status.volumesAttached;
  expect(await isListed()).toEqual([{ name: `kubernetes.io/csi/${DRIVER}^disk-1`, devicePath: "" }]);
  await disks.deleteClaim("a");
  expect(disks.driver.disks.get("disk-1")!.nodes.size).toBe(1);
  await disks.resource(Pod).delete({ namespace: "default", name: "p" }, { gracePeriodSeconds: 0 });
  await disks.settled();
  await disks.world.advance("1m");
  expect(await isListed()).toBeUndefined();
  expect((await disks.resource(VolumeAttachment).list()).items).toEqual([]);
  expect(await disks.volumes()).toEqual([]);
  expect(disks.driver.disks.size).toBe(0);
});

test("a volume is let go when it is deleted and attached nowhere", async () => {
  const name = await nameOf();
  await disks.attach("x", name, "one");
  await disks.resource(PersistentVolume).patch({ name }, { spec: { persistentVolumeReclaimPolicy: "Retain" } });
  await disks.deleteClaim("a");
  await disks.resource(PersistentVolume).delete({ name });
  await disks.settled();
  expect((await disks.resource(PersistentVolume).get({ name })).metadata.finalizers).toEqual([ATTACHED]);
  await disks.detach("x");
  expect(await disks.volumes()).toEqual([]);
});
