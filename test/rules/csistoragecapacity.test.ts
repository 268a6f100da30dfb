/** CSIStorageCapacity: CAP-1..15 as far as the server alone shows them. */
import { expect, test } from "vitest";
import { expectStatus } from "./answer.ts";
import { serve } from "./api.ts";
import { place } from "./resources.ts";

const api = serve();

async function made(body: object) {
  const at = place("CSIStorageCapacity");
  return { ...at, answer: await api.post(at.collection, { metadata: { name: at.name }, ...body }) };
}

const topology = (nodeTopology: object): object => ({ storageClassName: "c", nodeTopology });

test.each([
  ["CAP-3", {}, "storageClassName"],
  ["CAP-3", { storageClassName: "" }, "storageClassName"],
  ["CAP-4", { storageClassName: "Bad_Name" }, "storageClassName"],
  ["DEC-39", { storageClassName: "c", capacity: "-1" }, "capacity"],
  ["DEC-39", { storageClassName: "c", maximumVolumeSize: "-1" }, "maximumVolumeSize"],
  ["DEC-10", topology({ matchExpressions: [{ key: "a", operator: "In" }] }), "nodeTopology.matchExpressions[0].values"],
  [
    "DEC-10",
    topology({ matchExpressions: [{ key: "a", operator: "Near" }] }),
    "nodeTopology.matchExpressions[0].operator",
  ],
  [
    "DEC-10",
    topology({ matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] }),
    "nodeTopology.matchExpressions[0].values",
  ],
])("%s: %j is refused", async (_, body, field) => {
  const { answer, item } = await made(body);
  expect([answer.status, answer.fields]).toEqual([422, [field]]);
  expect((await api.get(item)).status).toBe(404);
});

test.each([
  ["CAP-3, CAP-6", { storageClassName: "no.such-class" }],
  ["CAP-7", { storageClassName: "c", capacity: "100Gi" }],
  ["CAP-12", { storageClassName: "c", capacity: "0" }],
  ["CAP-8", { storageClassName: "c", maximumVolumeSize: "10Gi" }],
  ["CONV-2", topology({})],
  ["DEC-10", topology({ matchLabels: { zone: "a" }, matchExpressions: [{ key: "b", operator: "Exists" }] })],
])("%s: %j is stored as it was sent", async (_, body) => {
  const { answer, item } = await made(body);
  expectStatus(answer, 201);
  expect((await api.get(item)).body).toMatchObject(body);
});

test("CAP-1: its fields are at the top", async () => {
  const { answer } = await made({ storageClassName: "c", spec: {} });
  expect(answer.body).not.toHaveProperty("spec");
  expect(answer.warnings).toEqual(['unknown field "spec"']);
});

test("CAP-7, CAP-8: absent members stay absent", async () => {
  const { answer } = await made({ storageClassName: "c" });
  for (const member of ["capacity", "maximumVolumeSize", "nodeTopology"])
    expect(answer.body).not.toHaveProperty(member);
});

test("CONV-2: an empty selector is not the same as none", async () => {
  expect((await made(topology({}))).answer.body["nodeTopology"]).toEqual({});
});

test.each([
  ["CAP-5", { storageClassName: "other" }, "storageClassName"],
  ["CAP-11", { nodeTopology: { matchLabels: { zone: "b" } } }, "nodeTopology"],
  ["CAP-11", { nodeTopology: null }, "nodeTopology"],
])("%s: %j may not change", async (_, patch, field) => {
  const { item } = await made(topology({ matchLabels: { zone: "a" } }));
  const answer = await api.merge(item, patch);
  expect([answer.status, answer.fields]).toEqual([422, [field]]);
});

test("CAP-11: an unset topology may not be set", async () => {
  const { item } = await made({ storageClassName: "c" });
  expect((await api.merge(item, { nodeTopology: {} })).status).toBe(422);
});

test("CAP-7, CAP-8: the sizes may change", async () => {
  const { item } = await made({ storageClassName: "c", capacity: "1Gi" });
  const answer = await api.merge(item, { capacity: null, maximumVolumeSize: "2Gi" });
  expect([answer.status, answer.at("capacity"), answer.at("maximumVolumeSize")]).toEqual([200, undefined, "2Gi"]);
});
