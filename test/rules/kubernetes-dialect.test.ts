/** What the kubernetes dialect does otherwise and the files of the sections do not show: one test per switch. */
import { describe, expect, test } from "vitest";
import { entriesOf, expectStatus } from "./answer.ts";
import { JSON_PATCH, MERGE, STRATEGIC, fresh, serve } from "./api.ts";
import { CANDIDATE } from "./resources.ts";

const kube = serve({ dialect: "kubernetes", "feature-gates": "CoordinatedLeaderElection=true" });

const MAP = { apiVersion: "v1", kind: "ConfigMap" };
const MAPS = "/api/v1/namespaces/default/configmaps";
const STORAGE = "/apis/storage.k8s.io/v1";

async function made(data: object = { k: "v" }) {
  const name = fresh("n");
  const answer = await kube.post(MAPS, { metadata: { name }, data }, { fieldManager: "creator" });
  expectStatus(answer, 201);
  return { name, item: `${MAPS}/${name}`, answer };
}

describe("DEC-18: mistakes of a patch, in the order in which they are noticed", () => {
  const patched = async (type: string, body: string, query = {}, to?: string) =>
    (await kube.patch(to ?? (await made()).item, type, body, query)).status;
  const unchecked = { fieldValidation: "Ignore" };

  test.each([JSON_PATCH, MERGE, STRATEGIC])(
    "%s: that there is nothing to patch comes before what is no JSON",
    async (t) => {
      expect(await patched(t, "{", {}, `${MAPS}/none`)).toBe(404);
      expect(await patched(t, "", {}, `${MAPS}/none`)).toBe(404);
      expect(await patched(t, "{")).toBe(400);
    },
  );

  test("JSON patch: what is no list of operations is 400, what does not fit is 422 when its turn comes", async () => {
    const status = (operations: unknown, query = {}) => patched(JSON_PATCH, JSON.stringify(operations), query);
    const failing = { op: "test", path: "/data/k", value: "w" };
    for (const malformed of [{}, "x", 5, [5], [[]], [failing, { op: 1 }], [failing, { op: "add", path: {} }]]) {
      expect(await status(malformed)).toBe(400);
    }
    for (const misfit of [
      [{}],
      [null],
      [{ op: "add" }],
      [{ op: "grow", path: "/data/k" }],
      [{ OP: "add" }],
      [failing],
    ]) {
      expect(await status(misfit)).toBe(422);
    }
    const many = Array(10_001).fill(failing) as unknown[];
    expect(await status(many)).toBe(413);
    expect(await status([...many, 1])).toBe(400);
    expect(await status([{ op: "replace", path: "", value: [] }])).toBe(422);
  });

  test("without validation less is looked at before its turn comes", async () => {
    const status = (type: string, body: unknown) => patched(type, JSON.stringify(body), unchecked);
    expect(await status(JSON_PATCH, [{ op: "test", path: "/data/k", value: "v" }, { op: 1 }])).toBe(422);
    expect(await status(JSON_PATCH, [{ op: "add", path: 1 }])).toBe(422);
    expect(await status(JSON_PATCH, [1])).toBe(400);
    expect(await status(MERGE, [1])).toBe(422);
    expect(await status(MERGE, 5)).toBe(400);
    expect(await patched(MERGE, "[1]")).toBe(400);
  });

  test("unknown members of an operation are refused after an operation that does not fit", async () => {
    const strict = { fieldValidation: "Strict" };
    const { item } = await made();
    const stranger = { op: "add", path: "/data/l", value: "w", extra: 1 };
    const told = await kube.jsonPatch(item, [stranger], strict);
    expect([told.status, told.causes]).toEqual([422, ["FieldValueInvalid patch"]]);
    const misfit = await kube.jsonPatch(item, [stranger, { op: "remove", path: "/none" }], strict);
    expect([misfit.status, misfit.causes]).toEqual([422, []]);
  });
});

describe("DEC-17: strategic merges of lists", () => {
  const ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts";

  test("the secrets of a ServiceAccount merge by name, its imagePullSecrets are replaced and have no order", async () => {
    const name = fresh("n");
    const named = (...names: string[]) => names.map((each) => ({ name: each }));
    await kube.post(ACCOUNTS, { metadata: { name }, secrets: named("a", "b"), imagePullSecrets: named("x", "y") });
    const patch = (body: object) => kube.strategic(`${ACCOUNTS}/${name}`, body);
    const merged = await patch({ secrets: named("c"), imagePullSecrets: named("z") });
    expect([merged.at("secrets"), merged.at("imagePullSecrets")]).toEqual([named("c", "a", "b"), named("z")]);
    const ordered = await patch({
      "$setElementOrder/secrets": named("b", "a"),
      secrets: [{ name: "c", $patch: "delete" }],
    });
    expect(ordered.at("secrets")).toEqual(named("b", "a"));
    expect((await patch({ "$setElementOrder/imagePullSecrets": named("z") })).status).toBe(422);
  });
});

