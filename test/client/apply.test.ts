/**
 * Manifests that a client applies: in an order that works, with kinds that are defined among them.
 *
 * @module
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { ApplyError, type Client, applyManifests } from "../../src/client/index.ts";
import { ConfigMap, Node } from "../../src/client/kinds/index.ts";
import { type Cluster, createCluster } from "../../src/testing/index.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-apply-"));
afterAll(() => rmSync(folder, { recursive: true }));

let cluster: Cluster;
let client: Client;
beforeEach(async () => {
  cluster = await createCluster();
  client = cluster.as({ user: "installer", groups: ["system:masters"] });
});
afterEach(() => cluster.close());

const HOW = { fieldManager: "installer" };

const DEFINED = `
apiVersion: example.com/v1
kind: Thing
metadata: {name: a, namespace: team}
spec: {size: 1}
---
apiVersion: v1
kind: Namespace
metadata: {name: team}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
`;

test("a text of several documents is applied in an order that works, with kinds that it defines itself", async () => {
  const objects = await applyManifests(client, DEFINED, HOW);
  expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    "Thing a",
    "Namespace team",
    "CustomResourceDefinition things.example.com",
  ]);
  expect(objects[0]!.metadata.managedFields?.[0]?.manager).toBe("installer");
  const things = await client.resource({ apiVersion: "example.com/v1", kind: "Thing" });
  expect((await things.get({ namespace: "team", name: "a" }))["spec"]).toEqual({ size: 1 });
});

test("objects, lists and files are applied; what names no namespace goes to the one that is asked for", async () => {
  const file = join(folder, "map.json");
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "file" } }));
  const item = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "item" } };
  const list = { apiVersion: "v1", kind: "List", metadata: { name: "" }, items: [item] };
  const object = { ...item, metadata: { name: "object", namespace: "default" } };
  const objects = await applyManifests(client, [file, list, object], { ...HOW, namespace: "kube-system" });
  expect(objects.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`)).toEqual([
    "kube-system/file",
    "kube-system/item",
    "default/object",
  ]);
});

test("a status is left out, unless it is asked for", async () => {
  const node = `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"phase": "Running"}}`;
  await applyManifests(client, node, HOW);
  expect((await client.resource(Node).get({ name: "n" })).status.phase).toBeUndefined();
  await applyManifests(client, node, { ...HOW, status: true });
  expect((await client.resource(Node).get({ name: "n" })).status.phase).toBe("Running");
});

test("what others own is a conflict unless it is taken over; all else is applied", async () => {
  const map = (name: string, colour: string) =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {colour: ${colour}}\n`;
  await applyManifests(client, map("a", "red"), HOW);
  const both = `${map("a", "blue")}---\n${map("b", "blue")}---\n{apiVersion: none.io/v1, kind: None, metadata: {name: nowhere}}`;
  const error: unknown = await applyManifests(client, both, { fieldManager: "other" }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ApplyError);
  expect((error as ApplyError).message).toMatch(
    /^2 of 3 objects were refused:\n {2}ConfigMap a \(the text, document 1\): .*conflict.*\n {2}None nowhere \(the text, document 3\): .*the server has no none\.io\/v1$/,
  );
  const maps = client.resource(ConfigMap);
  expect((await maps.get({ namespace: "default", name: "b" })).data).toEqual({ colour: "blue" });
  await applyManifests(client, map("a", "blue"), { fieldManager: "other", force: true });
  expect((await maps.get({ namespace: "default", name: "a" })).data).toEqual({ colour: "blue" });
});

test("a dry run stores nothing", async () => {
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "dry" } };
  await applyManifests(client, map, { ...HOW, dryRun: true });
  expect(await client.resource(ConfigMap).find({ namespace: "default", name: "dry" })).toBeUndefined();
});
