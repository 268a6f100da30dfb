import { afterAll, beforeAll, expect, test } from "vitest";
import { mastersAuthorizer } from "../auth/admin.ts";
import { kubernetes } from "../meta/dialect.ts";
import { gatesOf } from "../meta/gates.ts";
import type { TrialReport } from "../meta/trial-report.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import type { Value } from "../value/value.ts";
import { expectNoLongSlice } from "../util/testing/slices.ts";
import { type Cluster, createCluster } from "./index.ts";

const ADMIN = { user: "admin", groups: ["system:masters"] };
const GROUP = "admissionregistration.k8s.io";

const rules = (operations: readonly string[], resources: readonly string[] = ["configmaps"]): Value => ({
  resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: [...operations], resources: [...resources] }],
});

const validating = (name: string, expression: string, spec: { [member: string]: Value } = {}): Value => ({
  apiVersion: `${GROUP}/v1`,
  kind: "ValidatingAdmissionPolicy",
  metadata: { name },
  spec: { matchConstraints: rules(["*"]), validations: [{ expression, message: `${name} says no` }], ...spec },
});

const mutating = (name: string, expression: string): Value => ({
  apiVersion: `${GROUP}/v1beta1`,
  kind: "MutatingAdmissionPolicy",
  metadata: { name },
  spec: {
    matchConstraints: rules(["CREATE"]),
    reinvocationPolicy: "Never",
    mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }],
  },
});

const binding = (policyName: string, more: { [member: string]: Value }): Value => ({
  apiVersion: `${GROUP}/v1`,
  kind: "ValidatingAdmissionPolicyBinding",
  metadata: { name: `${policyName}-binding` },
  spec: { policyName, validationActions: ["Deny"], ...more },
});

const configMap = (name: string, data: { [key: string]: string }): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data,
});

let cluster: Cluster;

interface Review {
  readonly uid: string;
  readonly dryRun: boolean;
  readonly name: string;
  readonly object: { readonly metadata: { readonly name: string } };
}

/** The reviews that webhooks have got. */
const reviews: Review[] = [];

/** The patch of each response. */
const changing: { patch: string | undefined } = { patch: undefined };

/** Refuses ConfigMaps with the name `b`. */
const hooks = {
  async call(_: unknown, body: string | Uint8Array): Promise<Value> {
    const { request } = JSON.parse(Buffer.from(body as Uint8Array).toString()) as { readonly request: Review };
    reviews.push(request);
    const { uid, object } = request;
    const allowed = object.metadata.name !== "b";
    const { patch } = changing;
    const patched = patch === undefined || !allowed ? {} : { patch, patchType: "JSONPatch" };
    const response = { uid, allowed, status: { message: `${object.metadata.name} is reserved` }, ...patched };
    return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response };
  },
  close: () => undefined,
};

async function send(method: string, url: string, body: object, identity = ADMIN) {
  const headers = { "content-type": "application/json", "user-agent": "writer/1" };
  const response = await cluster.server.inject({ method, url, identity, headers, body: JSON.stringify(body) });
  return { code: response.code, text: await response.text() };
}

const MAPS = "/api/v1/namespaces/default/configmaps";

beforeAll(async () => {
  cluster = await createCluster({
    store: await openMemoryStore(),
    dialect: kubernetes,
    clock: new ManualClock(),
    random: seededRandom(1),
    hooks,
    gates: gatesOf(kubernetes, { MutatingAdmissionPolicy: true }),
    authorizer: () => ({
      ...mastersAuthorizer,
      authorize: (identity, info) =>
        identity.user === "limited" && (info.resource === "secrets" || info.verb === "create")
          ? { allowed: false, reason: "" }
          : identity.user === "limited"
            ? { allowed: true, reason: "" }
            : mastersAuthorizer.authorize(identity, info),
    }),
  });
  for (const name of ["a", "b", "c"]) await send("POST", `${MAPS}?fieldManager=maker`, configMap(name, { size: name }));
  await send("PUT", `${MAPS}/a?fieldManager=changer`, configMap("a", { size: "aa" }));
});
afterAll(() => cluster.close(0));

