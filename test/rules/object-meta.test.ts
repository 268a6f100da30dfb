/** The parts that every object has (META-1..15) and the formats of metadata and times (DEC-1..5, DEC-9). */
import { describe, expect, test } from "vitest";
import { expectStatus } from "./answer.ts";
import { fresh, serve } from "./api.ts";
import { CANDIDATE, EVENT, RESOURCES, collection, objectOf, place } from "./resources.ts";

const api = serve();

const configMap = (metadata: object, extra: object = {}): object => ({ metadata, ...extra });

describe.each(RESOURCES)("$kind", (r) => {
  test("META-1, META-2, META-4, META-5, META-6, META-9, META-11, DEC-1: what the server fills in", async () => {
    const ns = fresh("ns");
    const name = fresh("n");
    const made = await api.post(collection(r, ns), objectOf(r, name, { labels: { a: "1" } }));
    expect(made.body).toMatchObject({ apiVersion: r.apiVersion, kind: r.kind, metadata: { name } });
    expect(made.at("metadata.namespace")).toBe(r.namespaced ? ns : undefined);
    expect(made.at("metadata.uid")).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(made.at("metadata.creationTimestamp")).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(made.at("metadata.resourceVersion")).toMatch(/^\d+$/);
    expect(made.at("metadata.managedFields")).toHaveLength(1);
    expect(made.at("metadata.selfLink")).toBeUndefined();
    const got = await api.get(`${collection(r, ns)}/${name}`);
    expect(got.body).toEqual(made.body);
  });

  test("META-9, DEC-31: resourceVersion changes with every effective write and with no other", async () => {
    const ns = fresh("ns");
    const name = fresh("n");
    const item = `${collection(r, ns)}/${name}`;
    const made = await api.post(collection(r, ns), objectOf(r, name));
    const same = await api.put(item, { ...made.sendable });
    expect(same.resourceVersion).toBe(made.resourceVersion);
    const nothing = await api.merge(item, {});
    expect(nothing.resourceVersion).toBe(made.resourceVersion);
    const changed = await api.merge(item, { metadata: { labels: { a: "1" } } });
    expect(Number(changed.resourceVersion)).toBeGreaterThan(Number(made.resourceVersion));
  });

  test("META-7, META-8: labels and annotations round-trip and hold texts only", async () => {
    const ns = fresh("ns");
    const name = fresh("n");
    const metadata = { labels: { a: "b", "x.io/y": "" }, annotations: { "x.io/z": "any text\n" } };
    const made = await api.post(collection(r, ns), objectOf(r, name, metadata));
    expect(made.at("metadata.labels")).toEqual(metadata.labels);
    expect(made.at("metadata.annotations")).toEqual(metadata.annotations);
    for (const wrong of [{ labels: { a: 1 } }, { annotations: { a: true } }, { labels: ["a"] }]) {
      expect((await api.post(collection(r, ns), objectOf(r, fresh("n"), wrong))).status).toBe(400);
    }
  });

  test("META-10: owner references are stored and returned", async () => {
    const ns = fresh("ns");
    const name = fresh("n");
    const owner = { apiVersion: "v1", kind: "Node", name: "n", uid: "u1", controller: true, blockOwnerDeletion: false };
    const made = await api.post(collection(r, ns), objectOf(r, name, { ownerReferences: [owner] }));
    expect(made.at("metadata.ownerReferences")).toEqual([owner]);
    expect((await api.get(`${collection(r, ns)}/${name}`)).at("metadata.ownerReferences")).toEqual([owner]);
  });
});

