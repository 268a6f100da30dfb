/** VolumeAttributesClass: VAC-1..12 as far as the server alone shows them, LIM-4. */
import { expect, test } from "vitest";
import { expectStatus } from "./answer.ts";
import { serve } from "./api.ts";
import { place } from "./resources.ts";

const api = serve();
const kube = serve({ dialect: "kubernetes" });

async function made(body: object) {
  const at = place("VolumeAttributesClass");
  return { ...at, answer: await api.post(at.collection, { metadata: { name: at.name }, ...body }) };
}

const many = (count: number): object => ({
  parameters: Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"])),
});
const sized = (bytes: number): object => ({ parameters: { key: "x".repeat(bytes - 3) } });

test.each([
  ["VAC-2", {}],
  ["VAC-2", { parameters: null }],
  ["VAC-6, LIM-4", { parameters: {} }],
  ["VAC-7, LIM-4", { parameters: { "": "v" } }],
  ["VAC-8, LIM-4", many(513)],
  ["VAC-9, LIM-4, AMB-16", sized(262_145)],
  ["DEC-40", { parameters: { a: "b" }, driverName: "a b" }],
])("%s: a class without or with wrong parameters is refused (%#)", async (_, body) => {
  const { answer, item } = await made(body);
  expect(answer.status).toBe(422);
  expect(answer.fields[0]).toMatch(/^(parameters|driverName)/);
  expect((await api.get(item)).status).toBe(404);
});

test.each([
  ["VAC-3", { parameters: { iops: "3000", "any/key ü": "any value\n" } }],
  ["VAC-8, LIM-4", many(512)],
  ["VAC-9, LIM-4, AMB-16", sized(262_144)],
  ["DEC-40", { parameters: { a: "b" }, driverName: "example.com" }],
])("%s: a class within the limits is stored as it was sent (%#)", async (_, body) => {
  const { answer, item } = await made(body);
  expectStatus(answer, 201);
  expect((await api.get(item)).body).toMatchObject(body);
});

test("VAC-9: the bytes count, not the characters", async () => {
  expect((await made({ parameters: { k: "ü".repeat(131_072) } })).answer.status).toBe(422);
});

test.each([{ a: "other" }, { b: "new" }, { a: null, b: "x" }])(
  "VAC-4: parameters do not change (%j)",
  async (parameters) => {
    const { item } = await made({ parameters: { a: "b" } });
    const answer = await api.merge(item, { parameters });
    expect([answer.status, answer.fields]).toEqual([422, ["parameters"]]);
    expect((await api.get(item)).at("parameters")).toEqual({ a: "b" });
  },
);

test("VAC-4: metadata may change", async () => {
  const { item } = await made({ parameters: { a: "b" } });
  expect((await api.merge(item, { metadata: { labels: { a: "b" } } })).status).toBe(200);
});

test("AMB-8: classes are served whatever the gate says", async () => {
  expect((await made({ parameters: { a: "b" } })).answer.status).toBe(201);
});

test("AMB-49, DEC-57, kubernetes dialect: a driverName is required, a protection finalizer is added", async () => {
  const items = "/apis/storage.k8s.io/v1/volumeattributesclasses";
  const bare = await kube.post(items, { metadata: { name: "a" }, parameters: { a: "b" } });
  expect([bare.status, bare.fields]).toEqual([422, ["driverName"]]);
  const made1 = await kube.post(items, { metadata: { name: "a" }, driverName: "d", parameters: { a: "b" } });
  expect(made1.at("metadata.finalizers")).toEqual(["kubernetes.io/vac-protection"]);
});
