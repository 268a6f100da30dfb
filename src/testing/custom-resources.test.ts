/** Kinds that a test brings, and forks of clusters that have some. */
import { expect, test } from "vitest";
import { createCluster } from "./index.ts";

const DEFINITION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
const thing = (name: string) => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name, namespace: "default" },
  spec: { size: 1 },
});

test("CRD-1: a kind is there when the cluster has settled, in a fork too, and each goes on by itself", async () => {
  await using cluster = await createCluster();
  await cluster.apply(DEFINITION);
  await cluster.settled();
  await cluster.apply(thing("a"));
  await using fork = cluster.fork();
  await fork.apply(thing("b"));
  const path = "/apis/example.com/v1/namespaces/default/things";
  const names = async (of: typeof cluster): Promise<string[]> => {
    const list = await of.client("test").json<{ items: { metadata: { name: string } }[] }>("GET", path);
    return list.items.map(({ metadata }) => metadata.name);
  };
  expect(await names(fork)).toEqual(["a", "b"]);
  expect(await names(cluster)).toEqual(["a"]);
  await fork
    .client("test")
    .json("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com");
  await fork.settled();
  await expect(names(fork)).rejects.toThrow(/page not found/);
  expect(await names(cluster)).toEqual(["a"]);
});
