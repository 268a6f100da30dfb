/** VolumeAttachment: VA-1..19 as far as the server alone shows them. */
import { describe, expect, test } from "vitest";
import { expectStatus } from "./answer.ts";
import { serve } from "./api.ts";
import { place } from "./resources.ts";

const api = serve();
const kube = serve({ dialect: "kubernetes" });
const noMigration = serve({ "feature-gates": "CSIMigration=false,MutableCSINodeAllocatableCount=false" });

const SPEC = { attacher: "example.com", nodeName: "n", source: { persistentVolumeName: "v" } };
const TIME = "2026-01-02T03:04:05Z";

async function made(spec: object = SPEC, extra: object = {}, target = api) {
  const at = place("VolumeAttachment");
  return { ...at, answer: await target.post(at.collection, { metadata: { name: at.name }, spec, ...extra }) };
}

const INLINE = { csi: { driver: "example.com", volumeHandle: "h" }, accessModes: ["ReadWriteOnce"] };

test.each([
  ["VA-2", { ...SPEC, attacher: undefined }, "spec.attacher"],
  ["VA-3", { ...SPEC, nodeName: undefined }, "spec.nodeName"],
  ["VA-4", { ...SPEC, source: undefined }, "spec.source"],
  ["VA-4", { ...SPEC, source: {} }, "spec.source"],
  ["VA-4", { ...SPEC, source: { persistentVolumeName: "v", inlineVolumeSpec: INLINE } }, "spec.source"],
  ["VA-2, DEC-39", { ...SPEC, attacher: "a_b" }, "spec.attacher"],
])("%s: an attachment with %j is refused", async (_, spec, field) => {
  const { answer, item } = await made(spec);
  expect(answer.status).toBe(422);
  expect(answer.fields.some((found) => found.startsWith(field))).toBe(true);
  expect((await api.get(item)).status).toBe(404);
});

test("VA-5, VA-8: the source is kept and nothing is attached at first", async () => {
  const { answer, item } = await made();
  expect([answer.status, answer.at("spec")]).toEqual([201, SPEC]);
  expect(answer.at("status")).toEqual({ attached: false });
  expect((await api.get(item)).at("status")).toEqual({ attached: false });
});

test("VA-6: an inline volume is kept", async () => {
  const { answer } = await made({ ...SPEC, source: { inlineVolumeSpec: INLINE } });
  expectStatus(answer, 201);
  expect(answer.at("spec.source.inlineVolumeSpec")).toMatchObject(INLINE);
});

test("VA-6, DEC-38: without CSIMigration an inline volume is no source", async () => {
  const { answer } = await made({ ...SPEC, source: { inlineVolumeSpec: INLINE } }, {}, noMigration);
  expect(answer.status).toBe(422);
});

test("DEC-39: the spec does not change", async () => {
  const { item } = await made();
  for (const spec of [{ nodeName: "m" }, { attacher: "other" }, { source: { persistentVolumeName: "w" } }]) {
    expect((await api.merge(item, { spec })).status).toBe(422);
  }
});

