/** PersistentVolumeClaim: PVC-1..52, RSZ, MVS as far as the server alone shows them. */
import { describe, expect, test } from "vitest";
import { expectStatus } from "./answer.ts";
import { type Api, serve } from "./api.ts";
import { place } from "./resources.ts";

const api = serve();
const gated = serve({ "feature-gates": "VolumeAttributesClass=true,CrossNamespaceVolumeDataSource=true" });
const noSources = serve({ "feature-gates": "AnyVolumeDataSource=false" });
const kube = serve({ dialect: "kubernetes" });

const META = { apiVersion: "v1", kind: "PersistentVolumeClaim" };
const size = (storage: string): object => ({ resources: { requests: { storage } } });

async function made(spec: object = {}, target: Api = api) {
  const at = place("PersistentVolumeClaim");
  if (target === kube) await kube.post("/api/v1/namespaces", { metadata: { name: at.ns } });
  return { ...at, answer: await target.post(at.collection, { metadata: { name: at.name }, spec }) };
}

/** A claim whose status says that it is bound to a volume of 10Gi. */
async function bound(spec: object = size("10Gi"), target: Api = api) {
  const claim = await made({ volumeName: "v", ...spec }, target);
  const status = { phase: "Bound", capacity: { storage: "10Gi" } };
  const answer = await target.merge(`${claim.item}/status`, { status });
  expectStatus(answer, 200);
  return claim;
}