describe("names", () => {
  test.each(["a", "a.b-c", "0", "x".repeat(253)])("DEC-2: the name %s is accepted", async (name) => {
    const { collection: items } = place("ConfigMap");
    expect((await api.post(items, configMap({ name }))).status).toBe(201);
  });

  test.each(["A", "a_b", "-a", "a-", "a..b", "ä", "a b", "x".repeat(254)])(
    "DEC-2: the name %s is refused",
    async (name) => {
      const { collection: items } = place("ConfigMap");
      const answer = await api.post(items, configMap({ name }));
      expect([answer.status, answer.fields]).toEqual([422, ["metadata.name"]]);
    },
  );

  test("DEC-2, EP-32: LeaseCandidate also takes the letters of ConfigMap keys", async () => {
    const { collection: items } = place("LeaseCandidate");
    expect((await api.post(items, { metadata: { name: "Some_name.1" }, spec: CANDIDATE })).status).toBe(201);
  });

  test("DEC-1: generateName is completed by five letters or digits", async () => {
    const { collection: items } = place("ConfigMap");
    const made = await api.post(items, configMap({ generateName: "some-" }));
    expect(made.status).toBe(201);
    expect(made.at("metadata.name")).toMatch(/^some-[a-z0-9]{5}$/);
    expect(made.at("metadata.generateName")).toBe("some-");
    const long = await api.post(items, configMap({ generateName: "x".repeat(253) }));
    expect(String(long.at("metadata.name"))).toMatch(/^x{58}[a-z0-9]{5}$/);
  });

  test("DEC-18: neither name nor generateName is 422", async () => {
    const { collection: items } = place("ConfigMap");
    const answer = await api.post(items, configMap({}));
    expect([answer.status, answer.fields]).toEqual([422, ["metadata.name"]]);
  });

  test("DEC-18: a name or namespace in the body that differs from the path is 400", async () => {
    const at = place("ConfigMap");
    await api.post(at.collection, configMap({ name: at.name }));
    expect((await api.put(at.item, configMap({ name: "other" }))).status).toBe(400);
    expect((await api.put(at.item, configMap({ name: at.name, namespace: "other" }))).status).toBe(400);
    expect((await api.post(at.collection, configMap({ name: "n", namespace: "other" }))).status).toBe(400);
  });

  test("DEC-2: a namespace in a cluster-scoped object is dropped", async () => {
    const at = place("CSIDriver");
    const made = await api.post(at.collection, { metadata: { name: at.name, namespace: "x" }, spec: {} });
    expect([made.status, made.at("metadata.namespace")]).toEqual([201, undefined]);
  });

  test("DEC-2: path segments that cannot be names are 400; an impossible namespace reads as empty", async () => {
    expect((await api.get("/api/v1/namespaces/default/configmaps/a%25b")).status).toBe(400);
    const list = await api.get("/api/v1/namespaces/A_b/configmaps");
    expect([list.status, list.body["items"]]).toEqual([200, []]);
    expect((await api.post("/api/v1/namespaces/A_b/configmaps", configMap({ name: "a" }))).status).toBe(422);
  });
});

