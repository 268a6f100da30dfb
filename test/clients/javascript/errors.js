// What the library throws, and the Status in it.
import assert from "node:assert/strict";
import { ApiException, CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { check, refused } from "./checks.js";

const namespace = "default";

export async function play(config) {
  const core = config.makeApiClient(CoreV1Api);
  const create = (name, more) => core.createNamespacedConfigMap({ namespace, body: { metadata: { name }, ...more } });

  await check("404 NotFound names the object", async () => {
    const { error, status } = await refused(
      () => core.readNamespacedConfigMap({ name: "no", namespace }),
      404,
      "NotFound",
    );
    assert.ok(error instanceof ApiException);
    assert.deepEqual(status.details, { name: "no", kind: "configmaps" });
    assert.equal(status.message, 'configmaps "no" not found');
    assert.ok(error.headers["audit-id"]);
  });

  await check("409 AlreadyExists", async () => {
    await create("twice");
    await refused(() => create("twice"), 409, "AlreadyExists");
  });

  await check("409 Conflict of versions", async () => {
    const body = await core.readNamespacedConfigMap({ name: "twice", namespace });
    const call = () => core.replaceNamespacedConfigMap({ name: "twice", namespace, body });
    body.data = { a: "1" };
    await call();
    body.data = { a: "2" };
    await refused(call, 409, "Conflict");
  });

  await check("422 Invalid names the fields", async () => {
    const { status } = await refused(() => create("Not A Name"), 422, "Invalid");
    assert.deepEqual(
      status.details.causes.map(({ field, reason }) => [field, reason]),
      [["metadata.name", "FieldValueInvalid"]],
    );
  });

  if (process.env.DIALECT === "kubernetes") {
    await check("404 in a namespace that is not there", async () => {
      const call = () => core.createNamespacedConfigMap({ namespace: "none", body: { metadata: { name: "a" } } });
      const { status } = await refused(call, 404, "NotFound");
      assert.equal(status.details.kind, "namespaces");
    });
  }

  await check("400 for a selector that is none", () =>
    refused(() => core.listNamespacedConfigMap({ namespace, fieldSelector: "data.a=1" }), 400, "BadRequest"),
  );

  await check("401 for a wrong token", async () => {
    const other = new KubeConfig();
    other.loadFromDefault();
    other.users = [{ name: other.users[0].name, token: "wrong" }];
    await assert.rejects(() => other.makeApiClient(CoreV1Api).listNamespace(), { code: 401 });
  });
}
