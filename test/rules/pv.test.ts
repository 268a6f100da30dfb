/** PersistentVolume: PV-1..25, PVP as far as the server alone shows them. */
import { describe, expect, test } from "vitest";
import { expectStatus } from "./answer.ts";
import { type Api, serve } from "./api.ts";
import { place } from "./resources.ts";

const api = serve();
const gated = serve({ "feature-gates": "VolumeAttributesClass=true,MutablePVNodeAffinity=true" });
const kube = serve({ dialect: "kubernetes" });

const META = { apiVersion: "v1", kind: "PersistentVolume" };
const SOURCE = { hostPath: { path: "/data" } };
const CSI = { csi: { driver: "d", volumeHandle: "h" } };

async function made(spec: object = SOURCE, target: Api = api) {
  const at = place("PersistentVolume");
  return { ...at, answer: await target.post(at.collection, { metadata: { name: at.name }, spec }) };
}

const affinity = (...nodeSelectorTerms: object[]): object => ({ required: { nodeSelectorTerms } });
const inZone = (...values: string[]): object => ({ matchExpressions: [{ key: "zone", operator: "In", values }] });

describe("spec", () => {
  test("PV-12, PV-21, PVP-9, POL-3, DEC-33: a source is enough; the defaults", async () => {
    const { answer, item } = await made();
    expect([answer.status, answer.at("spec")]).toEqual([
      201,
      { hostPath: { path: "/data", type: "" }, persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" },
    ]);
    expect(answer.at("status")).toEqual({ phase: "Pending", lastPhaseTransitionTime: expect.stringMatching(/Z$/) });
    expect((await api.get(item)).body).toEqual(answer.body);
  });

  test.each([
    ["no source", {}],
    ["no spec", undefined],
    ["two sources", { ...SOURCE, ...CSI }],
    ["nfs beside another (DEC-47)", { ...SOURCE, nfs: { server: "s", path: "/p" } }],
    ["vendor sources", { distFsC: { registry: "h:1", volume: "v" }, cloudCPersistentDisk: { pdID: "p" } }],
  ])("PV-2: %s is refused", async (_, spec) => {
    const at = place("PersistentVolume");
    expect((await api.post(at.collection, { metadata: { name: at.name }, spec })).status).toBe(422);
    expect((await api.get(at.item)).status).toBe(404);
  });

  test.each([
    ["PV-11", { persistentVolumeReclaimPolicy: "Retain" }],
    ["PV-11", { persistentVolumeReclaimPolicy: "Delete" }],
    ["PV-11", { persistentVolumeReclaimPolicy: "Recycle" }],
    ["CONV-2", { storageClassName: "c" }],
    ["PV-21", { volumeMode: "Block" }],
    ["PV-6", { nodeAffinity: affinity(inZone("a", "b"), inZone("c")) }],
    ["CONV-2", { nodeAffinity: affinity({ matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }] }) }],
    ["PV-8", { nodeAffinity: affinity({}) }],
    ["DEC-10", { nodeAffinity: affinity({ matchExpressions: [{ key: "n", operator: "Gt", values: ["5"] }] }) }],
    ["DEC-44", { capacity: { storage: "5Gi" }, accessModes: ["ReadWriteMany"], mountOptions: ["ro"] }],
    ["DEC-44", { claimRef: { kind: "PersistentVolumeClaim", namespace: "n", name: "c", uid: "u" } }],
  ])("%s: %j is stored as it was sent", async (_, spec) => {
    const { answer, item } = await made({ ...SOURCE, ...spec });
    expectStatus(answer, 201);
    expect((await api.get(item)).at("spec")).toMatchObject(spec);
  });

  test.each([
    ["PV-11", { persistentVolumeReclaimPolicy: "Keep" }, "spec.persistentVolumeReclaimPolicy"],
    ["PV-21", { volumeMode: "Tape" }, "spec.volumeMode"],
    ["PV-6", { nodeAffinity: { required: {} } }, "spec.nodeAffinity.required.nodeSelectorTerms"],
    ["PV-6", { nodeAffinity: affinity() }, "spec.nodeAffinity.required.nodeSelectorTerms"],
    [
      "DEC-10",
      { nodeAffinity: affinity({ matchExpressions: [{ key: "a", operator: "In" }] }) },
      "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values",
    ],
    [
      "DEC-10",
      { nodeAffinity: affinity({ matchFields: [{ key: "spec.x", operator: "In", values: ["n"] }] }) },
      "spec.nodeAffinity.required.nodeSelectorTerms[0].matchFields[0].key",
    ],
    [
      "DEC-10",
      { nodeAffinity: affinity({ matchExpressions: [{ key: "n", operator: "Lt", values: ["1", "2"] }] }) },
      "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values",
    ],
    ["DEC-44", { capacity: { storage: "0" } }, "spec.capacity[storage]"],
    ["DEC-44", { accessModes: ["Odd"] }, "spec.accessModes"],
    ["DEC-39", { accessModes: ["ReadWriteOncePod", "ReadOnlyMany"] }, "spec.accessModes"],
    ["CONV-2", { storageClassName: "Bad_Name" }, "spec.storageClassName"],
  ])("%s: %j is refused", async (_, spec, field) => {
    const { answer, item } = await made({ ...SOURCE, ...spec });
    expect(answer.status).toBe(422);
    expect(answer.fields.some((found) => found.startsWith(field))).toBe(true);
    expect((await api.get(item)).status).toBe(404);
  });

  test("PV-6, MARK-15: one manager has all the terms", async () => {
    const at = place("PersistentVolume");
    const body = (...values: string[]): object => ({
      ...META,
      spec: { ...SOURCE, nodeAffinity: affinity(inZone(...values)) },
    });
    const applied = await api.apply(at.item, "a", body("x"));
    const owned = applied.owners["a Apply"]!.filter((path) => path.includes("nodeAffinity"));
    expect(["spec.nodeAffinity.required", "spec.nodeAffinity.required.nodeSelectorTerms"]).toContain(owned[0]);
    expect(owned).toHaveLength(1);
    const conflict = await api.apply(at.item, "b", { ...META, spec: { nodeAffinity: affinity(inZone("x", "y")) } });
    expect(conflict.status).toBe(409);
  });
});