describe("DEC-14: edited entries", () => {
  test.each<[string, object, string]>([
    [
      "a manager of more than 128 bytes",
      { manager: "é".repeat(65) },
      "FieldValueTooLong metadata.managedFields[0].manager",
    ],
    ["a manager that cannot be printed", { manager: "a\u0001" }, "FieldValueInvalid metadata.managedFields[0].manager"],
    ["a long subresource", { subresource: "s".repeat(257) }, "FieldValueTooLong metadata.managedFields[0].subresource"],
  ])("%s is refused", async (_, members, cause) => {
    const { item, name } = await made();
    const entry = {
      manager: "m",
      operation: "Apply",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": {} },
    };
    const metadata = { name, managedFields: [{ ...entry, ...members }] };
    for (const answer of [await kube.merge(item, { metadata }), await kube.put(item, { metadata, data: { k: "v" } })]) {
      expect([answer.status, answer.causes]).toEqual([422, [cause]]);
    }
  });
});

describe("metadata", () => {
  test("DEC-1: members that the server sets are dropped from a POST, and are unowned", async () => {
    const sent = {
      uid: "00000000-0000-4000-8000-000000000000",
      creationTimestamp: "2020-01-01T00:00:00Z",
      deletionTimestamp: "2020-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 5,
      selfLink: "/x",
    };
    const answer = await kube.post(MAPS, { metadata: { name: fresh("n"), ...sent }, data: { k: "v" } });
    expect(answer.status).toBe(201);
    for (const [member, value] of Object.entries(sent)) expect(answer.at(`metadata.${member}`)).not.toBe(value);
    expect(answer.at("metadata.managedFields.0.fieldsV1")).toEqual({ "f:data": { ".": {}, "f:k": {} } });
  });

  test("DEC-1: creates by PUT and by apply take a version that is a number, and no other", async () => {
    const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    const put = async (resourceVersion: string) => {
      const name = fresh("n");
      return (await kube.put(`${leases}/${name}`, { metadata: { name, resourceVersion }, spec: {} })).status;
    };
    expect([await put("5"), await put("abc")]).toEqual([201, 400]);
    const apply = async (resourceVersion: string) => {
      const name = fresh("n");
      return (await kube.apply(`${MAPS}/${name}`, "f", { ...MAP, metadata: { name, resourceVersion } })).status;
    };
    expect([await apply("5"), await apply("abc")]).toEqual([201, 400]);
  });

  test("DEC-1, strictFinalizers: a finalizer without a slash must be a known one", async () => {
    const create = async (finalizer: string) =>
      (await kube.post(MAPS, { metadata: { name: fresh("n"), finalizers: [finalizer] } })).status;
    expect(await create("plain")).toBe(422);
    expect(await create("x.io/f")).toBe(201);
    expect(await create("orphan")).toBe(201);
  });

  test.each([
    ["/api/v1/namespaces/default/events", { involvedObject: { namespace: "default" } }, 201],
    ["/apis/coordination.k8s.io/v1/namespaces/default/leases", {}, 201],
    ["/apis/policy/v1/namespaces/default/poddisruptionbudgets", { spec: { maxUnavailable: 1 } }, 201],
    ["/apis/node.k8s.io/v1/runtimeclasses", { handler: "runc" }, 201],
    ["/api/v1/namespaces/default/secrets", {}, 422],
    ["/apis/storage.k8s.io/v1/storageclasses", { provisioner: "x.io" }, 422],
    ["/apis/apps/v1/namespaces/default/controllerrevisions", { revision: 1 }, 422],
  ])("DEC-1: a finalizer without a slash at %s", async (path, body, status) => {
    const sent = { ...body, metadata: { name: fresh("n"), finalizers: ["plain"] } };
    expect((await kube.post(path, sent)).status).toBe(status);
  });

  test("DEC-1: a custom object takes a finalizer without a slash, with a warning when it is new", async () => {
    const group = `${fresh("bare")}.example.com`;
    const names = { plural: "bares", kind: "Bare" };
    const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }];
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const metadata = { name: `bares.${group}`, finalizers: ["plain"] };
    expect(
      (await kube.post(definitions, { metadata, spec: { group, scope: "Cluster", names, versions } })).status,
    ).toBe(201);
    const path = `/apis/${group}/v1/bares`;
    await expect.poll(async () => (await kube.get(path)).status).toBe(200);
    const created = await kube.post(path, {
      apiVersion: `${group}/v1`,
      kind: "Bare",
      metadata: { name: "a", finalizers: ["plain", "x.io/a", "orphan"] },
    });
    expect([created.status, created.warnings]).toEqual([
      201,
      [
        'metadata.finalizers: "plain": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
      ],
    ]);
    const patched = await kube.merge(`${path}/a`, { metadata: { labels: { a: "b" } } });
    expect([patched.status, patched.warnings]).toEqual([200, []]);
  });

  test("DEC-1, keepSentGeneration, lenientCreateVersion: what a create may send", async () => {
    const create = (metadata: object, query = {}) =>
      kube.post(MAPS, { metadata: { name: fresh("n"), ...metadata } }, query);
    expect((await create({ generation: 7 })).at("metadata.generation")).toBe(7);
    expect((await create({ resourceVersion: "abc" })).status).toBe(201);
    expect((await create({ resourceVersion: "5" }, { dryRun: "All" })).status).toBe(201);
    expect((await create({ resourceVersion: "5" })).status).toBeGreaterThanOrEqual(400);
  });

  test("DEC-5, lenientMicroTime: a MicroTime has exactly six digits", async () => {
    const items = "/apis/coordination.k8s.io/v1beta1/namespaces/default/leasecandidates";
    const create = async (renewTime: string) =>
      (await kube.post(items, { metadata: { name: fresh("n") }, spec: { ...CANDIDATE, renewTime } })).status;
    expect(await create("2026-01-02T03:04:05.123456Z")).toBe(201);
    expect(await create("2026-01-02T05:04:05.123456+02:00")).toBe(201);
    for (const time of ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.1Z", "2026-01-02T03:04:05.1234567Z"]) {
      expect(await create(time)).toBe(400);
    }
  });

  test("DEC-25, leaseNameSelectable: candidates are not selected by their Lease", async () => {
    const items = "/apis/coordination.k8s.io/v1beta1/namespaces/default/leasecandidates";
    expect((await kube.get(items, { fieldSelector: "spec.leaseName=l" })).status).toBe(400);
  });

  test("DEC-31, demandResourceVersion: six kinds want a version in PUT, the others do not", async () => {
    const { item, name } = await made();
    expect((await kube.put(item, { metadata: { name }, data: {} })).status).toBe(200);
    const nodes = `${STORAGE}/csinodes`;
    await kube.post(nodes, { metadata: { name }, spec: { drivers: [] } });
    const put = await kube.put(`${nodes}/${name}`, { metadata: { name }, spec: { drivers: [] } });
    expect([put.status, put.causes]).toEqual([422, ["FieldValueInvalid metadata.resourceVersion"]]);
  });
});

