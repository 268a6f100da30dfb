/** Who owns which field, told as stories of writes: OWN-1..17, TOPO-5, TOPO-6. */
import { describe, expect, test } from "vitest";
import { entriesOf, expectStatus } from "./answer.ts";
import { serve } from "./api.ts";
import { CANDIDATE, place } from "./resources.ts";

const api = serve();
const kube = serve({ dialect: "kubernetes", "feature-gates": "CoordinatedLeaderElection=true" });

/** A ConfigMap of its own, with short ways to write its data. */
function map() {
  const at = place("ConfigMap");
  const body = (data?: object, metadata?: object): object => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    ...(data && { data }),
    ...(metadata && { metadata }),
  });
  return {
    ...at,
    create: (data: object, fieldManager: string) =>
      api.post(at.collection, { metadata: { name: at.name }, data }, { fieldManager }),
    apply: (manager: string, data?: object, metadata?: object) => api.apply(at.item, manager, body(data, metadata)),
    force: (manager: string, data: object) => api.apply(at.item, manager, body(data), { force: "true" }),
    update: (manager: string, data: object) => api.merge(at.item, { data }, { fieldManager: manager }),
    get: () => api.get(at.item),
  };
}

test("OWN-1, CONV-7: two managers of different keys own only theirs", async () => {
  const cm = map();
  await cm.apply("a", { x: "1" });
  const both = await cm.apply("b", { y: "2" });
  expect([both.at("data"), both.owners]).toEqual([
    { x: "1", y: "2" },
    { "a Apply": ["data.x"], "b Apply": ["data.y"] },
  ]);
});

describe("conflicts", () => {
  test("OWN-2, OWN-3, ERR-2, DEC-20, APPLY-15: another value of another's field is refused, nothing is stored", async () => {
    const cm = map();
    await cm.apply("a", { x: "1" });
    const before = await cm.get();
    const conflict = await cm.apply("b", { x: "2", z: "3" });
    expect(conflict.status).toBe(409);
    expect(conflict.body).toMatchObject({ kind: "Status", status: "Failure", reason: "Conflict", code: 409 });
    expect(conflict.causes).toEqual(["FieldManagerConflict .data.x"]);
    expect(String(conflict.at("details.causes.0.message"))).toContain('"a"');
    expect(String(conflict.body["message"])).toContain(".data.x");
    expect((await cm.get()).body).toEqual(before.body);
  });

  test("OWN-2, DEC-20: there is a cause for every field and manager", async () => {
    const cm = map();
    await cm.apply("a", { x: "1", y: "1" });
    await cm.apply("b", { y: "1" });
    const conflict = await cm.apply("c", { x: "2", y: "2" });
    expect(conflict.causes).toEqual([
      "FieldManagerConflict .data.x",
      "FieldManagerConflict .data.y",
      "FieldManagerConflict .data.y",
    ]);
  });

  test("OWN-4, OWN-5, OWN-15, APPLY-5: force takes the field from every other owner", async () => {
    const cm = map();
    await cm.create({ x: "1", k: "1" }, "u");
    await cm.apply("a", { x: "1" });
    const forced = await cm.force("b", { x: "2" });
    expect([forced.status, forced.at("data.x")]).toEqual([200, "2"]);
    expect(forced.owners).toEqual({ "b Apply": ["data.x"], "u Update": ["data.k", "data/"] });
  });

  test("OWN-4, DEC-18: only a true force forces", async () => {
    const cm = map();
    await cm.apply("a", { x: "1" });
    const body = { apiVersion: "v1", kind: "ConfigMap", data: { x: "2" } };
    for (const force of ["false", "0", "FALSE"]) {
      expect((await api.apply(cm.item, "b", body, { force })).status).toBe(409);
    }
    expect((await api.apply(cm.item, "b", body, { force: "1" })).status).toBe(200);
  });
});

