import { afterEach, beforeEach, expect, test } from "vitest";
import { PersistentVolume } from "../../src/client/kinds/index.ts";
import { snapshotKinds } from "../../src/sidecars/snapshot/kinds.ts";
import { DiskWorld, PLACE } from "./disk-world.ts";
import { DRIVER, MadeUpDriver } from "./made-up-driver.ts";

const kinds = snapshotKinds("snapshot.storage.svc.io");

let disks: DiskWorld;
beforeEach(async () => {
  disks = await DiskWorld.create(new MadeUpDriver(), "neutral");
  await disks.makeNodes("one", "two");
  await disks.installSnapshots();
  await disks.start({ extraCreateMetadata: true });
});
afterEach(() => disks[Symbol.asyncDispose]());

test("in the neutral dialect everything has the names of that: marks, finalizers, parameters", async () => {
  await disks.makeClass("fast", { parameters: { kind: "ssd", "csi.storage.svc.io/fstype": "xfs" } });
  await disks.makeClaim("a");
  const volume = await disks.volumeOf("a");
  expect(volume.metadata).toMatchObject({
    finalizers: expect.arrayContaining(["external-provisioner.volume.svc.io/finalizer"]) as string[],
    annotations: { "pv.svc.io/provisioned-by": DRIVER, "volume.svc.io/provisioner-deletion-secret-name": "" },
  });
  expect(volume.spec.csi).toMatchObject({
    fsType: "xfs",
    volumeAttributes: { "storage.svc.io/csiProvisionerIdentity": DRIVER },
  });
  expect(disks.driver.asked("createVolume")[0]!.parameters).toEqual({
    kind: "ssd",
    "csi.storage.svc.io/pvc/name": "a",
    "csi.storage.svc.io/pvc/namespace": "default",
    "csi.storage.svc.io/pv/name": volume.metadata.name,
  });
  await disks.attach("x", volume.metadata.name, "one");
  expect((await disks.attachment("x"))!.metadata.annotations).toEqual({
    "csi.alpha.svc.io/node-id": "id-of-one",
    "csi.alpha.svc.io/volume-handle": "disk-1",
  });
  await disks.detach("x");
  await disks.deleteClaim("a");
  expect(disks.driver.disks.size).toBe(0);
});

test("RSZ-3, AMB-47: an expansion that was refused is called failed", async () => {
  await disks.makeClass("fast");
  await disks.makeClaim("a");
  disks.driver.fail("controllerExpandVolume", { code: 11 });
  await disks.patchClaim("a", { spec: { resources: { requests: { storage: "9Gi" } } } });
  const { status } = await disks.claim("a");
  expect(status.allocatedResourceStatuses).toEqual({ storage: "ControllerResizeFailed" });
  expect(status.conditions?.map(({ type }) => type)).toContain("ControllerResizeError");
  disks.driver.fail("controllerExpandVolume", undefined);
  await disks.patchClaim("a", { spec: { resources: { requests: { storage: "2Gi" } } } });
  expect((await disks.claim("a")).status).toMatchObject({ capacity: { storage: "2Gi" } });
});

test("SC-20: a class whose only term is empty provisions nowhere", async () => {
  await disks.makeClass("nowhere", { allowedTopologies: [{}] });
  await disks.makeClaim("a", { storageClassName: "nowhere" });
  expect(disks.driver.asked("createVolume")).toEqual([]);
  expect(await disks.told("a")).toEqual(["Warning ProvisioningFailed"]);
});

test("SC-3, SC-4: a class that allows some places is provisioned there, one with an empty list anywhere", async () => {
  const place = [{ matchLabelExpressions: [{ key: PLACE, values: ["two"] }] }];
  await disks.makeClass("there", { allowedTopologies: place });
  await disks.makeClass("anywhere", { allowedTopologies: [] });
  await disks.makeClaim("a", { storageClassName: "there" });
  await disks.makeClaim("b", { storageClassName: "anywhere" });
  const [there, anywhere] = disks.driver
    .asked("createVolume")
    .map((one) => one.accessibilityRequirements!.requisite.length);
  expect([there, anywhere]).toEqual([1, 2]);
});

test("VAC-10, MVS-1, PVC-48: a claim that names another attributes class is modified, once the class is there", async () => {
  await disks.makeClass("fast");
  await disks.makeAttributes("silver");
  await disks.makeClaim("a", { volumeAttributesClassName: "silver" });
  await disks.patchClaim("a", { spec: { volumeAttributesClassName: "gold" } });
  expect((await disks.claim("a")).status.modifyVolumeStatus).toMatchObject({ status: "Pending" });
  await disks.makeAttributes("gold");
  expect((await disks.claim("a")).status.currentVolumeAttributesClassName).toBe("gold");
});

test("PVC-7, PVC-8: snapshots of the neutral group are taken, restored and deleted", async () => {
  await disks.makeClass("fast");
  await disks.makeClaim("a");
  await disks.create(kinds.class, { metadata: { name: "pictures" }, driver: DRIVER, deletionPolicy: "Delete" });
  await disks.create(kinds.snapshot, {
    metadata: { namespace: "default", name: "s" },
    spec: { volumeSnapshotClassName: "pictures", source: { persistentVolumeClaimName: "a" } },
  });
  await disks.makeClaim("copy", {
    dataSource: { apiGroup: "snapshot.storage.svc.io", kind: "VolumeSnapshot", name: "s" },
  });
  expect((await disks.volumeOf("copy")).spec.csi!.volumeAttributes!["content"]).toBe("content of disk-1");
  await disks.world.resource(kinds.snapshot).delete({ namespace: "default", name: "s" });
  await disks.settled();
  expect(disks.driver.pictures.size).toBe(0);
  expect((await disks.resource(PersistentVolume).list()).items).toHaveLength(2);
});