describe("owners", () => {
  test("MF-10, DEC-14, readOldManagedFields: entries of the older shape own nothing", async () => {
    const { item } = await made();
    const old = {
      manager: "old",
      operation: "Apply",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fields: { "f:data": {} },
    };
    const answer = await kube.merge(item, { metadata: { managedFields: [old] } });
    expect([answer.status, entriesOf(answer.body)]).toEqual([200, []]);
    expect(answer.warnings).toEqual(['unknown field "metadata.managedFields[0].fields"']);
  });

  test("DEC-14, timelessOwnership: an apply that changes owners alone has no time", async () => {
    const { item } = await made();
    const shared = await kube.apply(item, "m", { ...MAP, data: { k: "v" } });
    const entry = entriesOf(shared.body).find((e) => e.manager === "m");
    expect(entry).toBeDefined();
    expect(entry!.time).toBeUndefined();
  });

  test("DEC-22, applyNullIsAbsent: null is a value, and is owned", async () => {
    const { item } = await made();
    const answer = await kube.apply(item, "m", { ...MAP, binaryData: null });
    expect([answer.status, answer.owners["m Apply"]]).toEqual([200, ["binaryData"]]);
    const name = fresh("n");
    const driver = { apiVersion: "storage.k8s.io/v1", kind: "CSIDriver", metadata: { name } };
    const policy = (fsGroupPolicy: string | null): object => ({ ...driver, spec: { fsGroupPolicy } });
    await kube.apply(`${STORAGE}/csidrivers/${name}`, "a", policy("File"));
    expect((await kube.apply(`${STORAGE}/csidrivers/${name}`, "b", policy(null))).status).toBe(409);
  });

  test("DEC-22: a wrong uid is 422, a version for a missing object is ignored", async () => {
    const { item } = await made();
    expect((await kube.apply(item, "m", { ...MAP, metadata: { uid: "other" } })).status).toBe(422);
    const name = fresh("n");
    const created = await kube.apply(`${MAPS}/${name}`, "m", { ...MAP, metadata: { name, resourceVersion: "5" } });
    expect(created.status).toBe(201);
  });
});