describe("sharing", () => {
  test("OWN-6, OWN-17, TOPO-5: applying the stored value makes a co-owner", async () => {
    const cm = map();
    await cm.apply("a", { x: "1" });
    const shared = await cm.apply("b", { x: "1" });
    expect([shared.status, shared.owners]).toEqual([200, { "a Apply": ["data.x"], "b Apply": ["data.x"] }]);
  });

  test("OWN-7: from then on every change by an applier conflicts, co-owners included", async () => {
    const cm = map();
    await cm.apply("a", { x: "1" });
    await cm.apply("b", { x: "1" });
    for (const [manager, names] of Object.entries({ a: ["b"], b: ["a"], c: ["a", "b"] })) {
      const conflict = await cm.apply(manager, { x: "2" });
      expect(conflict.status).toBe(409);
      for (const name of names) expect(String(conflict.body["message"])).toContain(`"${name}"`);
    }
    expect((await cm.get()).at("data.x")).toBe("1");
  });

  test("OWN-8, OWN-16, TOPO-6, APPLY-14: a co-owner that leaves the field out gives it up; the value stays", async () => {
    const cm = map();
    await cm.apply("a", { x: "1", y: "1" });
    await cm.apply("b", { x: "1" });
    const released = await cm.apply("a", { y: "1" });
    expect(released.at("data")).toEqual({ x: "1", y: "1" });
    expect(released.owners).toEqual({ "a Apply": ["data.y"], "b Apply": ["data.x"] });
    expect((await cm.apply("b", { x: "2" })).at("data.x")).toBe("2");
  });

  test("OWN-6, OWN-8: an updater can be the other owner", async () => {
    const cm = map();
    await cm.create({ x: "1" }, "u");
    await cm.apply("a", { x: "1" });
    const released = await cm.apply("a");
    expect([released.at("data"), released.owners]).toEqual([{ x: "1" }, { "u Update": ["data.x", "data/"] }]);
  });

  test("OWN-6, DEC-9: two spellings of a quantity are one value; not so in the kubernetes dialect", async () => {
    const at = place("CSIStorageCapacity");
    const body = (capacity: string, domain: string): object => ({
      apiVersion: `storage.${domain}/v1`,
      kind: "CSIStorageCapacity",
      storageClassName: "c",
      capacity,
    });
    await api.apply(at.item, "a", body("1Gi", "svc.io"));
    const shared = await api.apply(at.item, "b", body("1024Mi", "svc.io"));
    expect([shared.status, shared.owners["b Apply"]]).toEqual([200, ["capacity", "storageClassName"]]);
    const item = `/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities/c`;
    await kube.apply(item, "a", { ...body("1Gi", "k8s.io"), metadata: { name: "c" } });
    expect((await kube.apply(item, "b", { ...body("1024Mi", "k8s.io"), metadata: { name: "c" } })).status).toBe(409);
  });
});

describe("leaving out", () => {
  test("OWN-9, APPLY-14, APPLY-21: what only its applier owned is removed", async () => {
    const cm = map();
    await cm.apply("a", { x: "1", y: "1" });
    const left = await cm.apply("a", { y: "1" });
    expect([left.at("data"), left.owners]).toEqual([{ y: "1" }, { "a Apply": ["data.y"] }]);
  });

  test("OWN-9, DEC-22: an empty intent gives up everything", async () => {
    const cm = map();
    await cm.create({ kept: "1" }, "u");
    await cm.apply("a", { x: "1" }, { labels: { l: "1" } });
    const nothing = await cm.apply("a");
    expect([nothing.at("data"), nothing.at("metadata.labels")]).toEqual([{ kept: "1" }, undefined]);
    expect(nothing.owners).toEqual({ "u Update": ["data.kept", "data/"] });
  });

  test("OWN-10: what has a default becomes the default", async () => {
    const at = place("CSIDriver");
    const meta = { apiVersion: "storage.svc.io/v1", kind: "CSIDriver" };
    await api.apply(at.item, "a", { ...meta, spec: { fsGroupPolicy: "File", podInfoOnMount: true } });
    const left = await api.apply(at.item, "a", { ...meta, spec: {} });
    expectStatus(left, 200);
    expect([left.at("spec.fsGroupPolicy"), left.at("spec.podInfoOnMount")]).toEqual(["ReadWriteOnceWithFSType", false]);
  });

  test("OWN-11: so go labels, entries of keyed lists and elements of sets", async () => {
    const cm = map();
    const owner = (uid: string): object => ({ apiVersion: "v1", kind: "Node", name: uid, uid });
    await cm.create({ k: "1" }, "u");
    await cm.apply("other", undefined, { labels: { b: "2" }, finalizers: ["x.io/b"], ownerReferences: [owner("b")] });
    await cm.apply("a", undefined, { labels: { a: "1" }, finalizers: ["x.io/a"], ownerReferences: [owner("a")] });
    const left = await cm.apply("a");
    expect(left.at("metadata.labels")).toEqual({ b: "2" });
    expect(left.at("metadata.finalizers")).toEqual(["x.io/b"]);
    expect(left.at("metadata.ownerReferences")).toEqual([owner("b")]);
  });

  test("OWN-8, APPLY-22: fields from before the first apply stay", async () => {
    const cm = map();
    await cm.create({ x: "1" }, "u");
    await cm.apply("a", { y: "1" });
    expect((await cm.apply("a", {})).at("data")).toEqual({ x: "1" });
  });
});

