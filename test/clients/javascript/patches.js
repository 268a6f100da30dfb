// Patches of every kind, with the typed API.
import assert from "node:assert/strict";
import { CoreV1Api, PatchStrategy, setHeaderOptions } from "@kubernetes/client-node";
import { check, refused } from "./checks.js";

const namespace = "default";
const name = "patched";

export async function play(config) {
  const core = config.makeApiClient(CoreV1Api);
  const patch = (strategy, body, more = {}) =>
    core.patchNamespacedConfigMap({ name, namespace, body, ...more }, setHeaderOptions("Content-Type", strategy));

  await core.createNamespacedConfigMap({
    namespace,
    body: { metadata: { name, finalizers: ["example.com/a"] }, data: { a: "1", b: "1" } },
  });

  await check("JSON patch, what the library sends by default", async () => {
    const body = [
      { op: "test", path: "/data/a", value: "1" },
      { op: "replace", path: "/data/a", value: "2" },
    ];
    assert.deepEqual((await core.patchNamespacedConfigMap({ name, namespace, body })).data, { a: "2", b: "1" });
  });

  await check("JSON patch whose test fails", () =>
    refused(() => patch(PatchStrategy.JsonPatch, [{ op: "test", path: "/data/a", value: "9" }]), 422, "Invalid"),
  );

  await check("merge patch", async () => {
    const { data } = await patch(PatchStrategy.MergePatch, { data: { b: null, c: "3" } });
    assert.deepEqual(data, { a: "2", c: "3" });
  });

  await check("strategic merge patch", async () => {
    const body = { metadata: { finalizers: ["example.com/b"] }, data: { a: "4" } };
    const { data, metadata } = await patch(PatchStrategy.StrategicMergePatch, body);
    assert.deepEqual(data, { a: "4", c: "3" });
    assert.deepEqual(metadata.finalizers.toSorted(), ["example.com/a", "example.com/b"]);
    const none = { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a", "example.com/b"] } };
    assert.equal((await patch(PatchStrategy.StrategicMergePatch, none)).metadata.finalizers, undefined);
  });

  const applied = (value) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: value, d: "5" } });

  await check("apply meets a conflict", async () => {
    const call = () => patch(PatchStrategy.ServerSideApply, applied("7"), { fieldManager: "javascript" });
    const { status } = await refused(call, 409, "Conflict");
    assert.deepEqual(
      status.details.causes.map(({ field }) => field),
      [".data.a"],
    );
  });

  await check("apply with force takes the field", async () => {
    const more = { fieldManager: "javascript", force: true };
    const { data, metadata } = await patch(PatchStrategy.ServerSideApply, applied("7"), more);
    assert.deepEqual(data, { a: "7", c: "3", d: "5" });
    const mine = metadata.managedFields.find(({ manager }) => manager === "javascript");
    assert.equal(mine.operation, "Apply");
    assert.deepEqual(mine.fieldsV1, { "f:data": { "f:a": {}, "f:d": {} } });
  });

  await check("apply of less takes away what was only mine", async () => {
    const less = { ...applied("7"), data: { a: "7" } };
    const { data } = await patch(PatchStrategy.ServerSideApply, less, { fieldManager: "javascript" });
    assert.deepEqual(data, { a: "7", c: "3" });
  });

  await check("apply without a manager is refused", () =>
    refused(() => patch(PatchStrategy.ServerSideApply, applied("7")), 422, "Invalid"),
  );

  await check("patch of a status alone", async () => {
    const volume = {
      metadata: { name: "disk" },
      spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/disk" } },
    };
    await core.createPersistentVolume({ body: volume });
    const body = { spec: { storageClassName: "other" }, status: { reason: "Looked" } };
    const options = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
    const { spec, status } = await core.patchPersistentVolumeStatus({ name: "disk", body }, options);
    assert.equal(status.reason, "Looked");
    assert.equal(spec.storageClassName, undefined);
  });
}
