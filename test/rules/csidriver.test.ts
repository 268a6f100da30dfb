/** CSIDriver: CSID-1..42 as far as the server alone shows them. */
import { describe, expect, test } from "vitest";
import { serve } from "./api.ts";
import { place } from "./resources.ts";

const api = serve();
const kube = serve({ dialect: "kubernetes" });
const off = serve({ "feature-gates": "MutableCSINodeAllocatableCount=false" });

const META = { apiVersion: "storage.svc.io/v1", kind: "CSIDriver" };
const DEFAULTS = {
  attachRequired: true,
  podInfoOnMount: false,
  storageCapacity: false,
  fsGroupPolicy: "ReadWriteOnceWithFSType",
  requiresRepublish: false,
  seLinuxMount: false,
  volumeLifecycleModes: ["Persistent"],
};

async function made(spec: object, target = api) {
  const at = place("CSIDriver");
  return { ...at, answer: await target.post(at.collection, { metadata: { name: at.name }, spec }) };
}

describe("defaults and values", () => {
  test.each([{}, { volumeLifecycleModes: [] }, { fsGroupPolicy: null, podInfoOnMount: null }])(
    "CSID-7, CSID-14, CSID-17, CSID-20, CSID-33, DEC-41: %j gets the defaults",
    async (spec) => {
      const { answer, item } = await made(spec);
      expect([answer.status, answer.at("spec")]).toEqual([201, DEFAULTS]);
      expect((await api.get(item)).at("spec")).toEqual(DEFAULTS);
    },
  );

  test("CONV-2: every field is stored as it was sent", async () => {
    const spec = {
      attachRequired: false,
      podInfoOnMount: true,
      storageCapacity: true,
      fsGroupPolicy: "File",
      requiresRepublish: true,
      seLinuxMount: true,
      volumeLifecycleModes: ["Ephemeral", "Persistent"],
      nodeAllocatableUpdatePeriodSeconds: 60,
      serviceAccountTokenInSecrets: true,
      tokenRequests: [{ audience: "" }, { audience: "a", expirationSeconds: 600 }],
    };
    expect((await made(spec)).answer.at("spec")).toEqual(spec);
  });

  test.each([
    ["CSID-7, DEC-41", { fsGroupPolicy: "Sometimes" }, "spec.fsGroupPolicy"],
    ["CSID-12, LIM-5", { nodeAllocatableUpdatePeriodSeconds: 9 }, "spec.nodeAllocatableUpdatePeriodSeconds"],
    ["CSID-32", { volumeLifecycleModes: ["Sometimes"] }, "spec.volumeLifecycleModes"],
    ["CSID-23, ERR-7", { serviceAccountTokenInSecrets: true }, "spec.serviceAccountTokenInSecrets"],
    ["CSID-23, ERR-7", { serviceAccountTokenInSecrets: false }, "spec.serviceAccountTokenInSecrets"],
    ["CSID-23", { serviceAccountTokenInSecrets: true, tokenRequests: [] }, "spec.serviceAccountTokenInSecrets"],
    ["LIM-6, ERR-7", { tokenRequests: [{ audience: "a" }, { audience: "a" }] }, "spec.tokenRequests[1].audience"],
    ["LIM-6", { tokenRequests: [{ audience: "" }, {}] }, "spec.tokenRequests[1].audience"],
    [
      "DEC-39",
      { tokenRequests: [{ audience: "a", expirationSeconds: 599 }] },
      "spec.tokenRequests[0].expirationSeconds",
    ],
  ])("%s: %j is refused", async (_, spec, field) => {
    const { answer, item } = await made(spec);
    expect(answer.status).toBe(422);
    expect(answer.fields.some((found) => found.startsWith(field))).toBe(true);
    expect((await api.get(item)).status).toBe(404);
  });

  test.each([
    ["CSID-12, LIM-5", { nodeAllocatableUpdatePeriodSeconds: 10 }],
    ["DEC-41", { fsGroupPolicy: "None" }],
    ["LIM-6", { tokenRequests: [{ audience: "" }, { audience: "a" }, { audience: "b" }] }],
    ["CSID-23", { serviceAccountTokenInSecrets: false, tokenRequests: [{ audience: "a" }] }],
    ["DEC-39", { tokenRequests: [{ audience: "a", expirationSeconds: 600 }] }],
  ])("%s: %j is accepted", async (_, spec) => {
    const { answer } = await made(spec);
    expect([answer.status, answer.at("spec")]).toEqual([201, { ...DEFAULTS, ...spec }]);
  });

  test("CSID-29, AMB-5: an absent audience is the empty one, an absent expiry stays absent", async () => {
    const { answer } = await made({ tokenRequests: [{}] });
    expect([answer.status, answer.at("spec.tokenRequests")]).toEqual([201, [{ audience: "" }]]);
  });

  test("DEC-39: object names are DNS subdomains", async () => {
    const post = (name: string) => api.post("/apis/storage.svc.io/v1/csidrivers", { metadata: { name }, spec: {} });
    expect((await post("A.example.com")).status).toBe(422);
    expect((await post("a.example.com")).status).toBe(201);
  });
});