describe("the rest", () => {
  test("DEC-18, DEC-26, foregroundDeleteReturnsAccepted: only orphanDependents=false gets 202", async () => {
    const [one, two] = [await made(), await made()];
    await kube.merge(two.item, { metadata: { finalizers: ["x.io/hold"] } });
    expect((await kube.delete(one.item, { propagationPolicy: "Foreground" })).status).toBe(200);
    expect((await kube.delete(two.item, { orphanDependents: "false" })).status).toBe(202);
  });

  test("SUP-1, namespaceObjects: a namespace has a service account and the CA", async () => {
    const ns = fresh("ns");
    await kube.post("/api/v1/namespaces", { metadata: { name: ns } });
    const account = `/api/v1/namespaces/${ns}/serviceaccounts/default`;
    expect((await kube.until(account, (answer) => answer.status === 200)).status).toBe(200);
    const ca = `/api/v1/namespaces/${ns}/configmaps/kube-root-ca.crt`;
    expect((await kube.until(ca, (answer) => answer.status === 200)).status).toBe(200);
  });

  test("DEC-39, enforceDocumented: maximumVolumeSize is not checked, capacity is", async () => {
    const items = `${STORAGE}/namespaces/default/csistoragecapacities`;
    const create = async (body: object) =>
      (await kube.post(items, { metadata: { name: fresh("n") }, storageClassName: "c", ...body })).status;
    expect(await create({ maximumVolumeSize: "-1" })).toBe(201);
    expect(await create({ capacity: "-1" })).toBe(422);
  });

  test("DEC-19, recordedCauseNames: the odd names of causes", async () => {
    const candidates = "/apis/coordination.k8s.io/v1beta1/namespaces/default/leasecandidates";
    const spec = { ...CANDIDATE, strategy: "Odd" };
    const answer = await kube.post(candidates, { metadata: { name: fresh("n") }, spec });
    expect([answer.status, answer.fields]).toEqual([422, ["spec.strategy.strategy"]]);
  });

  test("DEC-13: secret types have the names of Kubernetes", async () => {
    const secrets = "/api/v1/namespaces/default/secrets";
    const create = async (type: string) => (await kube.post(secrets, { metadata: { name: fresh("n") }, type })).status;
    expect(await create("kubernetes.io/tls")).toBe(422);
    expect(await create("svc.io/tls")).toBe(201);
  });

  test("DEC-40: the annotation of the default class has its name of old", async () => {
    const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
    const name = fresh("class");
    await kube.post(`${STORAGE}/storageclasses`, { metadata: { name, annotations }, provisioner: "p" });
    const claim = await kube.post("/api/v1/namespaces/default/persistentvolumeclaims", {
      metadata: { name: fresh("n") },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    expect(claim.at("spec.storageClassName")).toBe(name);
  });

  test("EV-7, AMB-18, AMB-19, AMB-20: what Kubernetes demands of Events", async () => {
    const events = "/apis/events.k8s.io/v1/namespaces/default/events";
    const body = {
      eventTime: "2026-01-02T03:04:05.000006Z",
      action: "a",
      reason: "r",
      type: "Normal",
      reportingController: "example.com/c",
      reportingInstance: "i",
    };
    const create = (extra: object) => kube.post(events, { metadata: { name: fresh("n") }, ...body, ...extra });
    expect((await create({})).status).toBe(201);
    expect((await create({ deprecatedCount: 1 })).status).toBe(422);
    expect((await create({ action: "ä".repeat(65) })).status).toBe(422);
    const name = fresh("n");
    await kube.post(events, { metadata: { name }, ...body });
    expect((await kube.merge(`${events}/${name}`, { reason: "other" })).status).toBe(422);
    const series = { count: 2, lastObservedTime: "2026-01-02T03:04:05.000006Z" };
    expect((await kube.merge(`${events}/${name}`, { series })).status).toBe(200);
  });
});
