// The typed API for the core group.
import assert from "node:assert/strict";
import { CoreV1Api, VersionApi } from "@kubernetes/client-node";
import { check } from "./checks.js";

const namespace = "default";

export async function play(config) {
  const core = config.makeApiClient(CoreV1Api);

  await check("the version is asked for", async () => {
    const { major, gitVersion } = await config.makeApiClient(VersionApi).getCode();
    assert.equal(major, "1");
    assert.match(gitVersion, /^v1\./);
  });

  await check("ConfigMap, from create to delete", async () => {
    const body = { metadata: { name: "settings", labels: { app: "a" } }, data: { colour: "red" } };
    const created = await core.createNamespacedConfigMap({ namespace, body });
    assert.ok(created.metadata.creationTimestamp instanceof Date);
    assert.equal(created.metadata.managedFields[0].operation, "Update");
    assert.ok(created.metadata.managedFields[0].fieldsV1["f:data"]);
    created.data.colour = "blue";
    const replaced = await core.replaceNamespacedConfigMap({ name: "settings", namespace, body: created });
    assert.notEqual(replaced.metadata.resourceVersion, created.metadata.resourceVersion);
    const read = await core.readNamespacedConfigMap({ name: "settings", namespace });
    assert.deepEqual(read, replaced);
    const list = await core.listNamespacedConfigMap({ namespace, labelSelector: "app=a" });
    assert.deepEqual(
      list.items.map((item) => item.data),
      [{ colour: "blue" }],
    );
    const status = await core.deleteNamespacedConfigMap({ name: "settings", namespace });
    assert.equal(status.status, "Success");
  });

  await check("Secret with bytes", async () => {
    const body = { metadata: { name: "key" }, stringData: { word: "open" }, data: { bytes: "AAEC/w==" } };
    const created = await core.createNamespacedSecret({ namespace, body });
    assert.deepEqual(created.data, { bytes: "AAEC/w==", word: "b3Blbg==" });
    assert.equal(created.type, "Opaque");
  });

  await check("PersistentVolume and PersistentVolumeClaim with status", async () => {
    const capacity = { storage: "1Gi" };
    const pv = {
      metadata: { name: "disk" },
      spec: { capacity, accessModes: ["ReadWriteOnce"], hostPath: { path: "/disk" } },
    };
    assert.equal((await core.createPersistentVolume({ body: pv })).spec.persistentVolumeReclaimPolicy, "Retain");
    const pvc = {
      metadata: { name: "claim" },
      spec: { accessModes: ["ReadWriteOnce"], storageClassName: "", resources: { requests: capacity } },
    };
    const claim = await core.createNamespacedPersistentVolumeClaim({ namespace, body: pvc });
    assert.equal(claim.spec.volumeMode, "Filesystem");
    claim.status = { phase: "Lost" };
    const name = "claim";
    await core.replaceNamespacedPersistentVolumeClaimStatus({ name, namespace, body: { ...claim, ...newest(claim) } });
    assert.ok((await core.readNamespacedPersistentVolumeClaimStatus({ name, namespace })).status.phase);
    const deleted = await core.deletePersistentVolume({ name: "disk" });
    assert.equal(deleted.metadata.name, "disk");
  });

  await check("Namespace goes with all that is in it", async () => {
    await core.createNamespace({ body: { metadata: { name: "shop" } } });
    await core.createNamespacedConfigMap({ namespace: "shop", body: { metadata: { name: "inside" } } });
    const deleted = await core.deleteNamespace({ name: "shop" });
    if (process.env.DIALECT === "kubernetes") assert.equal(deleted.status.phase, "Terminating");
    for (;;) {
      const { items } = await core.listNamespace({ fieldSelector: "metadata.name=shop" });
      if (items.length === 0) break;
    }
    assert.deepEqual((await core.listNamespacedConfigMap({ namespace: "shop" })).items, []);
  });

  await check("ServiceAccount and a token of it", async () => {
    await core.createNamespacedServiceAccount({ namespace, body: { metadata: { name: "robot" } } });
    const body = { spec: { audiences: [], expirationSeconds: 3600 } };
    const { status } = await core.createNamespacedServiceAccountToken({ name: "robot", namespace, body });
    assert.ok(status.expirationTimestamp instanceof Date);
    assert.equal(status.token.split(".").length, 3);
  });

  await check("Event of the core group", async () => {
    const involvedObject = { kind: "ConfigMap", namespace, name: "settings", apiVersion: "v1" };
    const body = {
      metadata: { generateName: "settings." },
      involvedObject,
      reason: "Changed",
      message: "It has changed.",
      type: "Normal",
      firstTimestamp: new Date(),
      lastTimestamp: new Date(),
      count: 1,
    };
    const created = await core.createNamespacedEvent({ namespace, body });
    const { items } = await core.listNamespacedEvent({ namespace, fieldSelector: "involvedObject.name=settings" });
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      [created.metadata.name],
    );
  });

  await check("a list in pages", async () => {
    for (let i = 0; i < 5; i++) {
      await core.createNamespacedConfigMap({
        namespace,
        body: { metadata: { name: `page-${i}`, labels: { list: "l" } } },
      });
    }
    const names = [];
    const sizes = [];
    let _continue;
    do {
      const page = await core.listNamespacedConfigMap({ namespace, labelSelector: "list=l", limit: 2, _continue });
      names.push(...page.items.map(({ metadata }) => metadata.name));
      sizes.push(page.items.length);
      _continue = page.metadata._continue;
    } while (_continue);
    assert.deepEqual(sizes, [2, 2, 1]);
    assert.deepEqual(names, ["page-0", "page-1", "page-2", "page-3", "page-4"]);
  });

  await check("a collection is deleted by selector", async () => {
    await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: "list=l" });
    assert.deepEqual((await core.listNamespacedConfigMap({ namespace, labelSelector: "list=l" })).items, []);
  });

  await check("a dry run keeps nothing", async () => {
    const body = { metadata: { name: "dry" } };
    const dry = await core.createNamespacedConfigMap({ namespace, body, dryRun: "All" });
    assert.ok(dry.metadata.uid);
    assert.deepEqual((await core.listNamespacedConfigMap({ namespace, fieldSelector: "metadata.name=dry" })).items, []);
  });
}

const newest = ({ metadata }) => ({ metadata: { ...metadata, resourceVersion: undefined } });
