/** StorageVersionMigration: SVM-1..15 as far as the server alone shows them. */
import { describe, expect, test } from "vitest";
import { serve } from "./api.ts";
import { place } from "./resources.ts";

const api = serve({ controllers: "none" });

const RESOURCE = { group: "storage.svc.io", version: "v1", resource: "csidrivers" };
const META = { apiVersion: "storagemigration.svc.io/v1alpha1", kind: "StorageVersionMigration" };
const TIME = "2026-01-02T03:04:05Z";

async function made(spec: object = { resource: RESOURCE }) {
  const at = place("StorageVersionMigration");
  return { ...at, answer: await api.post(at.collection, { metadata: { name: at.name }, spec }) };
}

test.each([
  ["SVM-4", {}, "spec.resource"],
  ["SVM-4", { resource: null }, "spec.resource"],
  ["SVM-4, DEC-55", { resource: { group: "g", version: "v1" } }, "spec.resource.resource"],
  ["DEC-55", { resource: { group: "g", resource: "r" } }, "spec.resource.version"],
])("%s: a migration of %j is refused", async (_, spec, field) => {
  const { answer } = await made(spec);
  expect(answer.status).toBe(422);
  expect(answer.fields.some((found) => found.startsWith(field))).toBe(true);
});

test("SVM-2, SVM-7: resource and token are stored as they were sent", async () => {
  const spec = { resource: RESOURCE, continueToken: "t" };
  const { answer, item } = await made(spec);
  expect([answer.status, (await api.get(item)).at("spec")]).toEqual([201, spec]);
});

test("SVM-7: the empty group is the core group", async () => {
  const { answer } = await made({ resource: { group: "", version: "v1", resource: "secrets" } });
  expect(answer.status).toBe(201);
  expect(answer.at("spec.resource.group") ?? "").toBe("");
});

test.each([{ group: "other" }, { version: "v2" }, { resource: "others" }])(
  "SVM-6: %j of the resource may not change",
  async (change) => {
    const { item } = await made();
    const answer = await api.merge(item, { spec: { resource: change } });
    expect(answer.status).toBe(422);
    expect(answer.fields.every((field) => field.startsWith("spec.resource"))).toBe(true);
  },
);

test("SVM-2: the token may change", async () => {
  const { item } = await made();
  for (const continueToken of ["a", "b"]) {
    expect((await api.merge(item, { spec: { continueToken } })).at("spec.continueToken")).toBe(continueToken);
  }
});

describe("status", () => {
  const condition = (type: string, status = "True", extra: object = {}): object => ({ type, status, ...extra });
  const write = (item: string, conditions: object[]) => api.merge(`${item}/status`, { status: { conditions } });

  test("SVM-11, SVM-12, SVM-13: conditions and version are written through its path", async () => {
    const { item } = await made();
    const running = condition("Running", "True", { lastUpdateTime: TIME, reason: "R", message: "m" });
    const status = { conditions: [running], resourceVersion: "17" };
    const answer = await api.merge(`${item}/status`, { status });
    expect([answer.status, answer.at("status")]).toEqual([200, status]);
    expect((await api.get(item)).at("status")).toEqual(status);
  });

  test("SVM-9, SVM-10, AMB-54: type and status are enough, and both are needed", async () => {
    const { item } = await made();
    for (const status of ["True", "False", "Unknown"]) {
      expect((await write(item, [condition("Running", status)])).status).toBe(200);
    }
    expect((await write(item, [condition("Running", "Maybe")])).fields).toEqual(["status.conditions[0].status"]);
    expect((await write(item, [{ type: "Running" }])).fields).toEqual(["status.conditions[0].status"]);
    expect((await write(item, [{ status: "True" }])).fields).toEqual(["status.conditions[0].type"]);
  });

  test("SVM-8: conditions are merged by type; two of one type are refused", async () => {
    const { item } = await made();
    await write(item, [condition("Running"), condition("Example", "False")]);
    const patched = await api.strategic(`${item}/status`, {
      status: { conditions: [condition("Example", "Unknown")] },
    });
    expect(patched.at("status.conditions")).toEqual([condition("Running"), condition("Example", "Unknown")]);
    const applied = await api.apply(`${item}/status`, "m", { ...META, status: { conditions: [condition("Mine")] } });
    expect(applied.at("status.conditions")).toHaveLength(3);
    expect((await write(item, [condition("Running"), condition("Running", "False")])).status).toBe(422);
  });

  test("DEC-39, DEC-55: Succeeded and Failed exclude each other and are final", async () => {
    const { item } = await made();
    expect((await write(item, [condition("Succeeded"), condition("Failed")])).status).toBe(422);
    expect((await write(item, [condition("Running"), condition("Succeeded")])).status).toBe(422);
    expect((await write(item, [condition("Running", "False"), condition("Succeeded")])).status).toBe(200);
    expect((await write(item, [condition("Succeeded", "False")])).status).toBe(422);
  });

  test("DEC-33: a status in a create or on the item is ignored", async () => {
    const { item } = await made();
    expect((await api.merge(item, { status: { resourceVersion: "5" } })).at("status.resourceVersion")).toBeUndefined();
  });
});
