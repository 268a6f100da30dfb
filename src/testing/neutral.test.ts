import { expect, test } from "vitest";
import { neutral } from "../client/index.ts";
import { ConfigMap, StorageClass } from "../client/kinds/index.ts";
import { defineController } from "../runtime/index.ts";
import { conflict, createCluster } from "./index.ts";

test("the neutral dialect: kinds have its groups, namespaces exist without a create", async () => {
  await using cluster = await createCluster({ dialect: "neutral" });
  const Class = neutral(StorageClass);
  const classes = defineController({
    name: "classes",
    for: Class,
    async reconcile({ object, apply }) {
      await apply(ConfigMap, { metadata: { name: object.metadata.name, namespace: "classes" }, data: {} });
    },
  });
  await cluster.run(classes);
  const refused = cluster.faults.next({ verb: "writes", kind: ConfigMap }, conflict());
  await cluster.apply({
    apiVersion: "storage.svc.io/v1",
    kind: "StorageClass",
    metadata: { name: "fast" },
    provisioner: "fast.example.com",
  });
  await cluster.clock.advance("1s");
  expect(refused.hits).toBe(1);
  expect(await cluster.client().resource(ConfigMap).find({ namespace: "classes", name: "fast" })).toBeDefined();
  await cluster.client().resource(Class).delete({ name: "fast" });
  await using fork = cluster.fork();
  expect((await fork.client().resource(Class).list()).items).toEqual([]);
});