describe("updates", () => {
  test.each([
    ["CSID-9, VER-9", { fsGroupPolicy: "File" }],
    ["CSID-13", { nodeAllocatableUpdatePeriodSeconds: 30 }],
    ["CSID-16, VER-9", { podInfoOnMount: true }],
    ["CSID-26, VER-9", { storageCapacity: true }],
    ["CSID-17", { requiresRepublish: true }],
    ["CONV-2", { seLinuxMount: true }],
    ["CSID-27", { tokenRequests: [{ audience: "x" }] }],
  ])("%s: %j may change", async (_, spec) => {
    const { item } = await made({ nodeAllocatableUpdatePeriodSeconds: 20 });
    const answer = await api.merge(item, { spec });
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.objectContaining({ spec: expect.objectContaining(spec) }),
    ]);
  });

  test.each([
    ["CSID-6", { attachRequired: false }, "spec.attachRequired"],
    ["CSID-36", { volumeLifecycleModes: ["Ephemeral"] }, "spec.volumeLifecycleModes"],
    ["CSID-36", { volumeLifecycleModes: ["Persistent", "Ephemeral"] }, "spec.volumeLifecycleModes"],
  ])("%s: %j may not change, by no kind of write", async (_, spec, field) => {
    const { item, answer } = await made({});
    const writes = [
      await api.merge(item, { spec }),
      await api.put(item, { ...answer.sendable, spec: { ...DEFAULTS, ...spec } }),
      await api.apply(item, "m", { ...META, spec }, { force: "true" }),
    ];
    for (const write of writes) expect([write.status, write.fields[0]]).toEqual([422, field]);
    expect((await api.get(item)).at("spec")).toEqual(DEFAULTS);
  });

  test("CSID-23: a patch may not leave serviceAccountTokenInSecrets without tokenRequests", async () => {
    const { item } = await made({ serviceAccountTokenInSecrets: true, tokenRequests: [{ audience: "a" }] });
    expect((await api.merge(item, { spec: { tokenRequests: null } })).status).toBe(422);
    const both = await api.merge(item, { spec: { tokenRequests: null, serviceAccountTokenInSecrets: null } });
    expect(both.status).toBe(200);
  });
});

describe("owners", () => {
  test("CSID-27: one manager has all of tokenRequests", async () => {
    const at = place("CSIDriver");
    const spec = (audience: string): object => ({ ...META, spec: { tokenRequests: [{ audience }] } });
    const applied = await api.apply(at.item, "a", spec("x"));
    expect(applied.owners).toEqual({ "a Apply": ["spec.tokenRequests"] });
    const conflict = await api.apply(at.item, "b", spec("y"));
    expect([conflict.status, conflict.causes]).toEqual([409, ["FieldManagerConflict .spec.tokenRequests"]]);
  });

  test("CSID-31: the modes are a set: entries have their own owners, duplicates are refused", async () => {
    const at = place("CSIDriver");
    const modes = (...volumeLifecycleModes: string[]): object => ({ ...META, spec: { volumeLifecycleModes } });
    await api.apply(at.item, "a", modes("Persistent", "Ephemeral"));
    const other = await api.apply(at.item, "b", modes("Ephemeral"));
    expect(other.owners).toEqual({
      "a Apply": ['spec.volumeLifecycleModes[v:"Ephemeral"]', 'spec.volumeLifecycleModes[v:"Persistent"]'],
      "b Apply": ['spec.volumeLifecycleModes[v:"Ephemeral"]'],
    });
    const doubled = await api.apply(at.item, "b", modes("Ephemeral", "Ephemeral"));
    expect([400, 422]).toContain(doubled.status);
  });
});

describe("gates", () => {
  test("CSID-13, LIM-5, DEC-38: without MutableCSINodeAllocatableCount the period is dropped with a warning", async () => {
    const { answer } = await made({ nodeAllocatableUpdatePeriodSeconds: 60 }, off);
    expect([answer.status, answer.at("spec")]).toEqual([201, DEFAULTS]);
    expect(answer.warnings).toEqual([
      expect.stringMatching(/nodeAllocatableUpdatePeriodSeconds.*MutableCSINodeAllocatableCount/),
    ]);
  });
});

describe("kubernetes dialect", () => {
  test("CSID-1, CONV-10: the group is storage.k8s.io; PUT wants a resourceVersion (DEC-31)", async () => {
    const items = "/apis/storage.k8s.io/v1/csidrivers";
    const answer = await kube.post(items, { metadata: { name: "d" }, spec: {} });
    expect(answer.status).toBe(201);
    expect(answer.at("apiVersion")).toBe("storage.k8s.io/v1");
    const put = await kube.put(`${items}/d`, { metadata: { name: "d" }, spec: DEFAULTS });
    expect([put.status, put.fields]).toEqual([422, ["metadata.resourceVersion"]]);
    expect((await kube.get("/apis/storage.svc.io/v1/csidrivers")).status).toBe(404);
  });
});
