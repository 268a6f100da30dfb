import { expect, test } from "vitest";
import { createCluster } from "../src/testing/index.ts";
test("scratch", async () => {
  await using cluster = await createCluster();
  const crd = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: "gadgets.example.com" },
    spec: { group: "example.com", scope: "Namespaced", names: { kind: "Gadget", plural: "gadgets", singular: "gadget" }, versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: { size: { type: "integer" } } } } } } }] } };
  const docs: any[] = [
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "team" }, data: { x: "1" } },
    { apiVersion: "example.com/v1", kind: "Gadget", metadata: { name: "g", namespace: "team" }, spec: { size: 3 } },
    { apiVersion: "example.com/v1", kind: "Gadget", metadata: { name: "bad", namespace: "team" }, spec: { size: "x" } },
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } },
    crd,
    { apiVersion: "v1", kind: "Service", metadata: { name: "s", namespace: "team" }, spec: { ports: [{ port: 80 }] } },
  ];
  const plan = await cluster.plan(...docs);
  console.log(JSON.stringify(plan, undefined, 1));
  const all = await cluster.applyAll(...docs.filter((d) => d.metadata.name !== "bad"));
  console.log(JSON.stringify(all, undefined, 1));
  const gone = await cluster.client().json("GET", "/apis/example.com/v1/namespaces/team/gadgets/g");
  console.log(JSON.stringify(gone));
  const again = await cluster.plan(...docs.map((d) => d.kind === "ConfigMap" ? { ...d, data: { x: "2", y: "3" } } : d));
  console.log(JSON.stringify(again, undefined, 1));
});
