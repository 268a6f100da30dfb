/** Entries of managedFields (MF-1..11) and what is recorded (DEC-14, DEC-15). */
import { describe, expect, test } from "vitest";
import { type Answer, entriesOf, type Entry, expectStatus } from "./answer.ts";
import { type Api, fresh, serve } from "./api.ts";
import { place } from "./resources.ts";

const api = serve();
const kube = serve({ dialect: "kubernetes" });

const MAP = { apiVersion: "v1", kind: "ConfigMap" };

async function made(target: Api = api, data: object = { k: "v" }, manager = "creator") {
  const at = place("ConfigMap");
  if (target === kube) await target.post("/api/v1/namespaces", { metadata: { name: at.ns } });
  const answer = await target.post(at.collection, { metadata: { name: at.name }, data }, { fieldManager: manager });
  expectStatus(answer, 201);
  return { ...at, answer };
}

const entry = (answer: Answer, manager: string): Entry => {
  const found = entriesOf(answer.body).find((e) => e.manager === manager);
  if (!found) throw new Error(`expected an entry of ${manager}, got ${JSON.stringify(entriesOf(answer.body))}`);
  return found;
};

test("MF-1, MF-3, MF-4, MF-5, MF-6, MF-7, MF-8, MF-9: an entry of a create", async () => {
  const { answer } = await made();
  const [only, ...rest] = entriesOf(answer.body);
  expect(rest).toEqual([]);
  expect(only).toMatchObject({ manager: "creator", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" });
  expect(only!.fieldsV1).toEqual({ "f:data": { ".": {}, "f:k": {} } });
  expect(Date.parse(only!.time!)).toBe(api.world.clock.now());
  expect(Object.keys(only!).sort()).toEqual(["apiVersion", "fieldsType", "fieldsV1", "manager", "operation", "time"]);
});

test("MF-2, MF-7: an entry of an apply", async () => {
  const at = place("ConfigMap");
  const answer = await api.apply(at.item, "m1", { ...MAP, data: { k: "v" } });
  expect(entriesOf(answer.body)).toEqual([
    expect.objectContaining({ manager: "m1", operation: "Apply", fieldsV1: { "f:data": { "f:k": {} } } }),
  ]);
});

test("MF-2, MF-3: one manager has an Apply and an Update entry, Apply entries come first", async () => {
  const at = place("ConfigMap");
  await api.post(at.collection, { metadata: { name: at.name }, data: { a: "1" } }, { fieldManager: "m" });
  await api.apply(at.item, "m", { ...MAP, data: { b: "2" } });
  const answer = await api.merge(at.item, { data: { c: "3" } }, { fieldManager: "z" });
  expect(entriesOf(answer.body).map((e) => `${e.manager} ${e.operation}`)).toEqual(["m Apply", "m Update", "z Update"]);
  expect(answer.owners).toEqual({ "m Apply": ["data.b"], "m Update": ["data.a", "data/"], "z Update": ["data.c"] });
});

test("MF-4: the apiVersion is that of the path", async () => {
  const at = place("LeaseCandidate");
  const spec = { leaseName: "l", binaryVersion: "1.0.0", strategy: "x.io/y" };
  const answer = await api.post(at.collection, { metadata: { name: at.name }, spec });
  expect(entriesOf(answer.body)[0]!.apiVersion).toBe("coordination.svc.io/v1beta1");
});

test("MF-5: the time moves with the manager's last change only", async () => {
  const { item, answer } = await made();
  const first = entry(answer, "creator").time!;
  await api.pass(1000);
  const other = await api.merge(item, { data: { o: "1" } }, { fieldManager: "other" });
  expect(entry(other, "creator").time).toBe(first);
  expect(Date.parse(entry(other, "other").time!)).toBeGreaterThan(Date.parse(first));
  const again = await api.merge(item, { data: { k: "2" } }, { fieldManager: "creator" });
  expect(Date.parse(entry(again, "creator").time!)).toBeGreaterThan(Date.parse(first));
});

test("MF-5, DEC-14: an apply that changes nothing keeps version and time, one that only adds an owner does not", async () => {
  const { item, answer } = await made();
  const shared = await api.apply(item, "m1", { ...MAP, data: { k: "v" } });
  expect(shared.resourceVersion).not.toBe(answer.resourceVersion);
  expect(entry(shared, "m1").time).toMatch(/Z$/);
  const again = await api.apply(item, "m1", { ...MAP, data: { k: "v" } });
  expect(again.resourceVersion).toBe(shared.resourceVersion);
  expect(entriesOf(again.body)).toEqual(entriesOf(shared.body));
});

test("DEC-14: a write through /status says so in its entry", async () => {
  const at = place("VolumeAttachment");
  const spec = { attacher: "d", nodeName: "n", source: { persistentVolumeName: "v" } };
  await api.post(at.collection, { metadata: { name: at.name }, spec });
  const answer = await api.merge(`${at.item}/status`, { status: { attached: true } }, { fieldManager: "attacher" });
  expect(entry(answer, "attacher")).toMatchObject({ operation: "Update", subresource: "status" });
  expect(answer.owners["attacher Update status"]).toContain("status.attached");
});

test("DEC-14: identity and members that the server sets are unowned; labels, finalizers and owners are owned", async () => {
  const at = place("ConfigMap");
  const ownerReferences = [{ apiVersion: "v1", kind: "Node", name: "n", uid: "u1" }];
  const metadata = {
    name: at.name,
    labels: { l: "1" },
    annotations: { a: "1" },
    finalizers: ["x.io/f"],
    ownerReferences,
  };
  const answer = await api.apply(at.item, "m", { ...MAP, metadata });
  expect(answer.owners).toEqual({
    "m Apply": [
      'metadata.finalizers[v:"x.io/f"]',
      'metadata.ownerReferences[k:{"uid":"u1"}]',
      "metadata.annotations.a",
      "metadata.labels.l",
    ].sort(),
  });
});

test("DEC-14: of many updaters the oldest are folded into one", async () => {
  const { item } = await made();
  let answer: Answer | undefined;
  for (let i = 0; i < 12; i++) {
    answer = await api.merge(item, { data: { [`k${i}`]: "v" } }, { fieldManager: `m${i}` });
  }
  const managers = entriesOf(answer!.body).map((e) => e.manager);
  expect(managers).toHaveLength(10);
  expect(managers).toContain("ancient-changes");
  expect(managers).toContain("m11");
});

test("DEC-15, APPLY-17: the manager is the first part of the user agent, without what cannot be printed", async () => {
  const { item } = await made();
  const agent = async (value: string, key: string) => {
    const headers = { "user-agent": value };
    const answer = await api.patch(item, "application/merge-patch+json", { data: { [key]: "1" } }, {}, headers);
    return entriesOf(answer.body).find((e) => JSON.stringify(e.fieldsV1).includes(`f:${key}"`))!.manager;
  };
  expect(await agent("foo/1.2 (linux)", "a")).toBe("foo");
  expect(await agent("bar", "b")).toBe("bar");
  expect(await agent("x".repeat(200), "c")).toBe("x".repeat(128));
});

test("DEC-15: fieldManager has at most 128 printable characters", async () => {
  const { item } = await made();
  const put = (fieldManager: string) => api.merge(item, { data: { x: fieldManager } }, { fieldManager });
  expect((await put("m".repeat(128))).status).toBe(200);
  expect((await put("m".repeat(129))).status).toBe(422);
  expect((await put("a\u0007b")).status).toBe(422);
});

describe("MF-10: the older shape", () => {
  test("MF-10: `fields` sent by a JSON patch is understood and never emitted", async () => {
    const { item } = await made();
    const old = { manager: "old", operation: "Apply", apiVersion: "v1", fields: { "f:data": { "f:k": {} } } };
    const ops = [{ op: "replace", path: "/metadata/managedFields", value: [old] }];
    const answer = await api.jsonPatch(item, ops);
    expectStatus(answer, 200);
    expect(answer.owners).toMatchObject({ "old Apply": ["data.k"] });
    expect(entry(answer, "old")).not.toHaveProperty("fields");
    expect(entry(answer, "old").fieldsType).toBe("FieldsV1");
    const conflict = await api.apply(item, "new", { ...MAP, data: { k: "other" } });
    expect([conflict.status, conflict.causes]).toEqual([409, ["FieldManagerConflict .data.k"]]);
  });

  test("MF-10: in a merge patch or PUT it is no failure", async () => {
    const { item, answer } = await made();
    const managedFields = [{ manager: "old", operation: "Update", apiVersion: "v1", fields: { "f:data": {} } }];
    expect((await api.merge(item, { metadata: { managedFields } })).status).toBe(200);
    const body = { ...answer.sendable, metadata: { name: answer.at("metadata.name"), managedFields } };
    expect((await api.put(item, body)).status).toBe(200);
  });
});

describe("MF-11: the server owns managedFields", () => {
  const forged = [
    {
      manager: "thief",
      operation: "Update",
      apiVersion: "v1",
      time: "2020-01-01T00:00:00Z",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": { "f:k": {} } },
    },
  ];

  test.each(["put", "merge", "strategic"] as const)(
    "MF-11: a %s that alters entries does not change owners",
    async (verb) => {
      const { item, answer } = await made();
      const body = { ...answer.sendable, metadata: { name: answer.at("metadata.name"), managedFields: forged } };
      const sent = verb === "put" ? body : { metadata: { managedFields: forged } };
      const changed = await api[verb](item, sent, { fieldManager: "editor" });
      expect(changed.status).toBe(200);
      expect(changed.owners).toEqual({ "creator Update": ["data.k", "data/"] });
    },
  );

  test("MF-11: a create does not choose owners", async () => {
    const at = place("ConfigMap");
    const metadata = { name: at.name, managedFields: forged };
    const answer = await api.post(at.collection, { metadata, data: { k: "v" } }, { fieldManager: "creator" });
    expect(answer.owners).toEqual({ "creator Update": ["data.k", "data/"] });
  });

  test("MF-11: a JSON patch of the entries is honoured", async () => {
    const { item } = await made();
    const ops = [{ op: "replace", path: "/metadata/managedFields/0/manager", value: "heir" }];
    expect((await api.jsonPatch(item, ops)).owners).toEqual({ "heir Update": ["data.k", "data/"] });
  });

  test("MF-11, kubernetes dialect: every write but apply may edit entries", async () => {
    const { item, answer } = await made(kube);
    const body = { ...answer.sendable, metadata: { name: answer.at("metadata.name"), managedFields: forged } };
    expect((await kube.put(item, body)).owners).toEqual({ "thief Update": ["data.k"] });
    const second = await made(kube);
    const merged = await kube.merge(second.item, { metadata: { managedFields: forged } });
    expect(merged.owners).toEqual({ "thief Update": ["data.k"] });
  });
});

test("DEC-14: an object without entries that is applied has been before-first-apply's", async () => {
  const { item } = await made();
  await api.merge(item, { metadata: { managedFields: [{}] } });
  expect(entriesOf((await api.get(item)).body)).toEqual([]);
  const answer = await api.apply(item, "m", { ...MAP, data: { [fresh("x")]: "1" } });
  expect(answer.owners["before-first-apply Update"]).toEqual(expect.arrayContaining(["data.k"]));
});
