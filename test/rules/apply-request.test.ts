/** The request of an apply, and its result: APPLY-1..24, ERR-3, ERR-6, DEC-22. */
import { describe, expect, test } from "vitest";
import { APPLY, fresh, serve } from "./api.ts";
import { entriesOf, expectStatus } from "./answer.ts";
import { RESOURCES, collection, objectOf, place } from "./resources.ts";

const api = serve();
const kube = serve({ dialect: "kubernetes" });

const META = { apiVersion: "v1", kind: "ConfigMap" };

describe.each(RESOURCES)("$kind", (r) => {
  const at = () => {
    const ns = fresh("ns");
    const name = fresh("n");
    return { name, item: `${collection(r, ns)}/${name}`, items: collection(r, ns) };
  };

  test("APPLY-4, AMB-2, PAR-5, PAR-17: an apply without a fieldManager is refused and stores nothing", async () => {
    const { item, name } = at();
    const answer = await api.patch(item, APPLY, objectOf(r, name));
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ reason: "Invalid" });
    expect(answer.text).toContain("fieldManager");
    expect((await api.patch(item, APPLY, objectOf(r, name), { fieldManager: "" })).status).toBe(422);
    expect((await api.get(item)).status).toBe(404);
  });

  test("APPLY-1, APPLY-2, APPLY-6, APPLY-8, APPLY-9, CONV-15: it creates, with defaults, and then changes", async () => {
    const { item, items, name } = at();
    const created = await api.apply(item, "m", objectOf(r, name));
    expectStatus(created, 201);
    expect(created.body).toMatchObject({ kind: r.kind, metadata: { name } });
    const posted = await api.post(items, objectOf(r, `${name}-2`));
    const own = (body: object): unknown =>
      JSON.parse(JSON.stringify({ ...body, metadata: {} }).replace(/20\d\d-[^"]*Z/g, "T"));
    expect(own(created.body)).toEqual(own(posted.body));
    const { apiVersion, kind } = r;
    const changed = await api.apply(item, "other", { apiVersion, kind, metadata: { labels: { a: "1" } } });
    expect([changed.status, changed.at("metadata.labels")]).toEqual([200, { a: "1" }]);
    expect(changed.body).toMatchObject(r.minimal);
  });

  test("APPLY-7, ERR-6: a body with managedFields is refused", async () => {
    const { item, name } = at();
    for (const managedFields of [[], [{}], [{ manager: "x" }]]) {
      const answer = await api.apply(item, "m", objectOf(r, name, { managedFields }));
      expect([answer.status, answer.body["reason"]]).toEqual([400, "BadRequest"]);
    }
    expect((await api.get(item)).status).toBe(404);
  });
});

describe("media type and body", () => {
  test("APPLY-2, APPLY-3: YAML and JSON are taken under the one type", async () => {
    const at = place("ConfigMap");
    const yaml = 'apiVersion: v1\nkind: ConfigMap\ndata:\n  # a remark\n  a: "1"\n  b: |\n    two\n    lines\n';
    const made = await api.apply(at.item, "m", yaml);
    expect([made.status, made.at("data")]).toEqual([201, { a: "1", b: "two\nlines\n" }]);
    const json = await api.apply(at.item, "m", JSON.stringify({ ...META, data: { a: 'x\n\t"ä\\' } }));
    expect([json.status, json.at("data")]).toEqual([200, { a: 'x\n\t"ä\\' }]);
  });

  test("APPLY-1: no other method applies", async () => {
    const at = place("ConfigMap");
    const body = JSON.stringify({ ...META, metadata: { name: at.name } });
    const headers = { "content-type": APPLY };
    for (const method of ["PUT", "POST"]) {
      const path = method === "POST" ? at.collection : at.item;
      expect((await api.send(method, path, body, { headers, query: { fieldManager: "m" } })).status).toBe(415);
    }
  });

  test.each([
    ["no YAML", "a: [b"],
    ["no object", "[]"],
    ["a text", '"x"'],
    ["nothing", ""],
    ["null", "null"],
    ["no kind", JSON.stringify({ apiVersion: "v1" })],
    ["no apiVersion", JSON.stringify({ kind: "ConfigMap" })],
    ["another kind", JSON.stringify({ ...META, kind: "Secret" })],
    ["another version", JSON.stringify({ ...META, apiVersion: "v2" })],
    ["another name", JSON.stringify({ ...META, metadata: { name: "other" } })],
    ["another namespace", JSON.stringify({ ...META, metadata: { namespace: "other" } })],
    ["an undeclared field", JSON.stringify({ ...META, spec: {} })],
    ["an undeclared member", JSON.stringify({ ...META, metadata: { colour: "red" } })],
  ])("DEC-22, DEC-18: a body with %s is 400", async (_, body) => {
    const at = place("ConfigMap");
    await api.post(at.collection, { metadata: { name: at.name } });
    expect((await api.apply(at.item, "m", body)).status).toBe(400);
  });

  test.each(["Ignore", "Warn", "Strict"])(
    "DEC-24: undeclared fields are refused also under %s",
    async (fieldValidation) => {
      const at = place("ConfigMap");
      expect((await api.apply(at.item, "m", { ...META, spec: {} }, { fieldValidation })).status).toBe(400);
    },
  );

  test("DEC-22: the name comes from the path, also when the apply creates", async () => {
    const at = place("ConfigMap");
    const made = await api.apply(at.item, "m", { ...META, data: { a: "1" } });
    expect([made.status, made.at("metadata.name"), made.at("metadata.namespace")]).toEqual([201, at.name, at.ns]);
    const other = await kube.apply("/api/v1/namespaces/default/configmaps/x", "m", META);
    expect(other.status).toBe(400);
  });

  test("DEC-22: null is as if it were absent", async () => {
    const at = place("ConfigMap");
    await api.apply(at.item, "m", { ...META, data: { a: "1", b: "2" } });
    const left = await api.apply(at.item, "m", { ...META, data: { a: "1" }, binaryData: null });
    expect([left.at("data"), left.owners]).toEqual([{ a: "1" }, { "m Apply": ["data.a"] }]);
    const none = await api.apply(at.item, "m", { ...META, data: null });
    expect([none.at("data"), none.owners]).toEqual([undefined, {}]);
  });

  test("APPLY-20, DEC-22: no version is needed; one that is sent is checked", async () => {
    const at = place("ConfigMap");
    const made = await api.apply(at.item, "m", { ...META, data: { a: "1" } });
    const { resourceVersion, uid } = made;
    await api.apply(at.item, "m", { ...META, data: { a: "2" } });
    const body = (metadata: object): object => ({ ...META, metadata, data: { a: "3" } });
    expect((await api.apply(at.item, "m", body({ resourceVersion }))).status).toBe(409);
    expect((await api.apply(at.item, "m", body({ uid: "other" }))).status).toBe(409);
    const now = (await api.get(at.item)).resourceVersion;
    const done = await api.apply(at.item, "m", body({ uid, resourceVersion: now }));
    expect([done.status, done.at("data.a"), done.owners]).toEqual([200, "3", { "m Apply": ["data.a"] }]);
    const missing = place("ConfigMap");
    expect((await api.apply(missing.item, "m", body({ resourceVersion }))).status).toBe(409);
  });
});

describe("validity", () => {
  const capacity = { apiVersion: "storage.svc.io/v1", kind: "CSIStorageCapacity" };

  test("APPLY-12, ERR-3: an intent that makes no valid object is 422 and stores nothing", async () => {
    const at = place("CSIStorageCapacity");
    expect((await api.apply(at.item, "m", { ...capacity, capacity: "1Gi" })).status).toBe(422);
    expect((await api.get(at.item)).status).toBe(404);
    await api.apply(at.item, "m", { ...capacity, storageClassName: "c", capacity: "1Gi" });
    const before = await api.get(at.item);
    expect((await api.apply(at.item, "m", { ...capacity, storageClassName: "c", capacity: "-1" })).status).toBe(422);
    expect((await api.apply(at.item, "m", { ...capacity, capacity: "1Gi" })).status).toBe(422);
    expect((await api.get(at.item)).body).toEqual(before.body);
  });

  test("APPLY-6: what is stored already need not be said again by another manager", async () => {
    const at = place("CSIStorageCapacity");
    await api.apply(at.item, "m", { ...capacity, storageClassName: "c" });
    const other = await api.apply(at.item, "o", { ...capacity, capacity: "1Gi" });
    expect([other.status, other.at("storageClassName"), other.at("capacity")]).toEqual([200, "c", "1Gi"]);
  });

  test("APPLY-13, APPLY-15: the body wins where both define a value; one conflict stops all of it", async () => {
    const at = place("ConfigMap");
    await api.apply(at.item, "a", { ...META, data: { a: "1", b: "1" } });
    expect((await api.apply(at.item, "a", { ...META, data: { a: "2", b: "1" } })).at("data")).toEqual({
      a: "2",
      b: "1",
    });
    const conflict = await api.apply(at.item, "b", { ...META, data: { a: "3", new: "1" }, immutable: true });
    expect(conflict.status).toBe(409);
    expect((await api.get(at.item)).body).not.toHaveProperty("immutable");
  });

  test("APPLY-12: a value of the wrong type is refused", async () => {
    const at = place("ConfigMap");
    const answer = await api.apply(at.item, "m", { ...META, data: { a: [1] } });
    expect([400, 422]).toContain(answer.status);
    expect(answer.text).toContain("data");
  });
});

describe("managers", () => {
  test("APPLY-16, APPLY-18, PAR-5: PUT needs no fieldManager", async () => {
    const at = place("ConfigMap");
    await api.apply(at.item, "a", { ...META, data: { a: "1" } });
    const put = await api.put(at.item, { metadata: { name: at.name }, data: { a: "2" } });
    expect([put.status, put.at("data.a")]).toEqual([200, "2"]);
  });

  test("APPLY-17: without one, the user agent names the manager", async () => {
    const at = place("ConfigMap");
    const headers = { "user-agent": "foo/1.2 (linux)" };
    const made = await api.post(at.collection, { metadata: { name: at.name }, data: { a: "1" } }, {}, headers);
    expect(entriesOf(made.body).map((e) => e.manager)).toEqual(["foo"]);
    const put = await api.put(at.item, { metadata: { name: at.name }, data: { a: "2" } }, {}, { "user-agent": "bar" });
    expect(put.owners).toMatchObject({ "bar Update": ["data.a"] });
  });

  test("APPLY-19: the entry follows the version of the last apply", async () => {
    const at = place("LeaseCandidate");
    const spec = { leaseName: "l", binaryVersion: "1.0.0", strategy: "x.io/y" };
    const body = { apiVersion: "coordination.svc.io/v1beta1", kind: "LeaseCandidate", spec };
    await api.apply(at.item, "m", body);
    const again = await api.apply(at.item, "m", { ...body, metadata: { labels: { a: "b" } } });
    const entries = entriesOf(again.body);
    expect(entries.map((e) => e.apiVersion)).toEqual(["coordination.svc.io/v1beta1"]);
  });
});

describe("the status path", () => {
  test("APPLY-24, DEC-22, DEC-33: status on the item and spec on the status path are dropped", async () => {
    const at = place("PersistentVolume");
    const body = (spec: object, status: object): object => ({
      apiVersion: "v1",
      kind: "PersistentVolume",
      spec,
      status,
    });
    const source = { hostPath: { path: "/p" } };
    const made = await api.apply(at.item, "m", body(source, { phase: "Bound" }));
    expect([made.status, made.at("status.phase")]).toEqual([201, "Pending"]);
    expect(made.owners["m Apply"]!.some((path) => path.startsWith("status"))).toBe(false);
    const status = await api.apply(`${at.item}/status`, "m", body({ storageClassName: "c" }, { message: "x" }));
    expect([status.status, status.at("spec.storageClassName"), status.at("status.message")]).toEqual([
      200,
      undefined,
      "x",
    ]);
    expect(status.owners["m Apply status"]).toEqual(["status.message"]);
  });

  test("DEC-33: an apply through the status path does not create", async () => {
    const at = place("PersistentVolume");
    const body = { apiVersion: "v1", kind: "PersistentVolume", status: { message: "x" } };
    expect((await api.apply(`${at.item}/status`, "m", body)).status).toBe(404);
  });
});

const WRONG: readonly unknown[] = [5, "x", [1], { a: 5 }, { podCIDR: 5 }, { podCIDRs: 5 }, { podCIDRs: [5] }, null];
const MEMBERS = ["spec", "status", "data", "stringData", "type", "provisioner", "parameters"];

test.each([...RESOURCES.map((r) => [r.kind, r.apiVersion, collection(r, "default")]), ["Node", "v1", "/api/v1/nodes"]])(
  "APPLY-4: an intent of a %s whose members are missing or of another type is no error of the server",
  async (kind, apiVersion, items) => {
    for (const server of [api, kube]) {
      for (const member of ["", ...MEMBERS]) {
        for (const wrong of member === "" ? [undefined] : WRONG) {
          const answer = await server.apply(`${items}/odd`, "m", { apiVersion, kind, [member || "spec"]: wrong });
          expect([answer.status < 500, answer.text]).toEqual([true, answer.text]);
        }
      }
    }
  },
);
