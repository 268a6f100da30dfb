/** CSINode: CSIN-1..21 as far as the server alone shows them. */
import { describe, expect, test } from "vitest";
import { expectStatus } from "./answer.ts";
import { serve } from "./api.ts";
import { place } from "./resources.ts";

const api = serve();
const kube = serve({ dialect: "kubernetes" });

const META = { apiVersion: "storage.svc.io/v1", kind: "CSINode" };

async function made(body: object) {
  const at = place("CSINode");
  return { ...at, answer: await api.post(at.collection, { metadata: { name: at.name }, ...body }) };
}

const drivers = (...list: object[]): object => ({ spec: { drivers: list } });
const D1 = { name: "d1", nodeID: "n1" };
const D2 = { name: "d2", nodeID: "n2" };

test("CSIN-7: it needs a name", async () => {
  const answer = await api.post("/apis/storage.svc.io/v1/csinodes", drivers());
  expect([answer.status, answer.fields]).toEqual([422, ["metadata.name"]]);
});

test("CONV-2: it can be owned by its node", async () => {
  const owner = { apiVersion: "v1", kind: "Node", name: "n", uid: "u" };
  const at = place("CSINode");
  const metadata = { name: at.name, ownerReferences: [owner] };
  const answer = await api.post(at.collection, { metadata, ...drivers() });
  expect(answer.at("metadata.ownerReferences")).toEqual([owner]);
});

test.each([
  ["CSIN-8", {}, "spec"],
  ["CSIN-8", { spec: null }, "spec"],
  ["CSIN-9, AMB-44", { spec: {} }, "spec.drivers"],
  ["CSIN-9, AMB-44", { spec: { drivers: null } }, "spec.drivers"],
  ["CSIN-12", drivers({ nodeID: "n" }), "spec.drivers[0].name"],
  ["CSIN-13", drivers({ name: "d" }), "spec.drivers[0].nodeID"],
  ["CSIN-10", drivers(D1, { ...D2, name: "d1" }), "spec.drivers[1].name"],
  ["CSIN-12, DEC-39", drivers({ name: "d_1", nodeID: "n" }), "spec.drivers[0].name"],
  ["DEC-39", drivers({ name: "x".repeat(64), nodeID: "n" }), "spec.drivers[0].name"],
  ["DEC-39", drivers({ name: "d", nodeID: "x".repeat(257) }), "spec.drivers[0].nodeID"],
  ["DEC-39", drivers({ ...D1, allocatable: { count: -1 } }), "spec.drivers[0].allocatable.count"],
  ["DEC-39", drivers({ ...D1, topologyKeys: ["a b"] }), "spec.drivers[0].topologyKeys"],
  ["DEC-39", drivers({ ...D1, topologyKeys: ["a", "a"] }), "spec.drivers[0].topologyKeys"],
])("%s: %j is refused", async (_, body, field) => {
  const { answer, item } = await made(body);
  expect(answer.status).toBe(422);
  expect(answer.fields.some((found) => found.startsWith(field))).toBe(true);
  expect((await api.get(item)).status).toBe(404);
});

test.each([
  ["CSIN-9, CSIN-11", drivers()],
  ["CSIN-14", drivers(D1)],
  ["CSIN-13", drivers({ name: "d", nodeID: "x".repeat(256) })],
  ["CSIN-14", drivers({ ...D1, allocatable: {} })],
  ["CONV-2", drivers({ ...D1, allocatable: { count: 5 } })],
  ["CSIN-18, CSIN-19", drivers({ ...D1, topologyKeys: ["example.com/zone", "b"] })],
  ["DEC-39", drivers({ ...D1, name: "Driver.Example" })],
])("%s: %j is stored as it was sent", async (_, body) => {
  const { answer, item } = await made(body);
  expectStatus(answer, 201);
  expect((await api.get(item)).body).toMatchObject(body);
});

test("CSIN-19: an empty list of topology keys is accepted", async () => {
  expect((await made(drivers({ ...D1, topologyKeys: [] }))).answer.status).toBe(201);
});

test("CSIN-11: the object stays when its drivers go", async () => {
  const { item } = await made(drivers(D1));
  const answer = await api.merge(item, drivers());
  expect([answer.status, answer.at("spec.drivers")]).toEqual([200, []]);
});

test("AMB-52, DEC-39: entries may change", async () => {
  const { item } = await made(drivers(D1));
  const changed = await api.merge(item, drivers({ ...D1, nodeID: "other", topologyKeys: ["k"] }));
  expect([changed.status, changed.at("spec.drivers.0.nodeID")]).toEqual([200, "other"]);
});

describe("CSIN-10, MARK-14: drivers are merged by name", () => {
  test("CSIN-10: by a strategic merge patch", async () => {
    const { item } = await made(drivers(D1, D2));
    const patched = await api.strategic(item, drivers({ name: "d2", allocatable: { count: 3 } }));
    expect(patched.at("spec.drivers")).toEqual([D1, { ...D2, allocatable: { count: 3 } }]);
    const removed = await api.strategic(item, { spec: { drivers: [{ $patch: "delete", name: "d1" }] } });
    expect(removed.at("spec.drivers")).toEqual([{ ...D2, allocatable: { count: 3 } }]);
  });

  test("CSIN-10: by apply, each with its own owner", async () => {
    const at = place("CSINode");
    await api.apply(at.item, "a", { ...META, ...drivers(D1) });
    const both = await api.apply(at.item, "b", { ...META, ...drivers(D2) });
    expect(both.at("spec.drivers")).toEqual([D1, D2]);
    expect(both.owners).toMatchObject({
      "a Apply": [expect.stringContaining('d1"}]'), expect.anything(), expect.anything()],
      "b Apply": [expect.stringContaining('d2"}]'), expect.anything(), expect.anything()],
    });
    const gone = await api.apply(at.item, "a", { ...META, ...drivers() });
    expect(gone.at("spec.drivers")).toEqual([D2]);
    const doubled = await api.apply(at.item, "a", { ...META, ...drivers(D1, D1) });
    expect([400, 422]).toContain(doubled.status);
  });

  test("CSIN-18: one manager has all the topology keys of a driver", async () => {
    const at = place("CSINode");
    const keyed = (...topologyKeys: string[]): object => ({ ...META, ...drivers({ ...D1, topologyKeys }) });
    await api.apply(at.item, "a", keyed("x", "y"));
    const conflict = await api.apply(at.item, "b", keyed("x"));
    expect([conflict.status, conflict.causes]).toEqual([
      409,
      ['FieldManagerConflict .spec.drivers[name="d1"].topologyKeys'],
    ]);
  });
});

test("CSIN-8, CSIN-9, AMB-44, AMB-52, kubernetes dialect: drivers may be missing, nodeID is frozen", async () => {
  const items = "/apis/storage.k8s.io/v1/csinodes";
  const bare = await kube.post(items, { metadata: { name: "a" } });
  expect([bare.status, bare.at("spec.drivers")]).toEqual([201, null]);
  await kube.post(items, { metadata: { name: "b" }, ...drivers(D1) });
  expect((await kube.merge(`${items}/b`, drivers({ ...D1, nodeID: "other" }))).status).toBe(422);
  expect((await kube.merge(`${items}/b`, drivers({ ...D1, allocatable: { count: 1 } }))).status).toBe(200);
});
