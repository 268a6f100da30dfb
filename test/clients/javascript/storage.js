// The typed API for the groups whose names the library knows.
import assert from "node:assert/strict";
import {
  AuthorizationV1Api,
  CoordinationV1Api,
  CoreV1Api,
  EventsV1Api,
  InternalApiserverApi,
  StorageV1Api,
  V1MicroTime,
} from "@kubernetes/client-node";
import { check, refused } from "./checks.js";

const namespace = "default";

export async function play(config) {
  const storage = config.makeApiClient(StorageV1Api);
  const leases = config.makeApiClient(CoordinationV1Api);
  const core = config.makeApiClient(CoreV1Api);

  await check("StorageClass, from create to delete", async () => {
    const body = { metadata: { name: "fast" }, provisioner: "example.com/disk", parameters: { kind: "ssd" } };
    const created = await storage.createStorageClass({ body });
    assert.equal(created.reclaimPolicy, "Delete");
    assert.equal(created.volumeBindingMode, "Immediate");
    created.allowVolumeExpansion = true;
    assert.equal((await storage.replaceStorageClass({ name: "fast", body: created })).allowVolumeExpansion, true);
    assert.equal((await storage.listStorageClass()).items.length, 1);
    assert.equal((await storage.deleteStorageClass({ name: "fast" })).metadata.name, "fast");
    await refused(() => storage.readStorageClass({ name: "fast" }), 404, "NotFound");
  });

  await check("CSIDriver, CSINode and VolumeAttachment", async () => {
    const driver = await storage.createCSIDriver({ body: { metadata: { name: "disk.example.com" }, spec: {} } });
    assert.equal(driver.spec.attachRequired, true);
    const drivers = [{ name: "disk.example.com", nodeID: "a", allocatable: { count: 3 } }];
    await storage.createCSINode({ body: { metadata: { name: "node-a" }, spec: { drivers } } });
    const spec = { attacher: "disk.example.com", nodeName: "node-a", source: { persistentVolumeName: "disk" } };
    const attachment = await storage.createVolumeAttachment({ body: { metadata: { name: "attached" }, spec } });
    attachment.status = { attached: true };
    await storage.replaceVolumeAttachmentStatus({ name: "attached", body: attachment });
    assert.equal((await storage.readVolumeAttachment({ name: "attached" })).status.attached, true);
  });

  await check("VolumeAttributesClass and CSIStorageCapacity", async () => {
    const body = { metadata: { name: "gold" }, driverName: "disk.example.com", parameters: { iops: "1000" } };
    assert.deepEqual((await storage.createVolumeAttributesClass({ body })).parameters, { iops: "1000" });
    const room = { metadata: { name: "room" }, storageClassName: "fast", capacity: "10Gi", maximumVolumeSize: "1Gi" };
    const created = await storage.createNamespacedCSIStorageCapacity({ namespace, body: room });
    assert.equal(created.capacity, "10Gi");
  });

  await check("Lease, its times to the microsecond", async () => {
    const renewTime = new V1MicroTime("2030-01-02T03:04:05.678Z");
    const spec = { holderIdentity: "a", leaseDurationSeconds: 15, renewTime };
    const created = await leases.createNamespacedLease({ namespace, body: { metadata: { name: "lock" }, spec } });
    assert.equal(created.spec.renewTime, "2030-01-02T03:04:05.678000Z");
    created.spec.holderIdentity = "b";
    const taken = await leases.replaceNamespacedLease({ name: "lock", namespace, body: created });
    assert.equal(taken.spec.holderIdentity, "b");
    // Who comes later with what it has read before loses.
    await refused(() => leases.replaceNamespacedLease({ name: "lock", namespace, body: created }), 409, "Conflict");
  });

  await check("Event of events.k8s.io", async () => {
    const body = {
      metadata: { name: "done.1" },
      eventTime: new V1MicroTime(),
      reportingController: "example.com/worker",
      reportingInstance: "worker-1",
      action: "Work",
      reason: "Done",
      type: "Normal",
      regarding: { kind: "ConfigMap", namespace, name: "settings" },
    };
    await config.makeApiClient(EventsV1Api).createNamespacedEvent({ namespace, body });
    assert.equal((await core.readNamespacedEvent({ name: "done.1", namespace })).involvedObject.name, "settings");
  });

  await check("may I", async () => {
    const body = { spec: { resourceAttributes: { verb: "create", resource: "configmaps", namespace } } };
    const review = await config.makeApiClient(AuthorizationV1Api).createSelfSubjectAccessReview({ body });
    assert.equal(review.status.allowed, true);
  });

  await check("a group that is not served", () =>
    assert.rejects(() => config.makeApiClient(InternalApiserverApi).getAPIGroup(), { code: 404 }),
  );
}
