// Objects of any kind, found by discovery: KubernetesObjectApi.
import assert from "node:assert/strict";
import { ApisApi, KubernetesObjectApi, PatchStrategy, loadAllYaml } from "@kubernetes/client-node";
import { check, refused } from "./checks.js";

export async function play(config) {
  const objects = KubernetesObjectApi.makeApiClient(config);
  const { groups } = await config.makeApiClient(ApisApi).getAPIVersions();
  const { preferredVersion } = groups.find(({ name }) => name.startsWith("storage."));
  const apiVersion = preferredVersion.groupVersion;
  const named = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "any", namespace: "default" } };

  await check("create, read, replace", async () => {
    const created = await objects.create({ ...named, data: { a: "1" } }, undefined, undefined, "maker");
    assert.equal(created.metadata.managedFields[0].manager, "maker");
    assert.deepEqual(await objects.read(named), created);
    const replaced = await objects.replace({ ...created, data: { a: "2" } });
    assert.deepEqual(replaced.data, { a: "2" });
  });

  await check("a kind of a named group", async () => {
    const name = "any-class";
    await objects.create({ apiVersion, kind: "StorageClass", metadata: { name }, provisioner: "example.com/disk" });
    const read = await objects.read({ apiVersion, kind: "StorageClass", metadata: { name } });
    assert.equal(read.apiVersion, apiVersion);
    assert.equal(read.volumeBindingMode, "Immediate");
  });

  await check("patch: strategic by default, merge, JSON", async () => {
    assert.deepEqual((await objects.patch({ ...named, data: { b: "1" } })).data, { a: "2", b: "1" });
    const call = (body, strategy) => objects.patch(body, undefined, undefined, undefined, undefined, strategy);
    assert.deepEqual((await call({ ...named, data: { a: null } }, PatchStrategy.MergePatch)).data, { b: "1" });
  });

  await check("apply, whether the object is there or not", async () => {
    const call = (body, force) =>
      objects.patch(body, undefined, undefined, "applier", force, PatchStrategy.ServerSideApply);
    const fresh = { ...named, metadata: { ...named.metadata, name: "applied" }, data: { a: "1" } };
    const { uid } = (await call(fresh)).metadata;
    assert.equal((await call({ ...fresh, data: { a: "2" } })).metadata.uid, uid);
    await refused(() => call({ ...named, data: { b: "9" } }), 409, "Conflict");
    assert.deepEqual((await call({ ...named, data: { b: "9" } }, true)).data, { b: "9" });
  });

  await check("objects of a file of YAML", async () => {
    const text = [
      "apiVersion: v1\nkind: Namespace\nmetadata: {name: file}",
      "apiVersion: v1\nkind: Secret\nmetadata: {name: one, namespace: file}\nstringData: {word: open}",
    ].join("\n---\n");
    for (const object of loadAllYaml(text)) await objects.create(object);
    const { items } = await objects.list("v1", "Secret", "file");
    assert.deepEqual(
      items.map(({ data }) => data),
      [{ word: "b3Blbg==" }],
    );
  });

  await check("lists by selector and in pages", async () => {
    const more = (limit, token) =>
      objects.list("v1", "ConfigMap", "default", undefined, undefined, undefined, undefined, undefined, limit, token);
    const first = await more(1);
    assert.equal(first.items.length, 1);
    const rest = await more(100, first.metadata._continue);
    const names = [...first.items, ...rest.items].map(({ metadata }) => metadata.name);
    assert.ok(names.includes("any") && names.includes("applied"), names.join());
    const none = await objects.list("v1", "ConfigMap", undefined, undefined, undefined, undefined, "metadata.name=no");
    assert.deepEqual(none.items, []);
  });

  await check("delete", async () => {
    assert.equal((await objects.delete(named)).status, "Success");
    await refused(() => objects.read(named), 404, "NotFound");
  });

  await check("a kind that is not there", async () => {
    const call = () => objects.read({ apiVersion: "v1", kind: "Nothing", metadata: { name: "a" } });
    await assert.rejects(call, /Unrecognized API version and kind/);
    await assert.rejects(() => objects.read({ ...named, apiVersion: "nothing.example.com/v1" }), /404/);
  });
}