describe("status", () => {
  const STATUS = {
    attached: true,
    attachmentMetadata: { device: "/dev/x" },
    attachError: { message: "m", time: TIME, errorCode: 8 },
    detachError: { message: "d", time: TIME },
  };

  test("VA-7, DEC-33: a status in a create is dropped, in a write of the item ignored", async () => {
    const { answer, item } = await made(SPEC, { status: STATUS });
    expect(answer.at("status")).toEqual({ attached: false });
    expect((await api.put(item, { ...answer.sendable, status: STATUS })).at("status")).toEqual({ attached: false });
    expect((await api.merge(item, { status: STATUS })).at("status")).toEqual({ attached: false });
    const applied = await api.apply(item, "m", {
      apiVersion: "storage.svc.io/v1",
      kind: "VolumeAttachment",
      status: STATUS,
    });
    expect(applied.at("status")).toEqual({ attached: false });
    expect(JSON.stringify(applied.owners["m Apply"] ?? [])).not.toContain("status");
  });

  test("VA-7, VA-9, VA-10, VA-11, VA-12, VA-15: it is written through its path", async () => {
    const { item, answer } = await made();
    const put = await api.put(`${item}/status`, { ...answer.sendable, status: STATUS });
    expect([put.status, put.at("status")]).toEqual([200, STATUS]);
    const patched = await api.merge(`${item}/status`, { status: { attachError: null, detachError: null } });
    expect(patched.at("status")).toEqual({ attached: true, attachmentMetadata: { device: "/dev/x" } });
    const detached = await api.merge(`${item}/status`, { status: { attached: false, attachmentMetadata: null } });
    expect(detached.at("status")).toEqual({ attached: false });
    expect((await api.get(`${item}/status`)).at("spec")).toEqual(SPEC);
  });

  test("DEC-33: the status path changes neither spec nor metadata", async () => {
    const { item, answer } = await made();
    const metadata = { ...(answer.sendable["metadata"] as object), labels: { a: "1" } };
    const put = await api.put(`${item}/status`, {
      metadata,
      spec: { ...SPEC, nodeName: "m" },
      status: { attached: true },
    });
    expect([put.status, put.at("spec"), put.at("metadata.labels")]).toEqual([200, SPEC, undefined]);
    expect(put.at("status.attached")).toBe(true);
  });

  test("VA-8, AMB-43: a status without attached counts as not attached", async () => {
    const { item } = await made();
    await api.merge(`${item}/status`, { status: { attached: true } });
    const patched = await api.jsonPatch(`${item}/status`, [{ op: "replace", path: "/status", value: {} }]);
    expect([patched.status, patched.at("status.attached")]).toEqual([200, false]);
  });

  test("VA-14, DEC-39: the limits of its texts", async () => {
    const { item } = await made();
    const write = (status: object) => api.merge(`${item}/status`, { status });
    expect((await write({ attachError: { message: "any: {text} ü" } })).status).toBe(200);
    expect((await write({ attachError: { message: "x".repeat(1024) } })).status).toBe(200);
    expect((await write({ attachError: { message: "x".repeat(1025) } })).status).toBe(422);
    expect((await write({ attachError: { errorCode: -1 } })).status).toBe(422);
    expect((await write({ attachmentMetadata: { k: "x".repeat(262_144) } })).status).toBe(422);
    expect((await write({ attachmentMetadata: { k: "x".repeat(262_000) } })).status).toBe(200);
  });

  test("VA-13, DEC-38: without MutableCSINodeAllocatableCount the errorCode is dropped, with a warning", async () => {
    const { item } = await made(SPEC, {}, noMigration);
    const status = { attachError: { message: "m", errorCode: 8 } };
    const answer = await noMigration.merge(`${item}/status`, { status });
    expect([answer.status, answer.at("status.attachError")]).toEqual([200, { message: "m" }]);
    expect(answer.warnings).toEqual([expect.stringMatching(/errorCode.*MutableCSINodeAllocatableCount/)]);
  });

  test("APPLY-24, DEC-14: an apply through the status path tracks owners", async () => {
    const { item } = await made();
    const body = { apiVersion: "storage.svc.io/v1", kind: "VolumeAttachment", status: { attached: true } };
    const applied = await api.apply(`${item}/status`, "m", body, { force: "true" });
    expect([applied.status, applied.owners["m Apply status"]]).toEqual([200, ["status.attached"]]);
  });
});

test("VA-6, kubernetes dialect: an inline volume wants csi and access modes", async () => {
  const items = "/apis/storage.k8s.io/v1/volumeattachments";
  const post = (name: string, inlineVolumeSpec: object) =>
    kube.post(items, { metadata: { name }, spec: { ...SPEC, source: { inlineVolumeSpec } } });
  expect((await post("a", { hostPath: { path: "/x" }, accessModes: ["ReadWriteOnce"] })).status).toBe(422);
  expect((await post("b", { csi: INLINE.csi })).status).toBe(422);
  expect((await post("c", INLINE)).status).toBe(201);
});
