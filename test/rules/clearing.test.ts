/** Clearing managedFields: CLR-1..6, AMB-35, AMB-36, AMB-37, AMB-45. */
import { describe, expect, test } from "vitest";
import { entriesOf } from "./answer.ts";
import { type Api, JSON_PATCH, serve } from "./api.ts";
import { place } from "./resources.ts";

const api = serve();
const kube = serve({ dialect: "kubernetes" });

const META = { apiVersion: "v1", kind: "ConfigMap" };
const RESET = { metadata: { managedFields: [{}] } };
const operation = (value: unknown): object[] => [{ op: "replace", path: "/metadata/managedFields", value }];

/** A ConfigMap that an applier and an updater share. */
async function made(target: Api = api) {
  const at = place("ConfigMap");
  if (target === kube) await kube.post("/api/v1/namespaces", { metadata: { name: at.ns } });
  await target.post(at.collection, { metadata: { name: at.name }, data: { u: "1" } }, { fieldManager: "u" });
  const before = await target.apply(at.item, "a", { ...META, data: { a: "1" } });
  expect(entriesOf(before.body)).toHaveLength(2);
  return { ...at, before };
}

describe("forms", () => {
  test("CLR-1, CLR-2: a merge patch with one empty entry", async () => {
    const { item } = await made();
    const cleared = await api.merge(item, RESET);
    expect([cleared.status, entriesOf(cleared.body)]).toEqual([200, []]);
    expect(entriesOf((await api.get(item)).body)).toEqual([]);
    expect((await api.apply(item, "b", { ...META, data: { z: "1" } })).status).toBe(200);
  });

  test("CLR-1, CLR-3: a JSON patch that replaces them by one empty entry", async () => {
    const { item } = await made();
    const cleared = await api.jsonPatch(item, operation([{}]));
    expect([cleared.status, entriesOf(cleared.body), cleared.at("data")]).toEqual([200, [], { u: "1", a: "1" }]);
  });

  test("CLR-4, AMB-36: with If-Match of the present version; another one is 409", async () => {
    const { item, before } = await made();
    const patch = (match: string) => api.patch(item, JSON_PATCH, operation([{}]), {}, { "if-match": match });
    const stale = await patch("1");
    expect([stale.status, stale.body["reason"]]).toEqual([409, "Conflict"]);
    expect(entriesOf((await api.get(item)).body)).toEqual(entriesOf(before.body));
    expect((await patch(`"${before.resourceVersion}"`)).status).toBe(200);
    expect((await patch("*")).status).toBe(200);
    expect(entriesOf((await api.get(item)).body)).toEqual([]);
  });

  test("CLR-4, AMB-36: If-Match guards PUT, merge patches and deletes as well", async () => {
    const { item, name, before } = await made();
    const headers = { "if-match": "1" };
    expect((await api.put(item, { metadata: { name } }, {}, headers)).status).toBe(409);
    expect((await api.patch(item, "application/merge-patch+json", { data: { n: "1" } }, {}, headers)).status).toBe(409);
    expect((await api.send("DELETE", item, undefined, { headers })).status).toBe(409);
    expect((await api.get(item)).body).toEqual(before.body);
    const current = { "if-match": before.resourceVersion };
    expect((await api.put(item, { metadata: { name } }, {}, current)).status).toBe(200);
  });

  test("CLR-1, AMB-35: a strategic patch and a PUT", async () => {
    const one = await made();
    expect(entriesOf((await api.strategic(one.item, RESET)).body)).toEqual([]);
    const two = await made();
    const { sendable } = two.before;
    const body = { ...sendable, metadata: { ...(sendable["metadata"] as object), managedFields: [{}] } };
    const put = await api.put(two.item, body, { fieldManager: "p" });
    expect(put.status).toBe(200);
    expect(Object.keys(put.owners)).not.toContain("u Update");
    expect(Object.keys(put.owners)).not.toContain("a Apply");
  });

  test("CLR-1, APPLY-7: an apply does not clear", async () => {
    const { item, before } = await made();
    expect((await api.apply(item, "x", { ...META, ...RESET })).status).toBe(400);
    expect((await api.get(item)).body).toEqual(before.body);
  });

  test("CLR-1: the status path does not clear", async () => {
    const at = place("PersistentVolume");
    const spec = { hostPath: { path: "/p" } };
    const madeOne = await api.post(at.collection, { metadata: { name: at.name }, spec }, { fieldManager: "u" });
    const cleared = await api.merge(`${at.item}/status`, RESET);
    expect([cleared.status, entriesOf(cleared.body)]).toEqual([200, entriesOf(madeOne.body)]);
  });
});

