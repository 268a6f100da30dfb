/** How lists, maps and structs of the built-in kinds are merged and owned: MARK-1..15, DEC-16, DEC-17, AMB-42. */
import { describe, expect, test } from "vitest";
import { expectStatus } from "./answer.ts";
import { fresh, serve } from "./api.ts";
import { place } from "./resources.ts";

const api = serve();

const MAP = { apiVersion: "v1", kind: "ConfigMap" };
const DRIVER = { apiVersion: "storage.svc.io/v1", kind: "CSIDriver" };
const NODE = { apiVersion: "storage.svc.io/v1", kind: "CSINode" };
const CLASS = { apiVersion: "storage.svc.io/v1", kind: "StorageClass" };
const EVENT = {
  apiVersion: "events.svc.io/v1",
  kind: "Event",
  eventTime: "2026-01-02T03:04:05.000006Z",
  action: "a",
  reason: "r",
  type: "Normal",
  reportingController: "c",
  reportingInstance: "i",
};

describe("apply", () => {
  test("MARK-1, MARK-2, MARK-15: an atomic list is a leaf with one manager, and is replaced as a whole", async () => {
    const at = place("CSIDriver");
    const body = (...audiences: string[]): object => ({
      ...DRIVER,
      spec: { tokenRequests: audiences.map((audience) => ({ audience, expirationSeconds: 600 })) },
    });
    const first = await api.apply(at.item, "a", body("x", "y"));
    expect(first.owners).toEqual({ "a Apply": ["spec.tokenRequests"] });
    expect((await api.apply(at.item, "b", body("x"))).status).toBe(409);
    const forced = await api.apply(at.item, "b", body("x"), { force: "true" });
    expect(forced.at("spec.tokenRequests")).toEqual([{ audience: "x", expirationSeconds: 600 }]);
    expect(forced.owners).toEqual({ "b Apply": ["spec.tokenRequests"] });
  });

  test("MARK-3, MARK-5, DEC-14: elements of a set are owned one by one; doubles and structs are refused", async () => {
    const at = place("ConfigMap");
    const body = (...finalizers: unknown[]): object => ({ ...MAP, metadata: { finalizers } });
    await api.apply(at.item, "a", body("x.io/a", "x.io/c"));
    const both = await api.apply(at.item, "b", body("x.io/b", "x.io/c"));
    expect([...(both.at("metadata.finalizers") as string[])].sort()).toEqual(["x.io/a", "x.io/b", "x.io/c"]);
    expect(both.owners).toEqual({
      "a Apply": ['metadata.finalizers[v:"x.io/a"]', 'metadata.finalizers[v:"x.io/c"]'],
      "b Apply": ['metadata.finalizers[v:"x.io/b"]', 'metadata.finalizers[v:"x.io/c"]'],
    });
    expect([400, 422]).toContain((await api.apply(at.item, "b", body("x.io/b", "x.io/b"))).status);
    expect([400, 422]).toContain((await api.apply(at.item, "b", body({ a: "b" }))).status);
    await api.apply(at.item, "a", body());
    await api.apply(at.item, "b", body());
  });

  test("MARK-4, MARK-5, MARK-6, DEC-14: entries of a keyed list are owned one by one; equal keys are refused", async () => {
    const at = place("CSINode");
    const body = (...names: string[]): object => ({
      ...NODE,
      spec: { drivers: names.map((name) => ({ name, nodeID: `id-${name}` })) },
    });
    await api.apply(at.item, "a", body("x"));
    const both = await api.apply(at.item, "b", body("y"));
    expect(both.at("spec.drivers")).toEqual([
      { name: "x", nodeID: "id-x" },
      { name: "y", nodeID: "id-y" },
    ]);
    expect(both.owners["b Apply"]).toEqual([
      'spec.drivers[k:{"name":"y"}].name',
      'spec.drivers[k:{"name":"y"}].nodeID',
      'spec.drivers[k:{"name":"y"}]/',
    ]);
    expect([400, 422]).toContain((await api.apply(at.item, "b", body("y", "y"))).status);
    const keyless = { ...NODE, spec: { drivers: [{ nodeID: "n" }] } };
    expect([400, 422]).toContain((await api.apply(at.item, "b", keyless)).status);
  });

  test("MARK-6, MARK-8: two key fields together tell entries apart", async () => {
    const ns = fresh("ns");
    const item = `/api/v1/namespaces/${ns}/services/s`;
    const body = (...ports: object[]): object => ({ apiVersion: "v1", kind: "Service", spec: { ports } });
    const tcp = { name: "t", port: 53, protocol: "TCP" };
    const udp = { name: "u", port: 53, protocol: "UDP" };
    await api.apply(item, "a", body(tcp));
    const both = await api.apply(item, "b", body(udp));
    expectStatus(both, 200);
    expect(both.at("spec.ports")).toEqual([expect.objectContaining(tcp), expect.objectContaining(udp)]);
    expect(JSON.stringify(both.owners["b Apply"])).toContain('{\\"port\\":53,\\"protocol\\":\\"UDP\\"}');
  });

  test("MARK-10, MARK-12: a granular map is owned key by key", async () => {
    const at = place("ConfigMap");
    await api.apply(at.item, "a", { ...MAP, data: { a: "1" }, metadata: { labels: { a: "1" } } });
    const both = await api.apply(at.item, "b", { ...MAP, data: { b: "1" }, metadata: { labels: { b: "1" } } });
    expect(both.owners).toEqual({
      "a Apply": ["data.a", "metadata.labels.a"],
      "b Apply": ["data.b", "metadata.labels.b"],
    });
  });

  test("MARK-11, DEC-16: an atomic map is one leaf", async () => {
    const item = `/api/v1/namespaces/${fresh("ns")}/pods/p`;
    const body = (nodeSelector: object): object => ({
      apiVersion: "v1",
      kind: "Pod",
      spec: { containers: [{ name: "c", image: "i" }], nodeSelector },
    });
    const made = await api.apply(item, "a", body({ x: "1", y: "2" }));
    expect(made.owners["a Apply"]).toContain("spec.nodeSelector");
    expect((await api.apply(item, "b", body({ x: "1" }))).status).toBe(409);
  });

  test.each<[string, object, object, string]>([
    ["ObjectReference", { regarding: { kind: "Pod", name: "p" } }, { regarding: { name: "p" } }, "regarding"],
    ["ObjectReference", { related: { kind: "Pod" } }, { related: { kind: "Pod", name: "q" } }, "related"],
  ])("MARK-13, DEC-16: an atomic struct has one owner (%s)", async (_, first, second, field) => {
    const at = place("Event");
    const made = await api.apply(at.item, "a", { ...EVENT, ...first });
    expect(made.owners["a Apply"]).toContain(field);
    const conflict = await api.apply(at.item, "b", { apiVersion: EVENT.apiVersion, kind: "Event", ...second });
    expect([conflict.status, conflict.causes]).toEqual([409, [`FieldManagerConflict .${field}`]]);
  });

  test("MARK-13, DEC-16: a selector has one owner", async () => {
    const at = place("CSIStorageCapacity");
    const body = { apiVersion: "storage.svc.io/v1", kind: "CSIStorageCapacity", storageClassName: "c" };
    const made = await api.apply(at.item, "a", { ...body, nodeTopology: { matchLabels: { a: "b" } } });
    expect(made.owners["a Apply"]).toEqual(["nodeTopology", "storageClassName"]);
  });

  test("MARK-13, DEC-7: dataSource has one owner, dataSourceRef one for each member", async () => {
    const at = place("PersistentVolumeClaim");
    const source = { kind: "PersistentVolumeClaim", name: "p" };
    const spec = { dataSource: source, dataSourceRef: source };
    const made = await api.apply(at.item, "a", { apiVersion: "v1", kind: "PersistentVolumeClaim", spec });
    expect(made.owners["a Apply"]).toEqual(["spec.dataSource", "spec.dataSourceRef.kind", "spec.dataSourceRef.name"]);
  });

  test("MARK-15: below an atomic list nothing is owned separately", async () => {
    const at = place("StorageClass");
    const allowedTopologies = [{ matchLabelExpressions: [{ key: "k", values: ["v"] }] }];
    const made = await api.apply(at.item, "a", { ...CLASS, allowedTopologies });
    expect(made.owners).toEqual({ "a Apply": ["allowedTopologies"] });
  });

  test("DEC-16: owners of an object are distinguished by uid", async () => {
    const at = place("ConfigMap");
    const owner = (uid: string): object => ({ apiVersion: "v1", kind: "Node", name: "n", uid });
    const body = (...uids: string[]): object => ({ ...MAP, metadata: { ownerReferences: uids.map(owner) } });
    await api.apply(at.item, "a", body("1"));
    const both = await api.apply(at.item, "b", body("2"));
    expect(both.at("metadata.ownerReferences")).toEqual([owner("1"), owner("2")]);
    expect(both.owners["b Apply"]).toEqual(['metadata.ownerReferences[k:{"uid":"2"}]']);
    expect([400, 422]).toContain((await api.apply(at.item, "b", body("2", "2"))).status);
  });
});

