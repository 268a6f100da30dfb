/** StorageClass: SC-1..22 as far as the server alone shows them. */
import { describe, expect, test } from "vitest";
import { expectStatus } from "./answer.ts";
import { serve } from "./api.ts";
import { place } from "./resources.ts";

const api = serve();
const kube = serve({ dialect: "kubernetes" });
const off = serve({ "feature-gates": "VolumeScheduling=false" });

const META = { apiVersion: "storage.svc.io/v1", kind: "StorageClass" };

async function made(body: object, target = api) {
  const at = place("StorageClass");
  return { ...at, answer: await target.post(at.collection, { metadata: { name: at.name }, ...body }) };
}

const term = (...expressions: object[]): object => ({ matchLabelExpressions: expressions });
const allowed = (...terms: object[]): object => ({ allowedTopologies: terms });

test("SC-12, SC-14: the defaults are Delete and Immediate", async () => {
  const { answer, item } = await made({});
  expect([answer.status, answer.at("reclaimPolicy"), answer.at("volumeBindingMode")]).toEqual([
    201,
    "Delete",
    "Immediate",
  ]);
  expect((await api.get(item)).body).toEqual(answer.body);
});

test.each(["Delete", "Recycle", "Retain"])(
  "SC-13, AMB-46: the reclaim policy %s is accepted",
  async (reclaimPolicy) => {
    const { answer } = await made({ reclaimPolicy });
    expect([answer.status, answer.at("reclaimPolicy")]).toEqual([201, reclaimPolicy]);
  },
);

test.each(["Immediate", "WaitForFirstConsumer"])("CONV-2: the mode %s is accepted", async (volumeBindingMode) => {
  const { answer } = await made({ volumeBindingMode });
  expect([answer.status, answer.at("volumeBindingMode")]).toEqual([201, volumeBindingMode]);
});

test.each([
  ["SC-13", { reclaimPolicy: "Keep" }, "reclaimPolicy"],
  ["SC-17", { volumeBindingMode: "Later" }, "volumeBindingMode"],
  ["SC-7", allowed(term({ values: ["a"] })), "allowedTopologies[0].matchLabelExpressions[0].key"],
  ["SC-8", allowed(term({ key: "k" })), "allowedTopologies[0].matchLabelExpressions[0].values"],
  ["SC-8", allowed(term({ key: "k", values: [] })), "allowedTopologies[0].matchLabelExpressions[0].values"],
  [
    "DEC-39",
    allowed(term({ key: "k", values: ["a", "a"] })),
    "allowedTopologies[0].matchLabelExpressions[0].values[1]",
  ],
  [
    "DEC-39",
    allowed(term({ key: "k", values: ["a"] }, { key: "k", values: ["b"] })),
    "allowedTopologies[0].matchLabelExpressions[1].key",
  ],
  ["DEC-39", allowed(term({ key: "k", values: ["a"] }), term({ key: "k", values: ["a"] })), "allowedTopologies[1]"],
  ["DEC-40", { provisioner: "a b" }, "provisioner"],
  ["DEC-40", { parameters: { "": "x" } }, "parameters"],
])("%s: %j is refused", async (_, body, field) => {
  const { answer, item } = await made(body);
  expect(answer.status).toBe(422);
  expect(answer.fields.some((found) => found.startsWith(field))).toBe(true);
  expect((await api.get(item)).status).toBe(404);
});

test.each([
  [
    "CONV-2",
    allowed(term({ key: "k", values: ["a", "b"] }, { key: "l", values: ["c"] }), term({ key: "k", values: ["z"] })),
  ],
  ["SC-20", allowed({})],
  ["SC-9, SC-10", { mountOptions: ["no such option", "", "ro"] }],
  ["SC-11", { parameters: { type: "fast", "any/key": "ü" } }],
  ["DEC-40", { provisioner: "example.com/p", allowVolumeExpansion: true }],
])("%s: %j is stored as it was sent", async (_, body) => {
  const { answer, item } = await made(body);
  expectStatus(answer, 201);
  expect((await api.get(item)).body).toMatchObject(body);
});

test("CONV-2: an empty list of topologies is accepted", async () => {
  expect((await made({ allowedTopologies: [] })).answer.status).toBe(201);
});