const only = (report: TrialReport) => report.policies[0]!;

test("a policy is judged on what is stored and on each write of the history", async () => {
  const report = await cluster.tryPolicies([validating("size", "object.?data.?size.orValue('') != 'aa'")]);
  expect(only(report)).toMatchObject({
    kind: "ValidatingAdmissionPolicy",
    policy: "size",
    bindings: ["size"],
    objects: { refuse: 1 },
    writes: { refuse: 1, fail: 0 },
  });
  expect(only(report).objects.judged).toBeGreaterThanOrEqual(3);
  expect(only(report).writes.judged).toBe(only(report).objects.judged + 1);
  expect(only(report).cost).toBeGreaterThan(0);
  expect(report.findings).toEqual([
    expect.objectContaining({ of: "object", operation: "CREATE", would: "refuse", message: "size says no" }),
    expect.objectContaining({ of: "write", operation: "UPDATE", managers: ["changer"] }),
  ]);
  expect(report.findings[0]).toMatchObject({ object: { kind: "ConfigMap", namespace: "default", name: "a" } });
});

test("findings are counted by resource and by manager, and only the first ones are reported", async () => {
  const report = await cluster.tryPolicies([validating("none", "!has(object.data) || !('size' in object.data)")], {
    limit: 2,
  });
  expect(only(report).resources).toEqual([expect.objectContaining({ resource: "configmaps", refuse: 7 })]);
  expect(only(report).managers).toEqual([
    expect.objectContaining({ manager: "changer", refuse: 2 }),
    expect.objectContaining({ manager: "maker", refuse: 6 }),
  ]);
  expect(report.findings).toHaveLength(2);
  expect(report.furtherFindings).toBe(5);
});

test("a policy about updates alone sees a stored object as an update of itself", async () => {
  const spec = { matchConstraints: rules(["UPDATE"]) };
  const report = await cluster.tryPolicies([
    validating("u", "object.metadata.name != 'b' || oldObject != object", spec),
  ]);
  expect(report.findings).toMatchObject([{ of: "object", operation: "UPDATE", object: { name: "b" } }]);
  expect(only(report).writes).toMatchObject({ judged: 1, refuse: 0 });
});

test("what a mutation would change is reported, and nothing is changed", async () => {
  const before = cluster.store.revision;
  const report = await cluster.tryPolicies([
    mutating("stamp", "Object{metadata: Object.metadata{labels: {'stamped': object.metadata.name}}}"),
  ]);
  expect(only(report).objects.change).toBe(only(report).objects.judged);
  const finding = report.findings.find(({ object }) => object.name === "b");
  expect(finding).toMatchObject({ would: "change" });
  expect(finding?.changes).toEqual([{ op: "add", pointer: "/metadata/labels", after: { stamped: "b" } }]);
  expect(cluster.store.revision).toBe(before);
});

test("bindings, params and namespaces of the documents are used", async () => {
  const report = await cluster.tryPolicies([
    validating("limit", "object.?data.?size.orValue('') != params.data.size", {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      matchConstraints: rules(["CREATE"]),
    }),
    binding("limit", { paramRef: { name: "p", namespace: "params", parameterNotFoundAction: "Deny" } }),
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "p", namespace: "params" }, data: { size: "b" } },
  ]);
  expect(report.findings.map(({ of, object, binding: name }) => [of, object.name, name])).toEqual([
    ["object", "b", "limit-binding"],
    ["write", "b", "limit-binding"],
  ]);
});

test("actions of a binding, and failures, are distinguished", async () => {
  const report = await cluster.tryPolicies([
    validating("w", "object.metadata.name != 'a'"),
    binding("w", { validationActions: ["Warn"] }),
    validating("f", "object.metadata.name != 'a' || object.missing.member"),
  ]);
  expect(report.policies.map(({ policy, objects: { warn, refuse, fail } }) => [policy, warn, refuse, fail])).toEqual([
    ["w", 1, 0, 0],
    ["f", 0, 0, 1],
  ]);
});

