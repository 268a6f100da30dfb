/** What the service does, and how things are named (CONV-1..17, VER-1..9). */
import { describe, expect, test } from "vitest";
import { expectStatus } from "./answer.ts";
import { fresh, serve } from "./api.ts";
import { RESOURCES, collection, objectOf, place } from "./resources.ts";

const api = serve();

const VENDOR_SOURCES: Readonly<Record<string, object>> = {
  cloudAElasticBlockStore: { volumeID: "v" },
  cloudBDisk: { diskName: "d", diskURI: "u" },
  cloudBFile: { secretName: "s", shareName: "n" },
  cloudCPersistentDisk: { pdID: "p" },
  distFsA: { monitors: ["m"] },
  distFsB: { endpoints: "e", path: "p" },
  distFsC: { registry: "h:1", volume: "v" },
  blockVolA: { volumeID: "v" },
  datasetVolA: { datasetName: "d" },
  vendorDVolume: { volumeID: "v" },
  vendorEVolume: { gateway: "g", secretRef: { name: "s", namespace: "n" }, system: "s" },
  vendorFVolume: { volumeName: "v" },
  vendorGVolume: { volumePath: "p" },
};

describe.each(RESOURCES)("$kind", (r) => {
  const made = async (): Promise<{ ns: string; name: string; items: string; item: string }> => {
    const ns = fresh("ns");
    const name = fresh("n");
    const items = collection(r, ns);
    const answer = await api.post(items, objectOf(r, name));
    expectStatus(answer, 201);
    return { ns, name, items, item: `${items}/${name}` };
  };

  test("CONV-5, CONV-15, CONV-16, CONV-17, EP-47, EP-53: each of the seven operations works", async () => {
    const { item, items, name } = await made();
    expect((await api.get(item)).at("metadata.name")).toBe(name);
    expect((await api.get(items)).names).toContain(name);
    const changed = await api.put(item, objectOf(r, name, { labels: { a: "1" } }));
    expect([changed.status, changed.at("metadata.labels")]).toEqual([200, { a: "1" }]);
    const patched = await api.merge(item, { metadata: { labels: { b: "2" } } });
    expect([patched.status, patched.at("metadata.labels")]).toEqual([200, { a: "1", b: "2" }]);
    expect((await api.delete(item)).status).toBe(200);
    expect((await api.get(item)).status).toBe(404);
    await api.post(items, objectOf(r, name, { labels: { only: name } }));
    expect((await api.delete(items, { labelSelector: `only=${name}` })).status).toBe(200);
    expect((await api.get(item)).status).toBe(404);
  });

  test("CONV-6: the list can be watched", async () => {
    const { items, name } = await made();
    using watch = await api.watch(items, { fieldSelector: `metadata.name=${name}` });
    expect(watch.status).toBe(200);
    expect(await watch.take(1)).toEqual([`ADDED ${name}`]);
    await api.merge(`${items}/${name}`, { metadata: { labels: { a: "1" } } });
    expect(await watch.take(1)).toEqual([`MODIFIED ${name}`]);
    await api.delete(`${items}/${name}`);
    expect(await watch.take(1)).toEqual([`DELETED ${name}`]);
  });

  test("CONV-7, CONV-15, MF-1, MF-2, MF-3: each kind of write is recorded under the name of its manager", async () => {
    const ns = fresh("ns");
    const name = fresh("n");
    const items = collection(r, ns);
    const labels = (key: string): object => ({ metadata: { labels: { [key]: "1" } } });
    await api.post(items, objectOf(r, name, { labels: { c: "1" } }), { fieldManager: "creator" });
    await api.put(`${items}/${name}`, objectOf(r, name, { labels: { c: "1", u: "1" } }), { fieldManager: "updater" });
    await api.merge(`${items}/${name}`, labels("m"), { fieldManager: "merger" });
    await api.strategic(`${items}/${name}`, labels("s"), { fieldManager: "strategist" });
    const add = [{ op: "add", path: "/metadata/labels/j", value: "1" }];
    await api.jsonPatch(`${items}/${name}`, add, { fieldManager: "jsoner" });
    const { apiVersion, kind } = r;
    const last = await api.apply(`${items}/${name}`, "applier", { apiVersion, kind, ...labels("a") });
    expectStatus(last, 200);
    const own = (key: string): unknown => expect.arrayContaining([`metadata.labels.${key}`]);
    expect(last.owners).toMatchObject({
      "creator Update": own("c"),
      "updater Update": own("u"),
      "merger Update": own("m"),
      "strategist Update": own("s"),
      "jsoner Update": own("j"),
      "applier Apply": ["metadata.labels.a"],
    });
  });

  test("CONV-3, VER-1, META-1, META-2: only its group, version and plural reach it", async () => {
    const { ns, name, item } = await made();
    const body = (await api.get(item)).body;
    expect(body).toMatchObject({ apiVersion: r.apiVersion, kind: r.kind });
    const inside = r.namespaced ? `/namespaces/${ns}` : "";
    expect((await api.get(`${r.prefix}x${inside}/${r.plural}/${name}`)).status).toBe(404);
    expect((await api.get(`/apis/other.svc.io/v1${inside}/${r.plural}/${name}`)).status).toBe(404);
    expect((await api.get(`${r.prefix}${inside}/${r.plural}s/${name}`)).status).toBe(404);
    expect((await api.get(`${r.prefix}${inside}/${r.kind.toLowerCase()}/${name}`)).status).toBe(404);
  });

  test("CONV-4: a name exists once in its scope", async () => {
    const { items, name } = await made();
    const again = await api.post(items, objectOf(r, name));
    expect(again.status).toBe(409);
    expect(again.body).toMatchObject({ kind: "Status", reason: "AlreadyExists", details: { name, kind: r.plural } });
    if (!r.namespaced) return;
    const other = collection(r, fresh("ns"));
    expect((await api.post(other, objectOf(r, name))).status).toBe(201);
  });

  test("CONV-1, CONV-10: answers are JSON, failures too, and identifiers carry no other domain", async () => {
    const { item, items } = await made();
    for (const answer of [await api.get(item), await api.get(items), await api.get(`${item}-missing`)]) {
      expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
      expect(answer.text).not.toMatch(/k8s\.io|kubernetes\.io/);
      expect(() => JSON.parse(answer.text) as unknown).not.toThrow();
    }
  });
});

