/** Configurations of webhooks, policies and bindings as clients send and see them. Each request is metered. */
import { describe, expect, test } from "vitest";
import { authorizerOf } from "../../src/auth/authorizer.ts";
import { gatesOf } from "../../src/meta/gates.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { serve } from "./api.ts";

const GROUP = "admissionregistration.k8s.io";
const api = serve(
  {},
  {
    dialect: kubernetes,
    gates: gatesOf(kubernetes, { MutatingAdmissionPolicy: true }),
    authorizer: authorizerOf(["RBAC"]),
  },
);

const RULE = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
const WEBHOOK = {
  name: "w.example.com",
  clientConfig: { url: "https://127.0.0.1:1/" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};

const policies = `/apis/${GROUP}/v1/validatingadmissionpolicies`;
const webhooks = `/apis/${GROUP}/v1/mutatingwebhookconfigurations`;
const dryRun = { dryRun: "All" };

/** The longest list of an object. */
const MOST = 16_384;

const policyOf = (spec: object) => ({
  metadata: { name: "p" },
  spec: { matchConstraints: { resourceRules: [RULE] }, validations: [{ expression: "true" }], ...spec },
});

describe("HOOK-2, POL-A-2: what takes long to judge is judged beside the event loop", () => {
  const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

  test("an expression of the greatest length, and one that is longer", async () => {
    const sum = (terms: number) => `[${many(terms, () => "1").join(", ")}].size() > 0`;
    expect((await api.post(policies, policyOf({ validations: [{ expression: sum(33_000) }] }), dryRun)).status).toBe(
      201,
    );
    const refused = await api.post(policies, policyOf({ validations: [{ expression: sum(100_000) }] }), dryRun);
    expect([refused.status, refused.fields]).toEqual([422, ["spec.validations[0].expression"]]);
  });

  test("expressions, as many as a body may have", async () => {
    const validations = many(MOST, () => ({ expression: "object.metadata.name != 'x' && nosuch" }));
    const refused = await api.post(policies, policyOf({ validations }), dryRun);
    expect(refused.status).toBe(422);
    expect(refused.fields.length).toBeGreaterThan(0);
  });

  test("rules, and resources of a rule, as many as a body may have", async () => {
    const resources = many(MOST - 1, (i) => `a/${i}`);
    const rules = [{ ...RULE, resources: ["a/*", ...resources] }];
    const refused = await api.post(webhooks, { metadata: { name: "w" }, webhooks: [{ ...WEBHOOK, rules }] }, dryRun);
    expect([refused.status, refused.fields]).toEqual([
      422,
      expect.arrayContaining(["webhooks[0].rules[0].resources[1]"]),
    ]);
    const names = { ...RULE, resourceNames: many(MOST, (i) => `n${i}`) };
    const accepted = await api.post(policies, policyOf({ matchConstraints: { resourceRules: [names] } }), dryRun);
    expect(accepted.status).toBe(201);
  });

  test("thousands of webhooks", async () => {
    const all = many(4000, (i) => ({ ...WEBHOOK, name: `w${i}.example.com`, sideEffects: "Some" }));
    const refused = await api.post(webhooks, { metadata: { name: "w" }, webhooks: all }, dryRun);
    expect([refused.status, refused.fields[0]]).toEqual([422, "webhooks[0].sideEffects"]);
  });
});

test("HOOK-1: an apply owns webhooks and match conditions by their names, and rules as a whole", async () => {
  const path = `${webhooks}/applied`;
  const configuration = (name: string, conditions: string[]) => ({
    apiVersion: `${GROUP}/v1`,
    kind: "MutatingWebhookConfiguration",
    metadata: { name: "applied" },
    webhooks: [
      { ...WEBHOOK, name, rules: [RULE], matchConditions: conditions.map((c) => ({ name: c, expression: "true" })) },
    ],
  });
  expect((await api.apply(path, "one", configuration("a.example.com", ["c", "d"]))).status).toBe(201);
  expect((await api.apply(path, "two", configuration("b.example.com", ["c"]))).status).toBe(200);
  const { body } = await api.apply(path, "one", configuration("a.example.com", ["d"]));
  expect(body).toMatchObject({
    metadata: { generation: 3 },
    webhooks: [
      { name: "a.example.com", matchConditions: [{ name: "d", expression: "true" }] },
      { name: "b.example.com", matchConditions: [{ name: "c", expression: "true" }] },
    ],
  });
});

test("HOOK-1: an update needs a resourceVersion, and changes of webhooks alone count", async () => {
  const created = await api.post(webhooks, { metadata: { name: "counted" }, webhooks: [WEBHOOK] });
  const object = created.body as { metadata: object; webhooks: object[] };
  const path = `${webhooks}/counted`;
  const unversioned = await api.put(path, { ...object, metadata: { name: "counted" } });
  expect([unversioned.status, unversioned.fields]).toEqual([422, ["metadata.resourceVersion"]]);
  const emptied = await api.merge(path, { webhooks: [] });
  expect(emptied.body).toMatchObject({ metadata: { generation: 2 } });
  expect((await api.merge(path, { metadata: { labels: { a: "b" } } })).body).toMatchObject({
    metadata: { generation: 2 },
  });
});

test("POL-A-20: a mutating policy is the same object in its versions", async () => {
  const beta = `/apis/${GROUP}/v1beta1/mutatingadmissionpolicybindings`;
  const spec = { policyName: "p", paramRef: { name: "a", parameterNotFoundAction: "Allow" } };
  const made = await api.post(beta, { metadata: { name: "m" }, spec });
  expect([made.status, made.warnings[0]]).toEqual([201, expect.stringContaining("v1beta1")]);
  const alpha = await api.get(`/apis/${GROUP}/v1alpha1/mutatingadmissionpolicybindings/m`);
  expect(alpha.body).toMatchObject({ apiVersion: `${GROUP}/v1alpha1`, spec });
});

describe("RBAC-46, HOOK-10: a writer gives what a mutation adds", () => {
  const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
  const rule = (resource: string) => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });
  const maker = { user: "maker", groups: ["system:authenticated"] };
  const makeRole = (name: string) =>
    api.send(
      "POST",
      roles,
      { metadata: { name }, rules: [rule("pods")] },
      { identity: maker, headers: { "content-type": "application/json" } },
    );

  test("which is refused where the writer does not have it", async () => {
    const create = { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles"], verbs: ["create"] };
    await api.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", {
      metadata: { name: "maker" },
      rules: [create, rule("pods")],
    });
    await api.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      metadata: { name: "maker" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "maker" },
      subjects: [{ kind: "User", name: "maker" }],
    });
    expect((await makeRole("plain")).status).toBe(201);
    // The first policy acts in its second round only, when the label of the second one is there.
    const added = "{'apiGroups': [''], 'resources': ['secrets'], 'verbs': ['get']}";
    await mutateRoles(
      "a-adds-a-rule",
      `has(object.metadata.labels) ? [JSONPatch{op: 'add', path: '/rules/-', value: ${added}}] : []`,
    );
    await mutateRoles("b-labels", "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a': 'b'}}]");
    const refused = await makeRole("mutated");
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("secrets")]);
  });
});

/** Changes new roles by the operations of an expression. */
async function mutateRoles(name: string, expression: string): Promise<void> {
  const group = `/apis/${GROUP}/v1beta1`;
  const rules = [{ ...RULE, apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles"] }];
  const policy = await api.post(`${group}/mutatingadmissionpolicies`, {
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: rules },
      reinvocationPolicy: "IfNeeded",
      mutations: [{ patchType: "JSONPatch", jsonPatch: { expression } }],
    },
  });
  const binding = await api.post(`${group}/mutatingadmissionpolicybindings`, {
    metadata: { name },
    spec: { policyName: name },
  });
  expect([policy.status, binding.status]).toEqual([201, 201]);
}