test("a trial on many objects takes no long slice of the event loop", async () => {
  const value = (i: number): Buffer =>
    Buffer.from(
      JSON.stringify({
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: { name: `m${i}`, namespace: "default" },
        data: { size: "x".repeat(200) },
      }),
    );
  const count = 20_000;
  const records = Array.from({ length: count }, (_, i) => ({
    key: `/core/configmaps/default/m${i}`,
    value: value(i),
    revision: i + 1,
  }));
  const store = await openMemoryStore({
    records: records.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    revision: count,
  });
  const large = await createCluster({ store, dialect: kubernetes });
  await using _ = large;
  await expectNoLongSlice(
    () => [validating("short", "object.data.size.size() < 100"), validating("long", "size(object.data) > 0")],
    async (documents) => {
      const report = await large.tryPolicies(documents);
      expect(only(report).objects).toMatchObject({ refuse: count });
    },
  );
});

test("a caller sees only what a list would show", async () => {
  const about = { matchConstraints: rules(["*"], ["configmaps", "secrets"]) };
  const body = { apiVersion: "v1", kind: "List", items: [validating("all", "false", about)] };
  const response = await send("POST", "/keelson/v1/policies/try", body, { user: "limited", groups: [] });
  expect(response.code).toBe(200);
  const report = JSON.parse(response.text) as TrialReport;
  expect(report.skipped).toEqual([{ resource: "secrets", why: 'user "limited" may not list them' }]);
  expect(only(report).resources.map(({ resource }) => resource)).toEqual(["configmaps"]);
});

test.each([
  [
    "params that the caller may not read",
    [
      validating("reads", "params.data.size() > 0", { paramKind: { apiVersion: "v1", kind: "Secret" } }),
      binding("reads", { paramRef: { name: "s", namespace: "default", parameterNotFoundAction: "Deny" } }),
    ],
    422,
    'user limited must have \\"get\\" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)',
  ],
  [
    "webhooks that the caller may not configure",
    [
      {
        apiVersion: `${GROUP}/v1`,
        kind: "ValidatingWebhookConfiguration",
        metadata: { name: "elsewhere" },
        webhooks: [
          {
            name: "w.example.com",
            clientConfig: { url: "https://127.0.0.1:1/" },
            sideEffects: "None",
            admissionReviewVersions: ["v1"],
            rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] }],
          },
        ],
      },
    ],
    403,
    "needs the right to create validatingwebhookconfigurations",
  ],
])("%s are refused", async (_, items, code, text) => {
  const body = { apiVersion: "v1", kind: "List", items };
  const response = await send("POST", "/keelson/v1/policies/try", body, { user: "limited", groups: [] });
  expect(response.code).toBe(code);
  expect(response.text).toContain(text);
  expect((await send("POST", "/keelson/v1/policies/try", body)).code).toBe(200);
});

test.each([
  ["a policy that the server would refuse", [validating("bad", "object.")], 422, "compilation failed"],
  ["an unknown kind", [{ apiVersion: "x/v1", kind: "Y", metadata: { name: "y" } }], 400, "expected document 1"],
  ["no document", [], 400, "expected a List of 1 to 200 documents, got 0"],
])("%s is refused", async (_, items, code, text) => {
  const response = await send("POST", "/keelson/v1/policies/try", { apiVersion: "v1", kind: "List", items });
  expect(response.code).toBe(code);
  expect(response.text).toContain(text);
});

test("a limit that is no number is refused", async () => {
  const response = await send("POST", "/keelson/v1/policies/try?limit=x", { kind: "List", items: [] });
  expect(response.code).toBe(400);
});