describe("updates", () => {
  test("PV-4, AMB-26: with the gate off, a node affinity may be set once", async () => {
    const { item } = await made();
    const first = await api.merge(item, { spec: { nodeAffinity: affinity(inZone("a")) } });
    expect(first.status).toBe(200);
    for (const nodeAffinity of [affinity(inZone("b")), null]) {
      expect((await api.merge(item, { spec: { nodeAffinity } })).status).toBe(422);
    }
  });

  test("PV-4: with MutablePVNodeAffinity it may change", async () => {
    const { item } = await made({ ...SOURCE, nodeAffinity: affinity(inZone("a")) }, gated);
    const changed = await gated.merge(item, { spec: { nodeAffinity: affinity(inZone("b")) } });
    expect([changed.status, changed.at("spec.nodeAffinity")]).toEqual([200, affinity(inZone("b"))]);
  });

  test("DEC-39: source and mode may change until a claim has the volume", async () => {
    const { item } = await made();
    expect((await api.merge(item, { spec: { hostPath: { path: "/other" } } })).status).toBe(200);
    expect((await api.merge(item, { spec: { volumeMode: "Block" } })).status).toBe(200);
    const claimRef = { namespace: "n", name: "c", uid: "u" };
    expect((await api.merge(item, { spec: { claimRef } })).status).toBe(200);
    expect((await api.merge(item, { spec: { hostPath: { path: "/third" } } })).status).toBe(422);
    expect((await api.merge(item, { spec: { volumeMode: "Filesystem" } })).status).toBe(422);
    expect((await api.merge(item, { spec: { persistentVolumeReclaimPolicy: "Delete" } })).status).toBe(200);
    expect((await api.merge(item, { spec: { capacity: { storage: "7Gi" } } })).status).toBe(200);
  });

  test("AMB-27: an administrator can take the claim away", async () => {
    const { item } = await made({ ...SOURCE, claimRef: { namespace: "n", name: "c", uid: "u" } });
    const freed = await api.merge(item, { spec: { claimRef: null } });
    expect([freed.status, freed.at("spec.claimRef")]).toEqual([200, undefined]);
  });

  test("DEC-39, AMB-49, kubernetes dialect: the source never changes, capacity and modes are required", async () => {
    const bare = await made(SOURCE, kube);
    expect([bare.answer.status, bare.answer.fields]).toEqual([422, ["spec.accessModes", "spec.capacity"]]);
    const { item } = await made({ ...SOURCE, capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] }, kube);
    expect((await kube.merge(item, { spec: { hostPath: { path: "/other" } } })).status).toBe(422);
  });

  test("OWN-10: a policy that only one applier owned becomes the default when it is left out", async () => {
    const at = place("PersistentVolume");
    await api.apply(at.item, "m", { ...META, spec: { ...SOURCE, persistentVolumeReclaimPolicy: "Delete" } });
    const left = await api.apply(at.item, "m", { ...META, spec: SOURCE });
    expect(left.at("spec.persistentVolumeReclaimPolicy")).toBe("Retain");
  });
});