describe("what does not clear", () => {
  test.each<[string, (at: { item: string; name: string; sendable: object }) => ReturnType<Api["put"]>]>([
    ["a merge patch", ({ item }) => api.merge(item, { metadata: { managedFields: [] } })],
    ["a strategic patch", ({ item }) => api.strategic(item, { metadata: { managedFields: [] } })],
    ["a JSON patch", ({ item }) => api.jsonPatch(item, operation([]))],
    ["a PUT", ({ item, name, sendable }) => api.put(item, { ...sendable, metadata: { name, managedFields: [] } })],
  ])("CLR-5, AMB-45: an empty list in %s", async (_, write) => {
    const { item, name, before } = await made();
    const answer = await write({ item, name, sendable: before.sendable });
    expect(answer.status).toBe(200);
    expect(entriesOf(answer.body)).toEqual(entriesOf(before.body));
    expect(entriesOf((await api.get(item)).body)).toEqual(entriesOf(before.body));
  });

  test("AMB-35: null, or removing them by a JSON patch", async () => {
    const { item, before } = await made();
    const nulled = await api.merge(item, { metadata: { managedFields: null } });
    expect(entriesOf(nulled.body)).toEqual(entriesOf(before.body));
    const removed = await api.jsonPatch(item, [{ op: "remove", path: "/metadata/managedFields" }]);
    expect(entriesOf(removed.body)).toEqual(entriesOf(before.body));
  });
});

describe("CLR-6: clearing and changing at once", () => {
  test("CLR-6, AMB-37: by a merge patch, the requester owns the fields of the request alone", async () => {
    const { item } = await made();
    const answer = await api.merge(item, { ...RESET, data: { a: "2", n: "1" } }, { fieldManager: "me" });
    expect([answer.status, answer.at("data")]).toEqual([200, { u: "1", a: "2", n: "1" }]);
    expect(answer.owners).toEqual({ "me Update": ["data.a", "data.n"] });
  });

  test("CLR-6: values that the request repeats are its own too", async () => {
    const { item } = await made();
    const answer = await api.merge(item, { ...RESET, data: { u: "1", n: "1" } }, { fieldManager: "me" });
    expect(answer.owners["me Update"]).toEqual(["data.n", "data.u"]);
  });

  test("CLR-6: by a JSON patch", async () => {
    const { item } = await made();
    const ops = [...operation([{}]), { op: "replace", path: "/data/a", value: "2" }];
    const answer = await api.jsonPatch(item, ops, { fieldManager: "me" });
    expect(answer.owners).toEqual({ "me Update": ["data.a"] });
  });

  test("CLR-6: by a PUT, the requester owns the whole object", async () => {
    const { item, name } = await made();
    const metadata = { name, managedFields: [{}] };
    const answer = await api.put(item, { metadata, data: { u: "1", a: "2" } }, { fieldManager: "me" });
    expect(Object.keys(answer.owners)).toEqual(["me Update"]);
    expect(answer.owners["me Update"]).toEqual(expect.arrayContaining(["data.a", "data.u"]));
  });

  test("AMB-37: fields without an owner never conflict", async () => {
    const { item } = await made();
    await api.merge(item, { ...RESET, data: { a: "2" } }, { fieldManager: "me" });
    const applied = await api.apply(item, "x", { ...META, data: { u: "other" } });
    expect([applied.status, applied.at("data.u")]).toEqual([200, "other"]);
    expect(Object.keys(applied.owners).sort()).toEqual(["me Update", "x Apply"]);
  });

  test("CONV-7, DEC-14: after a reset the next write records its fields", async () => {
    const { item } = await made();
    await api.merge(item, RESET);
    const next = await api.merge(item, { data: { n: "1" } }, { fieldManager: "next" });
    expect(next.owners).toEqual({ "next Update": ["data.n"] });
  });
});

describe("kubernetes dialect", () => {
  test("AMB-45: an empty list clears", async () => {
    const { item } = await made(kube);
    expect(entriesOf((await kube.merge(item, { metadata: { managedFields: [] } })).body)).toEqual([]);
  });

  test("AMB-37, DEC-14: a reset that changes fields records no manager, nor do later updates", async () => {
    const { item } = await made(kube);
    expect((await kube.merge(item, { ...RESET, data: { a: "2" } })).owners).toEqual({});
    expect((await kube.merge(item, { data: { a: "3" } })).owners).toEqual({});
    const applied = await kube.apply(item, "x", { ...META, metadata: {}, data: { z: "1" } });
    expect(Object.keys(applied.owners).sort()).toEqual(["before-first-apply Update", "x Apply"]);
  });

  test("AMB-36: If-Match is ignored", async () => {
    const { item } = await made(kube);
    const answer = await kube.patch(item, JSON_PATCH, operation([{}]), {}, { "if-match": "1" });
    expect(answer.status).toBe(200);
  });
});