describe("other writes", () => {
  test("OWN-12, OWN-13, AMB-40, APPLY-16: a changed value moves to the writer, a repeated one does not", async () => {
    const cm = map();
    await cm.apply("a", { x: "1", y: "1" });
    const updated = await cm.update("u", { x: "2", y: "1" });
    expect([updated.status, updated.at("data")]).toEqual([200, { x: "2", y: "1" }]);
    expect(updated.owners).toEqual({ "a Apply": ["data.y"], "u Update": ["data.x"] });
  });

  test("OWN-12, OWN-13: PUT, JSON patch and strategic patch alike", async () => {
    const cm = map();
    await cm.apply("a", { w: "1", x: "1", y: "1", z: "1" });
    const put = await api.put(
      cm.item,
      { metadata: { name: cm.name }, data: { w: "1", x: "p", y: "1", z: "1" } },
      { fieldManager: "p" },
    );
    expect(put.owners).toEqual({ "a Apply": ["data.w", "data.y", "data.z"], "p Update": ["data.x"] });
    await api.jsonPatch(cm.item, [{ op: "replace", path: "/data/y", value: "j" }], { fieldManager: "j" });
    const last = await api.strategic(cm.item, { data: { z: "s" } }, { fieldManager: "s" });
    expect(last.owners).toEqual({
      "a Apply": ["data.w"],
      "p Update": ["data.x"],
      "j Update": ["data.y"],
      "s Update": ["data.z"],
    });
  });

  test("OWN-12: a removed field has no owner", async () => {
    const cm = map();
    await cm.apply("a", { x: "1", y: "1" });
    const removed = await cm.update("u", { x: null });
    expect(removed.owners["a Apply"]).toEqual(["data.y"]);
    expect((await cm.apply("b", { x: "new" })).status).toBe(200);
  });

  test("OWN-14, DEC-20: an applier conflicts with an updater, and gets its version", async () => {
    const cm = map();
    await cm.create({ x: "1" }, "u");
    const conflict = await cm.apply("a", { x: "2" });
    expect([conflict.status, conflict.causes]).toEqual([409, ["FieldManagerConflict .data.x"]]);
    expect(String(conflict.at("details.causes.0.message"))).toMatch(/"u".*v1/);
  });

  test("OWN-14: an applier that lost a field to an updater conflicts as well", async () => {
    const cm = map();
    await cm.apply("a", { x: "1" });
    await cm.update("u", { x: "2" });
    expect((await cm.apply("a", { x: "1" })).status).toBe(409);
    expect((await cm.apply("a", { x: "2" })).owners).toEqual({ "a Apply": ["data.x"], "u Update": ["data.x"] });
  });

  test("OWN-15: the first way out is force", async () => {
    const cm = map();
    await cm.create({ x: "1" }, "u");
    const forced = await cm.force("a", { x: "2" });
    expect(forced.owners).toEqual({ "a Apply": ["data.x"], "u Update": ["data"] });
  });

  test("OWN-16: the second is to leave the field to its owner", async () => {
    const cm = map();
    await cm.create({ x: "1" }, "u");
    const left = await cm.apply("a", { y: "1" });
    expect([left.status, left.at("data.x"), left.owners["a Apply"]]).toEqual([200, "1", ["data.y"]]);
  });

  test("OWN-17: the third is to apply the value that is there", async () => {
    const cm = map();
    await cm.create({ x: "1" }, "u");
    const shared = await cm.apply("a", { x: "1" });
    expect(shared.owners).toEqual({ "a Apply": ["data.x"], "u Update": ["data.x", "data/"] });
  });

  test("OWN-12: a status write takes what it changes, under its own entry", async () => {
    const at = place("PersistentVolume");
    await api.post(
      at.collection,
      { metadata: { name: at.name }, spec: { hostPath: { path: "/p" } } },
      { fieldManager: "c" },
    );
    const status = await api.merge(`${at.item}/status`, { status: { phase: "Available" } }, { fieldManager: "c" });
    expect(entriesOf(status.body).map((e) => [e.manager, e.operation, e.subresource])).toEqual([
      ["c", "Update", undefined],
      ["c", "Update", "status"],
    ]);
    expect(status.owners["c Update status"]).toContain("status.phase");
  });
});

test("OWN-1, APPLY-19: one manager that changes its version keeps one Apply entry", async () => {
  const at = place("LeaseCandidate");
  const item = at.item.replace("svc.io", "k8s.io");
  await kube.post("/api/v1/namespaces", { metadata: { name: at.ns } });
  const body = (version: string): object => ({
    apiVersion: `coordination.k8s.io/${version}`,
    kind: "LeaseCandidate",
    spec: CANDIDATE,
  });
  const versions = ["v1beta1"];
  for (const version of ["v1alpha2"]) {
    if ((await kube.get(`/apis/coordination.k8s.io/${version}`)).status === 200) versions.push(version);
  }
  let last = await kube.apply(item, "a", { ...body("v1beta1"), metadata: { name: at.name } });
  for (const version of versions.slice(1))
    last = await kube.apply(item.replace("v1beta1", version), "a", body(version));
  expect(entriesOf(last.body)).toHaveLength(1);
  expect(entriesOf(last.body)[0]!.apiVersion).toBe(`coordination.k8s.io/${versions.at(-1)}`);
});