describe("labels, annotations, owners, finalizers", () => {
  const create = (metadata: object) => {
    const at = place("ConfigMap");
    return api.post(at.collection, configMap({ name: at.name, ...metadata }));
  };

  test.each([
    [{ labels: { "a b": "" } }, "metadata.labels"],
    [{ labels: { "": "" } }, "metadata.labels"],
    [{ labels: { "x/y/z": "" } }, "metadata.labels"],
    [{ labels: { "X_Y/z": "" } }, "metadata.labels"],
    [{ labels: { [`${"x".repeat(64)}`]: "" } }, "metadata.labels"],
    [{ labels: { a: "x".repeat(64) } }, "metadata.labels"],
    [{ labels: { a: "-b" } }, "metadata.labels"],
    [{ annotations: { "a b": "" } }, "metadata.annotations"],
    [{ annotations: { a: "x".repeat(262_144) } }, "metadata.annotations"],
  ])("DEC-2: metadata that breaks the formats is 422 (%#)", async (metadata, field) => {
    const answer = await create(metadata);
    expect([answer.status, answer.fields]).toEqual([422, [field]]);
  });

  test("DEC-2: labels and annotations at their limits are accepted", async () => {
    const labels = { [`${"a".repeat(253)}/${"b".repeat(63)}`]: "c".repeat(63), "A_b.C-d": "E_f.G-h" };
    expect((await create({ labels, annotations: { a: "x".repeat(262_143), "UPPER/key": "" } })).status).toBe(422);
    expect((await create({ labels, annotations: { a: "x".repeat(262_143) } })).status).toBe(201);
  });

  test.each([
    [{ kind: "K", name: "n", uid: "u" }, "apiVersion"],
    [{ apiVersion: "v1", name: "n", uid: "u" }, "kind"],
    [{ apiVersion: "v1", kind: "K", uid: "u" }, "name"],
    [{ apiVersion: "v1", kind: "K", name: "n" }, "uid"],
  ])("DEC-1: an owner reference needs apiVersion, kind, name and uid (%#)", async (owner, member) => {
    const answer = await create({ ownerReferences: [owner] });
    expect(answer.status).toBe(422);
    expect(answer.fields).toEqual([expect.stringMatching(new RegExp(`^metadata.ownerReferences.*\\.${member}$`))]);
  });

  test("DEC-1: one owner at most is the controller; equal references are kept once, with a warning", async () => {
    const owner = (uid: string) => ({ apiVersion: "v1", kind: "K", name: uid, uid, controller: true });
    expect((await create({ ownerReferences: [owner("a"), owner("b")] })).status).toBe(422);
    const doubled = await create({ ownerReferences: [owner("a"), owner("a")] });
    expect([doubled.status, doubled.at("metadata.ownerReferences")]).toEqual([201, [owner("a")]]);
    expect(doubled.warnings).toHaveLength(1);
  });

  test("DEC-1: finalizers keep an object until the last is removed; none is added meanwhile", async () => {
    const at = place("ConfigMap");
    await api.post(at.collection, configMap({ name: at.name, finalizers: ["x.io/a", "plain"] }));
    await api.delete(at.item);
    const waiting = await api.get(at.item);
    expect(waiting.at("metadata.deletionTimestamp")).toMatch(/Z$/);
    expect(waiting.at("metadata.deletionGracePeriodSeconds")).toBe(0);
    const more = await api.merge(at.item, { metadata: { finalizers: ["x.io/a", "plain", "x.io/b"] } });
    expect(more.status).toBe(422);
    expect(more.fields).toEqual(["metadata.finalizers"]);
    expect((await api.merge(at.item, { metadata: { finalizers: ["x.io/a"] } })).status).toBe(200);
    expect((await api.merge(at.item, { metadata: { finalizers: null } })).status).toBe(200);
    expect((await api.get(at.item)).status).toBe(404);
  });

  test("DEC-1: a create does not choose uid, times or version", async () => {
    const sent = {
      uid: "mine",
      creationTimestamp: "2001-01-01T00:00:00Z",
      deletionTimestamp: "2001-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 5,
      generation: 7,
      selfLink: "/x",
    };
    const made = await create(sent);
    expect(made.status).toBe(201);
    expect(made.uid).not.toBe("mine");
    expect(made.at("metadata.creationTimestamp")).not.toBe(sent.creationTimestamp);
    for (const key of ["deletionTimestamp", "deletionGracePeriodSeconds", "generation", "selfLink"]) {
      expect(made.at(`metadata.${key}`)).toBeUndefined();
    }
    expect((await create({ resourceVersion: "5" })).status).toBe(400);
    expect((await create({ resourceVersion: "0" })).status).toBe(201);
    expect((await create({ resourceVersion: "" })).status).toBe(201);
  });

  test("DEC-1: an update changes neither uid nor the times; a wrong uid is refused", async () => {
    const at = place("ConfigMap");
    const made = await api.post(at.collection, configMap({ name: at.name }));
    const times = { name: at.name, creationTimestamp: "2001-01-01T00:00:00Z", generation: 9, labels: { a: "1" } };
    const put = await api.put(at.item, configMap(times));
    expect(put.at("metadata.creationTimestamp")).toBe(made.at("metadata.creationTimestamp"));
    expect([put.status, put.uid, put.at("metadata.generation")]).toEqual([200, made.uid, undefined]);
    expect((await api.put(at.item, configMap({ name: at.name, uid: "other" }))).status).toBe(409);
    expect((await api.merge(at.item, { metadata: { uid: "other" } })).status).toBe(422);
    const deletion = configMap({ name: at.name, deletionTimestamp: "2001-01-01T00:00:00Z" });
    expect((await api.put(at.item, deletion)).status).toBe(422);
    expect((await api.put(at.item, configMap({ name: at.name, deletionGracePeriodSeconds: 5 }))).status).toBe(422);
  });
});

describe("generation", () => {
  test("DEC-3: CSIDriver counts changes of its spec from the first on", async () => {
    const at = place("CSIDriver");
    const made = await api.post(at.collection, { metadata: { name: at.name }, spec: {} });
    expect(made.at("metadata.generation")).toBeUndefined();
    const labelled = await api.merge(at.item, { metadata: { labels: { a: "1" } } });
    expect(labelled.at("metadata.generation")).toBeUndefined();
    expect((await api.merge(at.item, { spec: { podInfoOnMount: true } })).at("metadata.generation")).toBe(1);
    expect((await api.merge(at.item, { spec: { podInfoOnMount: false } })).at("metadata.generation")).toBe(2);
  });
});