test("the version before the first update of the history is read", async () => {
  const compacted = await createCluster({ store: await openMemoryStore(), dialect: kubernetes });
  await using _ = compacted;
  const write = (method: string, url: string, size: string) =>
    compacted.server.inject({
      method,
      url,
      identity: ADMIN,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(configMap("a", { size })),
    });
  await write("POST", MAPS, "1");
  const since = compacted.store.revision;
  await write("PUT", `${MAPS}/a`, "2");
  await compacted.store.compact(since);
  const spec = { matchConstraints: rules(["UPDATE"]) };
  const report = await compacted.tryPolicies([validating("same", "object.data == oldObject.data", spec)]);
  expect(only(report).writes).toMatchObject({ judged: 1, refuse: 1, fail: 0 });
  expect(report.history).toEqual({ since: String(since), until: String(since + 1), withoutBefore: 0 });
});

test("a write of a subresource that shows another kind is judged as that kind", async () => {
  const scaled = await createCluster({ store: await openMemoryStore(), dialect: kubernetes });
  await using _ = scaled;
  const apps = "/apis/apps/v1/namespaces/default/deployments";
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const spec = { replicas: 1, selector: { matchLabels: { a: "b" } }, template };
  const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "default" }, spec };
  const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: web.metadata, spec: { replicas: 7 } };
  for (const [method, url, body] of [
    ["POST", apps, web],
    ["PUT", `${apps}/web/scale`, scale],
  ] as const) {
    const headers = { "content-type": "application/json" };
    await scaled.server.inject({ method, url, identity: ADMIN, headers, body: JSON.stringify(body) });
  }
  const about = {
    matchConstraints: {
      resourceRules: [
        { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["*"], resources: ["deployments/scale"] },
      ],
    },
  };
  const report = await scaled.tryPolicies([
    validating("scales", "object.kind != 'Scale' || object.spec.replicas <= oldObject.spec.replicas", about),
  ]);
  expect(only(report)).toMatchObject({ objects: { judged: 0 }, writes: { judged: 1, refuse: 1, fail: 0 } });
});

const configuration = (sideEffects: string): Value => ({
  apiVersion: `${GROUP}/v1`,
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "checks" },
  webhooks: [
    {
      name: "names.example.com",
      clientConfig: { url: "https://127.0.0.1:1/names" },
      rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
      sideEffects,
      admissionReviewVersions: ["v1"],
    },
  ],
});

test("webhooks are called as dry runs, and what they refuse is reported", async () => {
  reviews.length = 0;
  const report = await cluster.tryPolicies([configuration("None")]);
  expect(only(report)).toMatchObject({
    kind: "ValidatingWebhookConfiguration",
    policy: "checks",
    bindings: ["names.example.com"],
    objects: { refuse: 1, fail: 0 },
    writes: { refuse: 1 },
  });
  expect(report.findings[0]).toMatchObject({ binding: "names.example.com", object: { name: "b" } });
  expect(report.findings[0]?.message).toContain("b is reserved");
  expect(reviews.every(({ dryRun }) => dryRun)).toBe(true);
  expect(reviews).toHaveLength(only(report).objects.judged + only(report).writes.judged);
});

test("a webhook whose side effects do not allow a dry run is not called", async () => {
  reviews.length = 0;
  await expect(cluster.tryPolicies([configuration("Some")])).rejects.toThrow("sideEffects");
  expect(reviews).toEqual([]);
});

const mutatingConfiguration: Value = {
  ...(configuration("None") as { [member: string]: Value }),
  kind: "MutatingWebhookConfiguration",
};

test("what a webhook would change is reported", async () => {
  const patch = [{ op: "add", path: "/metadata/labels", value: { seen: "yes" } }];
  changing.patch = Buffer.from(JSON.stringify(patch)).toString("base64");
  const report = await cluster.tryPolicies([mutatingConfiguration]);
  changing.patch = undefined;
  expect(only(report).objects).toMatchObject({ refuse: 1, change: only(report).objects.judged - 1 });
  expect(report.findings.find(({ would }) => would === "change")).toMatchObject({
    changes: [{ op: "add", pointer: "/metadata/labels", after: { seen: "yes" } }],
  });
});
