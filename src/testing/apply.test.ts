import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigMap, Node, PersistentVolumeClaim, StorageClass } from "../client/kinds/index.ts";
import { ApplyError, type Cluster, createCluster } from "./index.ts";

let cluster: Cluster;
beforeEach(async () => {
  cluster = await createCluster();
});
afterEach(() => cluster.close());

const FIXTURES = `
apiVersion: v1
kind: ConfigMap
metadata: {name: web, namespace: team}
data: {colour: red}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: fast.example.com
---
apiVersion: v1
kind: Namespace
metadata: {name: team}
---
apiVersion: v1
kind: Node
metadata: {name: n1}
status:
  conditions: [{type: Ready, status: "True"}]
`;

describe("apply", () => {
  test("applies YAML in a working order, and resolves in the given order", async () => {
    const objects = await cluster.apply(FIXTURES);
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "ConfigMap web",
      "StorageClass fast",
      "Namespace team",
      "Node n1",
    ]);
    expect(cluster.requests({ origin: "test", verb: "apply", subresource: "" }).map(({ kind }) => kind)).toEqual([
      "Namespace",
      "StorageClass",
      "ConfigMap",
      "Node",
    ]);
    expect(await cluster.client().resource(StorageClass).get({ name: "fast" })).toMatchObject({
      provisioner: "fast.example.com",
    });
  });

  test("a status goes through its subresource, an object without a namespace to default", async () => {
    const [node, map] = await cluster.apply(FIXTURES.split("---").at(-1)!, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "here" },
    });
    expect(node).toMatchObject({ status: { conditions: [{ type: "Ready", status: "True" }] } });
    expect(await cluster.client().resource(Node).get({ name: "n1" })).toEqual(node);
    expect(map!.metadata.namespace).toBe("default");
  });

  test("typed objects are applied by their kind; removed fields are deleted", async () => {
    const claim = { metadata: { name: "c", namespace: "default" }, spec: { accessModes: ["ReadWriteOnce"] } } as const;
    const resources = { requests: { storage: "1Gi" } };
    const [made] = await cluster.apply(PersistentVolumeClaim, { ...claim, spec: { ...claim.spec, resources } });
    expect(made!.spec.resources?.requests).toEqual({ storage: "1Gi" });
    const at = { name: "m", namespace: "default" };
    const [first, second] = await cluster.apply(
      ConfigMap,
      { metadata: at, data: { a: "1", b: "2" } },
      { metadata: at, data: { b: "2" } },
    );
    expect([first!.data, second!.data]).toEqual([{ a: "1", b: "2" }, { b: "2" }]);
  });

  test("one error has all refusals with their positions; all other objects are applied", async () => {
    const refused = `
apiVersion: v1
kind: ConfigMap
metadata: {name: Bad_Name}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: w}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: good}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: lost, namespace: nowhere}
`;
    const error = (await cluster.apply(refused).catch((reason: unknown) => reason)) as ApplyError;
    expect(error).toBeInstanceOf(ApplyError);
    expect(error.message).toMatch(/^3 of 4 objects were refused:\n {2}ConfigMap Bad_Name \(the text, document 1\): /);
    expect(error.refusals.map(({ from, manifest }) => [from, manifest.metadata.name])).toEqual([
      ["the text, document 1", "Bad_Name"],
      ["the text, document 2", "w"],
      ["the text, document 4", "lost"],
    ]);
    expect(error.message).toContain("expected a served kind, got Widget of example.com/v1");
    expect(error.message).toContain('namespaces "nowhere" not found');
    expect(await cluster.client().resource(ConfigMap).find({ namespace: "default", name: "good" })).toBeDefined();
  });

  test("typed objects, too: in default where they name no namespace, their status, one error for all", async () => {
    const ready = { conditions: [{ type: "Ready", status: "True" }] };
    const [node] = await cluster.apply(Node, { metadata: { name: "n1" }, status: ready });
    expect(node!.status?.conditions).toMatchObject([{ type: "Ready", status: "True" }]);
    const [map] = await cluster.apply(ConfigMap, { metadata: { name: "here" } });
    expect(map!.metadata.namespace).toBe("default");
    const given = [{ metadata: { name: "Bad_Name" } }, { metadata: { name: "good" } }];
    const error = (await cluster.apply(ConfigMap, ...given).catch((reason: unknown) => reason)) as ApplyError;
    expect(error.message).toMatch(/^1 of 2 objects were refused:\n {2}ConfigMap Bad_Name \(typed\): /);
    expect(await cluster.client().resource(ConfigMap).find({ namespace: "default", name: "good" })).toBeDefined();
  });

  test("applying nothing is nothing", async () => {
    expect(await cluster.apply()).toEqual([]);
    expect(await cluster.apply(ConfigMap)).toEqual([]);
  });
});

test("events lists the Events of one object or of all", async () => {
  const [map] = await cluster.apply(ConfigMap, { metadata: { name: "m", namespace: "default" } });
  const event = (name: string, uid: string, more: object) => ({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace: "default" },
    involvedObject: { kind: "ConfigMap", namespace: "default", name: "m", uid },
    ...more,
  });
  await cluster.apply(
    event("one", map!.metadata.uid, { type: "Warning", reason: "Failed", message: "it did not work", count: 3 }),
    event("other", "another", { type: "Normal", reason: "Done", message: "it did" }),
  );
  expect(await cluster.events(map)).toEqual([{ type: "Warning", reason: "Failed", note: "it did not work", count: 3 }]);
  expect((await cluster.events()).map(({ reason }) => reason)).toEqual(["Failed", "Done"]);
});