describe("strategic merge patch", () => {
  const two = {
    spec: {
      drivers: [
        { name: "x", nodeID: "1" },
        { name: "y", nodeID: "2", topologyKeys: ["a", "b"] },
      ],
    },
  };
  const node = async () => {
    const at = place("CSINode");
    await api.post(at.collection, { metadata: { name: at.name }, ...two });
    return (drivers: unknown) => api.strategic(at.item, { spec: { drivers } });
  };

  test("MARK-14, DEC-17: keyed lists are merged by their key", async () => {
    const patch = await node();
    const answer = await patch([{ name: "y", nodeID: "3" }]);
    expect(answer.at("spec.drivers")).toEqual([
      { name: "x", nodeID: "1" },
      { name: "y", nodeID: "3", topologyKeys: ["a", "b"] },
    ]);
  });

  test("MARK-14: atomic lists are replaced", async () => {
    const patch = await node();
    const answer = await patch([{ name: "y", topologyKeys: ["c"] }]);
    expect(answer.at("spec.drivers.1.topologyKeys")).toEqual(["c"]);
  });

  test("DEC-17: $patch delete and replace", async () => {
    const patch = await node();
    expect((await patch([{ $patch: "delete", name: "x" }])).at("spec.drivers")).toHaveLength(1);
    const replaced = await patch([{ $patch: "replace" }, { name: "z", nodeID: "9" }]);
    expect(replaced.at("spec.drivers")).toEqual([{ name: "z", nodeID: "9" }]);
    expect((await patch([{ $patch: "merge", name: "z" }])).status).toBe(400);
    expect((await patch([{ nodeID: "keyless" }])).status).toBeGreaterThanOrEqual(400);
  });

  test("DEC-17: $setElementOrder orders, $deleteFromPrimitiveList deletes, $retainKeys keeps", async () => {
    const at = place("CSINode");
    await api.post(at.collection, { metadata: { name: at.name, finalizers: ["x.io/a", "x.io/b"] }, ...two });
    const ordered = await api.strategic(at.item, {
      spec: { "$setElementOrder/drivers": [{ name: "y" }, { name: "x" }], drivers: [{ name: "x", nodeID: "5" }] },
    });
    expect((ordered.at("spec.drivers") as { name: string }[]).map((d) => d.name)).toEqual(["y", "x"]);
    const removed = await api.strategic(at.item, { metadata: { "$deleteFromPrimitiveList/finalizers": ["x.io/a"] } });
    expect(removed.at("metadata.finalizers")).toEqual(["x.io/b"]);
    const item = `/api/v1/namespaces/${fresh("ns")}/pods`;
    await api.post(item, {
      metadata: { name: "p" },
      spec: { containers: [{ name: "c", image: "i" }], volumes: [{ name: "v", emptyDir: {} }] },
    });
    const dry = await api.strategic(
      `${item}/p`,
      { spec: { volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/p" } }] } },
      { dryRun: "All" },
    );
    // The volumes of a Pod do not change; what matters is that the patch left one source only.
    expect(dry.text).not.toContain("more than 1");
  });
});

describe("writes that are no apply", () => {
  test("AMB-42: a double in a set is stored by PUT and POST", async () => {
    const at = place("ConfigMap");
    const finalizers = ["x.io/a", "x.io/a"];
    const made = await api.post(at.collection, { metadata: { name: at.name, finalizers } });
    expect([made.status, made.at("metadata.finalizers")]).toEqual([201, finalizers]);
  });

  test("AMB-42: doubles in keyed lists with their own rule are refused by every write", async () => {
    const at = place("CSINode");
    const drivers = [
      { name: "x", nodeID: "1" },
      { name: "x", nodeID: "2" },
    ];
    expect((await api.post(at.collection, { metadata: { name: at.name }, spec: { drivers } })).status).toBe(422);
    await api.post(at.collection, { metadata: { name: at.name }, spec: { drivers: [] } });
    expect((await api.put(at.item, { metadata: { name: at.name }, spec: { drivers } })).status).toBe(422);
    expect((await api.merge(at.item, { spec: { drivers } })).status).toBe(422);
  });
});