describe("times and quantities", () => {
  const candidate = async (renewTime: unknown) => {
    const at = place("LeaseCandidate");
    const made = await api.post(at.collection, { metadata: { name: at.name }, spec: { ...CANDIDATE, renewTime } });
    return [made.status, made.at("spec.renewTime")];
  };

  test.each([
    ["2026-01-02T03:04:05.678901Z", "2026-01-02T03:04:05.678901Z"],
    ["2026-01-02T03:04:05.000000Z", "2026-01-02T03:04:05.000000Z"],
    ["2026-01-02T03:04:05.6Z", "2026-01-02T03:04:05.600000Z"],
    ["2026-01-02T03:04:05.6789019Z", "2026-01-02T03:04:05.678901Z"],
    ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000000Z"],
    ["2026-01-02T05:04:05.678901+02:00", "2026-01-02T03:04:05.678901Z"],
  ])("META-14, DEC-5: the MicroTime %s reads back as %s", async (sent, back) => {
    expect(await candidate(sent)).toEqual([201, back]);
  });

  test.each(["yesterday", "2026-01-02", 5, {}, "2026-13-02T03:04:05Z"])("DEC-5: %j is no time", async (sent) => {
    expect((await candidate(sent))[0]).toBe(400);
  });

  test("DEC-5: null is an unset time", async () => {
    expect(await candidate(null)).toEqual([201, undefined]);
  });

  test("META-14: every MicroTime keeps its six digits", async () => {
    const at = place("Event");
    const micro = "2026-01-02T03:04:05.120000Z";
    const event = { ...EVENT, eventTime: micro, series: { count: 2, lastObservedTime: micro } };
    const made = await api.post(at.collection, { metadata: { name: at.name }, ...event });
    expect([made.at("eventTime"), made.at("series.lastObservedTime")]).toEqual([micro, micro]);
    const lease = place("LeaseCandidate");
    const spec = { ...CANDIDATE, pingTime: micro };
    expect((await api.post(lease.collection, { metadata: { name: lease.name }, spec })).at("spec.pingTime")).toBe(
      micro,
    );
  });

  test("META-15, DEC-5: a Time is a text in JSON and in YAML, of whole seconds", async () => {
    const at = place("Event");
    const body = { ...EVENT, deprecatedFirstTimestamp: "2026-01-02T03:04:05.9+01:00" };
    const made = await api.post(at.collection, { metadata: { name: at.name }, ...body });
    expect(made.at("deprecatedFirstTimestamp")).toBe("2026-01-02T02:04:05Z");
    expect(made.at("metadata.managedFields.0.time")).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const yaml = [
      "apiVersion: events.svc.io/v1",
      "kind: Event",
      'deprecatedLastTimestamp: "2026-01-02T03:04:05Z"',
      "deprecatedFirstTimestamp: 2026-01-02T02:04:05Z",
    ].join("\n");
    const applied = await api.apply(at.item, "m", yaml, { force: "true" });
    expectStatus(applied, 200);
    expect(applied.at("deprecatedLastTimestamp")).toBe("2026-01-02T03:04:05Z");
    expect(applied.at("deprecatedFirstTimestamp")).toBe("2026-01-02T02:04:05Z");
  });

  test.each([
    ["1.5Gi", "1536Mi"],
    ["0.5", "500m"],
    ["1024Mi", "1Gi"],
    [1_073_741_824, "1073741824"],
    ["1000", "1k"],
    ["0", "0"],
    ["0.1m", "100u"],
    ["16Ei", "9223372036854775807"],
    ["1e3", "1e3"],
  ])("DEC-9: the quantity %s reads back as %s", async (sent, back) => {
    const at = place("CSIStorageCapacity");
    const body = { metadata: { name: at.name }, storageClassName: "c", capacity: sent };
    const made = await api.post(at.collection, body);
    expect([made.status, made.at("capacity")]).toEqual([201, back]);
  });

  test.each(["1K", "1ki", "1 Gi", "0x10", "", "five", true])("DEC-9: %j is no quantity", async (sent) => {
    const at = place("CSIStorageCapacity");
    const body = { metadata: { name: at.name }, storageClassName: "c", capacity: sent };
    expect((await api.post(at.collection, body)).status).toBe(400);
  });
});