describe("volume attributes class", () => {
  test("PV-17, PV-18, PV-19: it is not empty, may be unset and may change", async () => {
    const empty = await made({ ...CSI, volumeAttributesClassName: "" }, gated);
    expect([empty.answer.status, empty.answer.fields]).toEqual([422, ["spec.volumeAttributesClassName"]]);
    const { item, answer } = await made({ ...CSI, volumeAttributesClassName: "a" }, gated);
    expect(answer.at("spec.volumeAttributesClassName")).toBe("a");
    const changed = await gated.merge(item, { spec: { volumeAttributesClassName: "b" } });
    expect([changed.status, changed.at("spec.volumeAttributesClassName")]).toEqual([200, "b"]);
    expect((await made(CSI, gated)).answer.at("spec.volumeAttributesClassName")).toBeUndefined();
  });

  test("PV-17, AMB-8, DEC-38: with the gate off it is dropped, with a warning", async () => {
    const { answer } = await made({ ...CSI, volumeAttributesClassName: "a" });
    expect([answer.status, answer.at("spec.volumeAttributesClassName")]).toEqual([201, undefined]);
    expect(answer.warnings).toEqual([expect.stringMatching(/volumeAttributesClassName.*VolumeAttributesClass/)]);
  });
});

describe("status", () => {
  const write = (item: string, status: object, target: Api = api) => target.merge(`${item}/status`, { status });

  test.each(["Available", "Bound", "Failed", "Pending", "Released"])(
    "PV-24: the phase %s is accepted",
    async (phase) => {
      const { item } = await made();
      expect((await write(item, { phase })).at("status.phase")).toBe(phase);
    },
  );

  test("PV-24: other phases are refused; Kubernetes takes any", async () => {
    const { item } = await made();
    expect((await write(item, { phase: "Odd" })).status).toBe(422);
    const other = await made({ ...SOURCE, capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] }, kube);
    expect((await write(other.item, { phase: "Odd" }, kube)).status).toBe(200);
  });

  test("PV-23, PV-25: message and reason round-trip", async () => {
    const { item } = await made();
    const status = { phase: "Failed", message: "it broke", reason: "DiskGone" };
    expect((await write(item, status)).at("status")).toMatchObject(status);
  });

  test("PV-22, PVP-10: the time of the phase moves with the phase, and with nothing else", async () => {
    const { item, answer } = await made();
    const first = answer.at("status.lastPhaseTransitionTime");
    await api.pass(1000);
    const same = await write(item, { phase: "Pending", message: "m" });
    expect(same.at("status.lastPhaseTransitionTime")).toBe(first);
    const changed = await write(item, { phase: "Available" });
    expect(Date.parse(String(changed.at("status.lastPhaseTransitionTime")))).toBeGreaterThan(Date.parse(String(first)));
    const chosen = await write(item, { phase: "Bound", lastPhaseTransitionTime: "2001-01-01T00:00:00Z" });
    expect(chosen.at("status.lastPhaseTransitionTime")).toBe(changed.at("status.lastPhaseTransitionTime"));
  });

  test("DEC-33: in a create and on the item it is ignored; through its path the spec is", async () => {
    const at = place("PersistentVolume");
    const status = { phase: "Bound", message: "m" };
    const answer = await api.post(at.collection, { metadata: { name: at.name }, spec: SOURCE, status });
    expect(answer.at("status.phase")).toBe("Pending");
    expect((await api.merge(at.item, { status })).at("status.phase")).toBe("Pending");
    const put = await api.put(`${at.item}/status`, {
      metadata: { name: at.name, annotations: { a: "b" } },
      spec: { ...SOURCE, storageClassName: "c" },
      status,
    });
    expect(put.at("spec.storageClassName")).toBeUndefined();
    expect([put.at("status.phase"), put.at("metadata.annotations")]).toEqual(["Bound", { a: "b" }]);
  });
});

test("DEC-57: protection finalizers are added in the kubernetes dialect only", async () => {
  expect((await made()).answer.at("metadata.finalizers")).toBeUndefined();
  const { answer } = await made({ ...SOURCE, capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] }, kube);
  expect(answer.at("metadata.finalizers")).toEqual(["kubernetes.io/pv-protection"]);
});