describe("spec", () => {
  test("PVC-6, PVC-30, DEC-33, POL-3: an empty spec is a claim, of mode Filesystem, pending", async () => {
    const { answer, item } = await made();
    expect([answer.status, answer.at("spec"), answer.at("status")]).toEqual([
      201,
      { volumeMode: "Filesystem", resources: {} },
      { phase: "Pending" },
    ]);
    expect((await api.get(item)).body).toEqual(answer.body);
  });

  test.each([
    ["DEC-8", { resources: { requests: { storage: "1Gi" }, limits: { storage: "2Gi" } } }],
    ["PVC-5", { volumeMode: "Block" }],
    ["PVC-5", { volumeMode: "Filesystem" }],
    ["DEC-43", { accessModes: ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"] }],
    ["DEC-43", { accessModes: ["ReadWriteOncePod"] }],
    ["DEC-43", { selector: { matchLabels: { a: "b" } }, storageClassName: "", volumeName: "v" }],
  ])("%s: %j is stored as it was sent", async (_, spec) => {
    const { answer, item } = await made(spec);
    expectStatus(answer, 201);
    expect((await api.get(item)).at("spec")).toEqual({ volumeMode: "Filesystem", resources: {}, ...spec });
  });

  test.each([
    ["PVC-5", { volumeMode: "Tape" }, "spec.volumeMode"],
    ["DEC-8", size("0"), "spec.resources.requests[storage]"],
    ["DEC-8", size("-1Gi"), "spec.resources.requests[storage]"],
    ["DEC-43", { accessModes: ["ReadOften"] }, "spec.accessModes"],
    ["DEC-39", { accessModes: ["ReadWriteOncePod", "ReadWriteOnce"] }, "spec.accessModes"],
    [
      "DEC-10",
      { selector: { matchExpressions: [{ key: "a", operator: "In" }] } },
      "spec.selector.matchExpressions[0].values",
    ],
    ["DEC-43", { storageClassName: "Bad_Name" }, "spec.storageClassName"],
  ])("%s: %j is refused", async (_, spec, field) => {
    const { answer, item } = await made(spec);
    expect(answer.status).toBe(422);
    expect(answer.fields.some((found) => found.startsWith(field))).toBe(true);
    expect((await api.get(item)).status).toBe(404);
  });

  test("DEC-40: a claim without a class gets the newest default class, one with an empty class does not", async () => {
    const annotations = { "storageclass.svc.io/is-default-class": "true" };
    const { item, name } = place("StorageClass");
    await api.post("/apis/storage.svc.io/v1/storageclasses", { metadata: { name, annotations } });
    expect((await made()).answer.at("spec.storageClassName")).toBe(name);
    expect((await made({ storageClassName: "" })).answer.at("spec.storageClassName")).toBe("");
    await api.delete(item);
    expect((await made()).answer.at("spec.storageClassName")).toBeUndefined();
  });
});

describe("size", () => {
  test("PVC-3, PVC-4, AMB-25: a lower request must stay above the capacity", async () => {
    const { item } = await bound();
    const request = async (storage: string) => (await api.merge(item, { spec: size(storage) })).status;
    expect(await request("20Gi")).toBe(200);
    expect(await request("15Gi")).toBe(200);
    expect(await request("10Gi")).toBe(422);
    expect(await request("5Gi")).toBe(422);
    expect((await api.get(item)).at("spec.resources.requests.storage")).toBe("15Gi");
  });

  test("PVC-4, AMB-25: what does not lower the request is never compared with the capacity", async () => {
    const { item } = await bound(size("5Gi"));
    expect((await api.merge(item, { spec: size("8Gi") })).status).toBe(200);
    expect((await api.merge(item, { metadata: { labels: { a: "b" } } })).status).toBe(200);
  });

  test("PVC-3, AMB-25: without a recorded capacity any positive request passes", async () => {
    const { item } = await made(size("10Gi"));
    for (const storage of ["5Gi", "1", "20Gi"]) {
      expect((await api.merge(item, { spec: size(storage) })).status).toBe(200);
    }
    expect((await api.merge(item, { spec: size("0") })).status).toBe(422);
  });
});

describe("what does not change", () => {
  test.each([
    [{ volumeMode: "Block" }],
    [{ accessModes: ["ReadOnlyMany"] }],
    [{ selector: { matchLabels: { a: "b" } } }],
    [{ volumeName: "other" }],
    [{ storageClassName: "other" }],
  ])("PVC-14, DEC-39: %j of a bound claim", async (spec) => {
    const { item } = await bound({ accessModes: ["ReadWriteOnce"], storageClassName: "c", ...size("10Gi") });
    const answer = await api.merge(item, { spec });
    expect(answer.status).toBe(422);
    expect(answer.fields.every((field) => field.startsWith("spec"))).toBe(true);
  });

  test("PVC-14: storageClassName, once it is set", async () => {
    const { item } = await made({ storageClassName: "c" });
    expect((await api.merge(item, { spec: { storageClassName: "d" } })).status).toBe(422);
    const unset = await made();
    expect((await api.merge(unset.item, { spec: { storageClassName: "d" } })).status).toBe(200);
  });

  test("DEC-39: an unbound claim may change, and its volumeName be set once", async () => {
    const { item } = await made({ accessModes: ["ReadWriteOnce"] });
    expect((await api.merge(item, { spec: { accessModes: ["ReadOnlyMany"] } })).status).toBe(200);
    expect((await api.merge(item, { spec: { volumeName: "v" } })).status).toBe(200);
    expect((await api.merge(item, { spec: { volumeName: "w" } })).status).toBe(422);
  });

  test("DEC-39, kubernetes dialect: the spec of an unbound claim does not change", async () => {
    const { item } = await made({ accessModes: ["ReadWriteOnce"], ...size("1Gi") }, kube);
    expect((await kube.merge(item, { spec: { accessModes: ["ReadOnlyMany"] } })).status).toBe(422);
    expect((await made({}, kube)).answer.fields).toEqual(
      expect.arrayContaining(["spec.accessModes", "spec.resources[storage]"]),
    );
  });
});

describe("data sources", () => {
  const SNAPSHOT = { apiGroup: "snapshot.storage.svc.io", kind: "VolumeSnapshot", name: "s" };
  const CLAIM = { kind: "PersistentVolumeClaim", name: "p" };
  const CUSTOM = { apiGroup: "example.com", kind: "Populator", name: "x" };
  const sources = async (spec: object, target: Api = api) => {
    const { answer } = await made(spec, target);
    return [answer.status, answer.at("spec.dataSource"), answer.at("spec.dataSourceRef")];
  };

  test.each([
    ["PVC-7, PVC-23", SNAPSHOT],
    ["PVC-7, PVC-23", CLAIM],
  ])("%s: dataSource alone is copied to dataSourceRef (%j)", async (_, source) => {
    expect(await sources({ dataSource: source })).toEqual([201, source, source]);
  });

  test.each([SNAPSHOT, CLAIM, CUSTOM])(
    "PVC-9, PVC-23: dataSourceRef alone is copied to dataSource (%j)",
    async (source) => {
      expect(await sources({ dataSourceRef: source })).toEqual([201, source, source]);
    },
  );

  test("PVC-24, ERR-7: both must be equal", async () => {
    expect(await sources({ dataSource: SNAPSHOT, dataSourceRef: SNAPSHOT })).toEqual([201, SNAPSHOT, SNAPSHOT]);
    expect((await sources({ dataSource: SNAPSHOT, dataSourceRef: CLAIM }))[0]).toBe(422);
    expect((await sources({ dataSource: SNAPSHOT, dataSourceRef: { ...SNAPSHOT, name: "t" } }))[0]).toBe(422);
  });

  test("PVC-26: other kinds in dataSource alone are dropped in silence", async () => {
    expect(await sources({ dataSource: CUSTOM })).toEqual([201, undefined, undefined]);
    expect(await sources({ dataSource: { kind: "Pod", name: "p" } })).toEqual([201, undefined, undefined]);
  });

  test("PVC-27, PVC-20, ERR-7: other core kinds in dataSourceRef are refused", async () => {
    expect((await made({ dataSourceRef: { kind: "Pod", name: "p" } })).answer.status).toBe(422);
    expect((await made({ dataSourceRef: { kind: "MyPopulator", name: "p" } })).answer.status).toBe(422);
    expect((await made({ dataSourceRef: { apiGroup: "", kind: "Pod", name: "p" } })).answer.status).toBe(422);
  });

  test.each([
    ["PVC-18", { apiGroup: "example.com", name: "n" }, "kind"],
    ["PVC-19", { apiGroup: "example.com", kind: "K" }, "name"],
  ])("%s: a dataSourceRef of %j is refused", async (_, dataSourceRef, member) => {
    const { answer } = await made({ dataSourceRef });
    expect(answer.status).toBe(422);
    expect(answer.fields).toContain(`spec.dataSourceRef.${member}`);
  });

  test("PVC-28: dataSource has no namespace", async () => {
    const { answer } = await made({ dataSource: { ...CLAIM, namespace: "x" } });
    expect(answer.at("spec.dataSource")).toEqual(CLAIM);
    expect(answer.warnings).toEqual(['unknown field "spec.dataSource.namespace"']);
  });

  test("PVC-11, DEC-38: without AnyVolumeDataSource dataSourceRef is dropped, with a warning", async () => {
    const { answer } = await made({ dataSourceRef: CUSTOM }, noSources);
    expect([answer.status, answer.at("spec.dataSourceRef"), answer.at("spec.dataSource")]).toEqual([
      201,
      undefined,
      undefined,
    ]);
    expect(answer.warnings).toEqual([expect.stringMatching(/dataSourceRef.*AnyVolumeDataSource/)]);
    expect(await sources({ dataSource: CLAIM }, noSources)).toEqual([201, CLAIM, undefined]);
  });

  test("PVC-21, DEC-38: without CrossNamespaceVolumeDataSource a reference with a namespace is dropped, with a warning", async () => {
    const { answer } = await made({ dataSourceRef: { ...CLAIM, namespace: "elsewhere" } });
    expect([answer.status, answer.at("spec.dataSourceRef"), answer.at("spec.dataSource")]).toEqual([
      201,
      undefined,
      undefined,
    ]);
    expect(answer.warnings).toEqual([expect.stringMatching(/dataSourceRef.*CrossNamespaceVolumeDataSource/)]);
    const silent = await made(
      { accessModes: ["ReadWriteOnce"], ...size("1Gi"), dataSourceRef: { ...CLAIM, namespace: "elsewhere" } },
      kube,
    );
    expect([silent.answer.status, silent.answer.at("spec.dataSourceRef"), silent.answer.warnings]).toEqual([
      201,
      undefined,
      [],
    ]);
  });

  test("PVC-21, PVC-25, PVC-29: with the gate it is kept, and dataSource stays empty", async () => {
    const far = { ...CLAIM, namespace: "elsewhere" };
    expect(await sources({ dataSourceRef: far }, gated)).toEqual([201, undefined, far]);
    expect((await sources({ dataSourceRef: far, dataSource: CLAIM }, gated))[0]).toBe(422);
  });
});

describe("volume attributes class", () => {
  const named = (name: string | null): object => ({ spec: { volumeAttributesClassName: name } });

  test("PVC-13, AMB-8: with the gate off, its default, the name is dropped, with a warning", async () => {
    const { answer } = await made({ volumeAttributesClassName: "c" });
    expect([answer.status, answer.at("spec.volumeAttributesClassName")]).toEqual([201, undefined]);
    expect(answer.warnings).toEqual([expect.stringMatching(/volumeAttributesClassName.*VolumeAttributesClass/)]);
  });

  test("PVC-14: with the gate on it is kept and may change", async () => {
    const { item } = await bound({ volumeAttributesClassName: "a", ...size("10Gi") }, gated);
    expect((await gated.get(item)).at("spec.volumeAttributesClassName")).toBe("a");
    const changed = await gated.merge(item, named("b"));
    expect([changed.status, changed.at("spec.volumeAttributesClassName")]).toEqual([200, "b"]);
  });

  test("PVC-17, AMB-23: it may be reset to none unless a class is in use", async () => {
    const { item } = await bound({ volumeAttributesClassName: "a", ...size("10Gi") }, gated);
    expect((await gated.merge(item, named(null))).status).toBe(200);
    expect((await gated.merge(item, named("a"))).status).toBe(200);
    await gated.merge(`${item}/status`, { status: { currentVolumeAttributesClassName: "a" } });
    expect((await gated.merge(item, named("b"))).status).toBe(200);
    expect((await gated.merge(item, named(null))).status).toBe(422);
    expect((await gated.merge(item, named(""))).status).toBe(422);
    expect((await gated.merge(item, named("a"))).status).toBe(200);
  });

  test("PVC-49, PVC-50, PVC-52: the state of a modification", async () => {
    const { item, answer } = await made({}, gated);
    expect(answer.at("status")).toEqual({ phase: "Pending" });
    const write = (status: object) => gated.merge(`${item}/status`, { status });
    for (const state of ["Pending", "InProgress", "Infeasible"]) {
      const modifyVolumeStatus = { status: state, targetVolumeAttributesClassName: "c" };
      const written = await write({ modifyVolumeStatus, currentVolumeAttributesClassName: "b" });
      expect([written.status, written.at("status")]).toEqual([
        200,
        { phase: "Pending", modifyVolumeStatus, currentVolumeAttributesClassName: "b" },
      ]);
    }
    expect((await write({ modifyVolumeStatus: { status: null } })).status).toBe(422);
    expect((await write({ modifyVolumeStatus: { status: "Odd" } })).status).toBe(422);
  });

  test("PVC-49, AMB-8, DEC-38: with the gate off its status fields are dropped", async () => {
    const { item } = await made();
    const status = { currentVolumeAttributesClassName: "b", modifyVolumeStatus: { status: "Pending" } };
    const answer = await api.merge(`${item}/status`, { status });
    expect([answer.status, answer.at("status")]).toEqual([200, { phase: "Pending" }]);
  });
});

describe("status", () => {
  const write = (item: string, status: object) => api.merge(`${item}/status`, { status });

  test("PVC-30, PVC-32, PVC-33, PVC-39, PVC-40, RSZ-1, DEC-42: it is written through its path", async () => {
    const { item } = await made(size("10Gi"));
    const status = {
      phase: "Bound",
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "10Gi" },
      allocatedResources: { storage: "20Gi" },
      allocatedResourceStatuses: { storage: "ControllerResizeInProgress" },
    };
    const answer = await write(item, status);
    expect([answer.status, answer.at("status")]).toEqual([200, status]);
    const done = await write(item, { allocatedResourceStatuses: null, allocatedResources: null });
    expect(done.at("status")).not.toHaveProperty("allocatedResourceStatuses");
  });

  test("DEC-33: in a create and on the item it is ignored; through its path the spec is", async () => {
    const at = place("PersistentVolumeClaim");
    const status = { phase: "Bound", capacity: { storage: "1Gi" } };
    const answer = await api.post(at.collection, { metadata: { name: at.name }, spec: size("1Gi"), status });
    expect(answer.at("status")).toEqual({ phase: "Pending" });
    expect((await api.put(at.item, { ...answer.sendable, status })).at("status")).toEqual({ phase: "Pending" });
    const body = { metadata: { name: at.name, labels: { a: "b" } }, spec: size("2Gi"), status };
    const put = await api.put(`${at.item}/status`, body);
    expect([put.at("spec.resources.requests.storage"), put.at("status"), put.at("metadata.labels")]).toEqual([
      "1Gi",
      status,
      { a: "b" },
    ]);
  });

  test.each(["Pending", "Bound", "Lost"])("PVC-30, DEC-56: the phase %s is accepted", async (phase) => {
    const { item } = await made();
    expect((await write(item, { phase })).at("status.phase")).toBe(phase);
  });

  test("PVC-30, DEC-56: other phases are refused; Kubernetes takes any", async () => {
    const { item } = await made();
    expect((await write(item, { phase: "Odd" })).status).toBe(422);
    const other = await made({ accessModes: ["ReadWriteOnce"], ...size("1Gi") }, kube);
    expect((await kube.merge(`${other.item}/status`, { status: { phase: "Odd" } })).status).toBe(200);
  });

  test.each([
    ["PVC-36", "storage", 200],
    ["PVC-36", "example.com/x", 200],
    ["PVC-37", "foo", 422],
    ["PVC-37", "svc.io/foo", 422],
    ["PVC-37", "a.svc.io/foo", 422],
    ["PVC-37, DEC-61", "kubernetes.io/foo", 422],
    ["PVC-37, DEC-61", "k8s.io/foo", 422],
  ])("%s, PVC-39: the resource name %s answers %i", async (_, key, code) => {
    const { item } = await made();
    expect((await write(item, { allocatedResources: { [key]: "1Gi" } })).status).toBe(code);
    const statuses = await write(item, { allocatedResourceStatuses: { [key]: "NodeResizePending" } });
    expect(statuses.status).toBe(code);
  });

  test.each([
    ["CONV-2", "ControllerResizeInProgress", 200],
    ["AMB-47", "ControllerResizeFailed", 200],
    ["CONV-2", "NodeResizePending", 200],
    ["CONV-2", "NodeResizeInProgress", 200],
    ["AMB-47", "NodeResizeFailed", 200],
    ["AMB-47", "ControllerResizeInfeasible", 422],
    ["AMB-47", "NodeResizeInfeasible", 422],
    ["PVC-39", "Odd", 422],
  ])("%s, PVC-39: the resize state %s answers %i", async (_, state, code) => {
    const { item } = await made();
    expect((await write(item, { allocatedResourceStatuses: { storage: state } })).status).toBe(code);
  });

  test("AMB-47, kubernetes dialect: the states are called Infeasible", async () => {
    const { item } = await made({ accessModes: ["ReadWriteOnce"], ...size("1Gi") }, kube);
    const put = async (storage: string) =>
      (await kube.merge(`${item}/status`, { status: { allocatedResourceStatuses: { storage } } })).status;
    expect(await put("NodeResizeInfeasible")).toBe(200);
    expect(await put("NodeResizeFailed")).toBe(422);
  });

  const TIME = "2026-01-02T03:04:05Z";
  const CONDITION = {
    type: "Resizing",
    status: "True",
    lastProbeTime: TIME,
    lastTransitionTime: TIME,
    message: "m",
    reason: "Resizing",
  };

  test("PVC-44, PVC-45, PVC-46, PVC-47, DEC-42: conditions round-trip", async () => {
    const { item } = await made();
    expect((await write(item, { conditions: [CONDITION] })).at("status.conditions")).toEqual([CONDITION]);
    const custom = { type: "Custom", status: "Unknown" };
    expect((await write(item, { conditions: [custom] })).at("status.conditions")).toEqual([custom]);
  });

  test("PVC-42, MARK-14: conditions are merged by type", async () => {
    const { item } = await made();
    await write(item, { conditions: [CONDITION, { type: "Other", status: "True" }] });
    const conditions = [{ type: "Other", status: "False" }];
    const patched = await api.strategic(`${item}/status`, { status: { conditions } });
    expect(patched.at("status.conditions")).toEqual([CONDITION, { type: "Other", status: "False" }]);
    const mine = [{ type: "Mine", status: "True" }];
    const applied = await api.apply(`${item}/status`, "m", { ...META, status: { conditions: mine } });
    expect(applied.at("status.conditions")).toHaveLength(3);
    const gone = await api.apply(`${item}/status`, "m", { ...META, status: {} });
    expect(gone.at("status.conditions")).toHaveLength(2);
  });

  test.each([
    ["AMB-31, DEC-42", [{ status: "True" }]],
    ["AMB-31, DEC-42", [{ type: "A" }]],
    ["DEC-42", [{ type: "A", status: "Maybe" }]],
    [
      "AMB-42",
      [
        { type: "A", status: "True" },
        { type: "A", status: "False" },
      ],
    ],
  ])("%s: the conditions %j are refused", async (_, conditions) => {
    const { item } = await made();
    expect((await write(item, { conditions })).status).toBe(422);
  });
});

test("DEC-57: protection finalizers are added in the kubernetes dialect only", async () => {
  expect((await made()).answer.at("metadata.finalizers")).toBeUndefined();
  const { answer } = await made({ accessModes: ["ReadWriteOnce"], ...size("1Gi") }, kube);
  expect(answer.at("metadata.finalizers")).toEqual(["kubernetes.io/pvc-protection"]);
});