test("SC-11: parameters hold texts", async () => {
  expect((await made({ parameters: { a: 1 } })).answer.status).toBe(400);
});

test("SC-19, DEC-2: it has no namespace", async () => {
  const at = place("StorageClass");
  const answer = await api.post(at.collection, { metadata: { name: at.name, namespace: "x" } });
  expect([answer.status, answer.at("metadata.namespace")]).toEqual([201, undefined]);
});

test.each([
  { parameters: { a: "b" } },
  { provisioner: "example.com/other" },
  { reclaimPolicy: "Retain" },
  { volumeBindingMode: "WaitForFirstConsumer" },
  { mountOptions: ["ro"] },
  { allowVolumeExpansion: true },
  allowed(term({ key: "k", values: ["a"] })),
])("AMB-52, DEC-39: %j may change", async (patch) => {
  const { item } = await made({ provisioner: "example.com/p" });
  const answer = await api.merge(item, patch);
  expect([answer.status, answer.body]).toEqual([200, expect.objectContaining(patch)]);
});

describe("owners", () => {
  test.each([
    [
      "SC-2",
      { allowedTopologies: [term({ key: "k", values: ["a"] })] },
      { allowedTopologies: [{}] },
      "allowedTopologies",
    ],
    ["SC-9", { mountOptions: ["a", "b"] }, { mountOptions: ["a"] }, "mountOptions"],
  ])("%s, MARK-2, MARK-15: one manager has the whole list", async (_, first, second, field) => {
    const at = place("StorageClass");
    const applied = await api.apply(at.item, "a", { ...META, ...first });
    expect(applied.owners).toEqual({ "a Apply": [field] });
    const conflict = await api.apply(at.item, "b", { ...META, ...second });
    expect([conflict.status, conflict.causes]).toEqual([409, [`FieldManagerConflict .${field}`]]);
    const forced = await api.apply(at.item, "b", { ...META, ...second }, { force: "true" });
    expect(forced.body).toMatchObject(second);
    expect(forced.owners).toEqual({ "b Apply": [field] });
  });

  test("SC-6, SC-8: within a topology nothing is owned separately", async () => {
    const at = place("StorageClass");
    const applied = await api.apply(at.item, "a", { ...META, ...allowed(term({ key: "k", values: ["a", "b"] })) });
    expect(applied.owners["a Apply"]).toEqual(["allowedTopologies"]);
  });

  test("SC-11, MARK-12: parameters are owned key by key", async () => {
    const at = place("StorageClass");
    await api.apply(at.item, "a", { ...META, parameters: { a: "1" } });
    const both = await api.apply(at.item, "b", { ...META, parameters: { b: "2" } });
    expect(both.owners).toEqual({ "a Apply": ["parameters.a"], "b Apply": ["parameters.b"] });
  });
});

describe("gates and dialects", () => {
  test("SC-5, SC-18, DEC-38: without VolumeScheduling topologies and mode are dropped, with warnings", async () => {
    const body = { ...allowed({}), volumeBindingMode: "WaitForFirstConsumer" };
    const { answer } = await made(body, off);
    expect([answer.status, answer.body["allowedTopologies"]]).toEqual([201, undefined]);
    expect(answer.body["volumeBindingMode"]).not.toBe("WaitForFirstConsumer");
    expect(answer.warnings.join()).toMatch(/allowedTopologies.*VolumeScheduling/);
    expect(answer.warnings.join()).toMatch(/volumeBindingMode.*VolumeScheduling/);
  });

  test("SC-13, AMB-46, AMB-49, AMB-52, kubernetes dialect: no Recycle, a provisioner, and it is frozen", async () => {
    const items = "/apis/storage.k8s.io/v1/storageclasses";
    const bare = await kube.post(items, { metadata: { name: "a" } });
    expect([bare.status, bare.fields]).toEqual([422, ["provisioner"]]);
    const body = { metadata: { name: "a" }, provisioner: "p" };
    expect((await kube.post(items, { ...body, reclaimPolicy: "Recycle" })).status).toBe(422);
    expect((await kube.post(items, body)).status).toBe(201);
    expect((await kube.merge(`${items}/a`, { parameters: { a: "b" } })).status).toBe(422);
    expect((await kube.merge(`${items}/a`, { mountOptions: ["ro"] })).status).toBe(200);
  });
});
