import { expect, test } from "vitest";
import { Client } from "./client.ts";
import type { ResourceClient } from "./resource-client.ts";
import { UnknownKindError } from "./find-kind.ts";
import { ConfigMap, Node, Pod } from "./kinds/index.ts";
import { FakeServer } from "./testing/fake-transport.ts";

const RESOURCES = {
  resources: [
    { name: "things/status", kind: "Thing", namespaced: true },
    { name: "things", kind: "Thing", namespaced: true },
  ],
};

test("a kind of which only the names are known is found where its server says", async () => {
  const server = new FakeServer();
  const client = new Client(server.transport, { userAgent: "test" });
  const asked = client.resource({ apiVersion: "example.com/v1", kind: "Thing" });
  const discovery = await server.next();
  expect(discovery.path).toBe("/apis/example.com/v1");
  discovery.json(RESOURCES);
  const things = await asked;
  expect(things.kind).toMatchObject({ group: "example.com", version: "v1", plural: "things", scope: "Namespaced" });
  const got = things.get({ namespace: "team", name: "a" });
  const call = await server.next();
  expect(call.path).toBe("/apis/example.com/v1/namespaces/team/things/a");
  call.json({ apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" }, spec: { size: 1 } });
  expect((await got)["spec"]).toEqual({ size: 1 });
});

test("a kind that is not served is reported with a similar name", async () => {
  const server = new FakeServer();
  const client = new Client(server.transport, { userAgent: "test" });
  const nearly = client.resource({ apiVersion: "example.com/v1", kind: "Thimg" });
  (await server.next()).json(RESOURCES);
  await expect(nearly).rejects.toThrow(UnknownKindError);
  await expect(nearly).rejects.toThrow("example.com/v1 has no Thimg");
  await expect(nearly).rejects.toThrow("Thing");
  const absent = client.resource({ apiVersion: "other.io/v1", kind: "Thing" });
  (await server.next()).refuse(404, "NotFound");
  await expect(absent).rejects.toThrow("the server has no other.io/v1");
  await expect(client.resource({ apiVersion: "a/b/c", kind: "Thing" })).rejects.toThrow("is no apiVersion");
  expect(server.waiting).toBe(0);
});

test("one of several kinds is a kind: what they have in common is known", async () => {
  const server = new FakeServer();
  const client = new Client(server.transport, { userAgent: "test" });
  for (const kind of [ConfigMap, Pod, Node]) {
    const resource: ResourceClient<ConfigMap | Pod | Node, "Namespaced" | "Cluster"> = client.resource(kind);
    const got = resource.get({ name: "a", namespace: kind.scope === "Namespaced" ? "team" : undefined });
    (await server.next()).json({ metadata: { name: "a" } });
    const object: ConfigMap | Pod | Node = await got;
    expect(object.kind).toBe(kind.kind);
  }
});

/** It is only compiled. */
export async function checkedPatches(client: Client): Promise<void> {
  const pods = client.resource(Pod);
  const key = { namespace: "team", name: "a" };
  await pods.patch(key, { metadata: { labels: { a: "b", old: null } }, spec: { nodeName: null } });
  await pods.patch(key, { spec: { containers: [{ name: "c", image: "i" }] } });
  await pods.patch(key, { spec: { containers: [{ name: "c", $patch: "delete" }] } }, { strategic: true });
  await pods.patch(key, [{ op: "remove", path: "/spec/nodeName" }]);
  // @ts-expect-error: no such member
  await pods.patch(key, { spec: { node: "a" } });
  // @ts-expect-error: no text
  await pods.patch(key, { spec: { nodeName: 1 } });
  // @ts-expect-error: a directive of strategic merge patches
  await pods.patch(key, { spec: { containers: [{ name: "c", $patch: "delete" }] } });
  // @ts-expect-error: no such operation
  await pods.patch(key, [{ op: "delete", path: "/spec/nodeName" }]);
  // @ts-expect-error: not in a namespace
  await client.resource(Node).patch(key, {});
}