describe("names and values", () => {
  test("CONV-2: a value of the wrong type is refused and what was stored is read back", async () => {
    const at = place("ConfigMap");
    expect((await api.post(at.collection, { metadata: { name: at.name }, data: { k: 1 } })).status).toBe(400);
    expect((await api.post(at.collection, { metadata: { name: at.name }, data: "text" })).status).toBe(400);
    expect((await api.get(at.item)).status).toBe(404);
    await api.post(at.collection, { metadata: { name: at.name }, data: { k: " ü\n" } });
    expect((await api.get(at.item)).at("data")).toEqual({ k: " ü\n" });
  });

  test("CONV-8: an apply leaves what it does not name alone", async () => {
    const at = place("ConfigMap");
    await api.post(at.collection, { metadata: { name: at.name }, data: { kept: "1" } });
    const body = { apiVersion: "v1", kind: "ConfigMap", data: { mine: "2" } };
    expect((await api.apply(at.item, "m", body)).at("data")).toEqual({ kept: "1", mine: "2" });
  });

  test("CONV-9: an apply of another value than the owner's is refused", async () => {
    const at = place("ConfigMap");
    await api.post(at.collection, { metadata: { name: at.name }, data: { k: "1" } });
    const conflict = await api.apply(at.item, "m", { apiVersion: "v1", kind: "ConfigMap", data: { k: "2" } });
    expect([conflict.status, conflict.causes]).toEqual([409, ["FieldManagerConflict .data.k"]]);
  });

  test("CONV-10, CONV-11, CONV-13, VER-1..6: the groups are the neutral ones", async () => {
    const groups = (await api.get("/apis")).at("groups") as { name: string; versions: { version: string }[] }[];
    const found = new Map(groups.map((group) => [group.name, group.versions.map((v) => v.version)]));
    expect(found.get("coordination.svc.io")).toEqual(expect.arrayContaining(["v1beta1"]));
    expect(found.get("events.svc.io")).toEqual(["v1"]);
    expect(found.get("storage.svc.io")).toEqual(["v1"]);
    expect(found.get("storagemigration.svc.io")).toEqual(["v1alpha1"]);
    for (const name of ["coordination", "events", "storage", "storagemigration"]) {
      expect(found.has(`${name}.k8s.io`)).toBe(false);
      expect((await api.get(`/apis/${name}.k8s.io/v1`)).status).toBe(404);
    }
  });

  test.each(Object.entries(VENDOR_SOURCES))(
    "CONV-12, CONV-13: a volume of %s keeps that name",
    async (member, source) => {
      const at = place("PersistentVolume");
      const made = await api.post(at.collection, { metadata: { name: at.name }, spec: { [member]: source } });
      expectStatus(made, 201);
      expect((await api.get(at.item)).at(`spec.${member}`)).toMatchObject(source);
    },
  );

  test.each(["awsElasticBlockStore", "azureDisk", "cephfs", "cinder", "glusterfs", "scaleIO", "vsphereVolume"])(
    "CONV-12: %s is no member of a volume",
    async (member) => {
      const at = place("PersistentVolume");
      const strict = { fieldValidation: "Strict" };
      const spec = { hostPath: { path: "/x" }, [member]: {} };
      const made = await api.post(at.collection, { metadata: { name: at.name }, spec }, strict);
      expect(made.status).toBe(400);
      expect(made.text).toContain(member);
    },
  );

  test("CONV-14: paths are appended to the base address", async () => {
    expect((await api.get("/api/v1/namespaces/default/configmaps")).body).toMatchObject({ kind: "ConfigMapList" });
  });

  test("VER-7: apply works without any switch", async () => {
    const at = place("ConfigMap");
    expect((await api.apply(at.item, "m", { apiVersion: "v1", kind: "ConfigMap", data: { a: "b" } })).status).toBe(201);
  });
});
