import { afterAll, beforeAll, expect, test } from "vitest";
import { authorizerOf } from "../auth/authorizer.ts";
import { kubernetes } from "../meta/dialect.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { type Cluster, createCluster } from "./index.ts";

const ADMIN = { user: "admin", groups: ["system:masters"] };
const NS = "/api/v1/namespaces/default";
const ROLES = "/apis/rbac.authorization.k8s.io/v1";

interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

let cluster: Cluster;
let people = 0;
beforeAll(async () => {
  cluster = await createCluster({
    store: await openMemoryStore(),
    dialect: kubernetes,
    clock: new ManualClock(),
    random: seededRandom(1),
    authorizer: authorizerOf(["RBAC"]),
  });
  await ask(ADMIN, "POST", "/api/v1/namespaces", { body: { metadata: { name: "going", finalizers: ["a.com/b"] } } });
  await ask(ADMIN, "DELETE", "/api/v1/namespaces/going");
});
afterAll(() => cluster.close(0));

interface Sent {
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

async function ask(identity: typeof ADMIN, method: string, url: string, { body, headers = {} }: Sent = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const sent = body === undefined ? {} : { body: text };
  const type = method === "PATCH" ? "application/apply-patch+yaml" : "application/json";
  const response = await cluster.server.inject({
    method,
    url,
    identity,
    headers: { "content-type": type, ...headers },
    ...sent,
  });
  const read = await response.text();
  return { code: response.code, body: (read === "" ? {} : JSON.parse(read)) as Record<string, never> };
}

/** A user with these rules in the whole cluster. */
async function somebody(...rules: readonly Rule[]) {
  const name = `u${++people}`;
  const metadata = { name };
  const subjects = [{ kind: "User", name, apiGroup: "rbac.authorization.k8s.io" }];
  const full = rules.map((rule) => ({ apiGroups: ["", "coordination.k8s.io"], ...rule }));
  await ask(ADMIN, "POST", `${ROLES}/clusterroles`, { body: { metadata, rules: full } });
  const roleRef = { kind: "ClusterRole", name, apiGroup: "rbac.authorization.k8s.io" };
  await ask(ADMIN, "POST", `${ROLES}/clusterrolebindings`, { body: { metadata, roleRef, subjects } });
  return { user: name, groups: ["system:authenticated"] };
}

const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const lease = (name: string) => ({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name } });
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases";

test("RBAC-6: a PUT that creates asks update, and then create with the name", async () => {
  const half = await somebody({ verbs: ["update"], resources: ["leases"] });
  expect(await ask(half, "PUT", `${LEASES}/a`, { body: lease("a") })).toMatchObject({
    code: 403,
    body: { details: { kind: "leases", name: "a" }, message: expect.stringContaining("cannot create resource") },
  });
  const rule = { verbs: ["update", "create"], resources: ["leases"], resourceNames: ["a"] };
  const both = await somebody(rule);
  expect((await ask(both, "PUT", `${LEASES}/a`, { body: lease("a") })).code).toBe(201);
  expect((await ask(both, "PUT", `${LEASES}/b`, { body: lease("b") })).code).toBe(403);
  expect((await ask(both, "POST", LEASES, { body: lease("a") })).code).toBe(403);
});

test("RBAC-6: an apply of what is not there asks patch, and then create with the name; an update of it is 404", async () => {
  const half = await somebody({ verbs: ["patch", "update"], resources: ["configmaps"] });
  const applied = { body: configMap("new") };
  expect((await ask(half, "PATCH", `${NS}/configmaps/new?fieldManager=m`, applied)).code).toBe(403);
  expect((await ask(half, "PUT", `${NS}/configmaps/new`, { body: configMap("new") })).code).toBe(404);
  const both = await somebody({ verbs: ["patch", "create"], resources: ["configmaps"], resourceNames: ["new"] });
  expect((await ask(both, "PATCH", `${NS}/configmaps/new?fieldManager=m`, applied)).code).toBe(201);
});

test("RBAC-7: a dry run needs the same rights", async () => {
  const reader = await somebody({ verbs: ["get"], resources: ["configmaps"] });
  expect((await ask(reader, "POST", `${NS}/configmaps?dryRun=All`, { body: configMap("x") })).code).toBe(403);
});

test.each([
  ["POST", `${NS}/configmaps`, "{", {}],
  ["POST", `${NS}/configmaps?dryRun=bad`, "{}", {}],
  ["POST", `${NS}/configmaps`, "{}", { "content-type": "text/plain" }],
  ["GET", `${NS}/configmaps?fieldSelector=(&limit=x`, undefined, {}],
  ["GET", `${NS}/configmaps`, undefined, { accept: "text/html" }],
  ["GET", `${NS}/nothing`, undefined, {}],
  ["GET", "/apis/nothing/v1/things", undefined, {}],
  ["GET", "/api/v1/namespaces/nowhere/configmaps", undefined, {}],
  ["GET", "/nothing", undefined, {}],
  ["OPTIONS", `${NS}/configmaps`, undefined, {}],
])("RBAC-8, RBAC-9: %s %s is 403 to who may not, whatever is wrong with it", async (method, url, body, headers) => {
  const nobody = { user: "nobody-special", groups: ["system:authenticated"] };
  expect((await ask(nobody, method, url, { ...(body === undefined ? {} : { body }), headers })).code).toBe(403);
});

test("RBAC-10, RBAC-11: a refusal names the plural, the group and the name, and the subresource in words only", async () => {
  const nobody = { user: "nobody-special", groups: ["system:authenticated"] };
  const { body } = await ask(nobody, "PUT", "/apis/apps/v1/namespaces/default/deployments/d/scale", { body: {} });
  expect(body).toMatchObject({
    reason: "Forbidden",
    details: { group: "apps", kind: "deployments", name: "d" },
    message:
      'deployments.apps "d" is forbidden: User "nobody-special" cannot update resource "deployments/scale" in API group "apps" in the namespace "default"',
  });
  expect((await ask(nobody, "GET", "/api/v1/nodes")).body).toMatchObject({ details: { kind: "nodes" } });
  expect((await ask(nobody, "GET", "/metrics")).body["details"]).toEqual({});
  expect((await ask(nobody, "GET", "/apis/apps/v1//d")).body["details"]).toEqual({ group: "apps", name: "d" });
});

test("RBAC-13: in a namespace that is going, rights come before its end", async () => {
  const url = "/api/v1/namespaces/going/configmaps";
  const reader = await somebody({ verbs: ["get"], resources: ["configmaps"] });
  const writer = await somebody({ verbs: ["create"], resources: ["configmaps"] });
  const causes = async (who: typeof ADMIN) => (await ask(who, "POST", url, { body: configMap("x") })).body["details"];
  expect(await causes(reader)).toEqual({ kind: "configmaps" });
  expect(await causes(writer)).toMatchObject({
    causes: [{ reason: "NamespaceTerminating", field: "metadata.namespace" }],
  });
});

test("AUTHN-46: who may impersonate any group may become a master; a right for users names no groups", async () => {
  const users = await somebody({ verbs: ["impersonate"], resources: ["users"] });
  const all = await somebody({ verbs: ["impersonate"], resources: ["users", "groups"] });
  const as = (group: string) => ({ headers: { "impersonate-user": "jane", "impersonate-group": group } });
  expect((await ask(all, "GET", "/api/v1/nodes", as("system:masters"))).code).toBe(200);
  expect((await ask(users, "GET", "/api/v1/nodes", as("system:authenticated"))).body).toMatchObject({
    code: 403,
    details: { kind: "groups", name: "system:authenticated" },
  });
});

test("AUTHN-49: stored objects contain neither the impersonator nor the impersonated user", async () => {
  const headers = { "impersonate-user": "jane", "impersonate-group": "system:masters", "user-agent": "tool/1" };
  const { body } = await ask(ADMIN, "POST", `${NS}/configmaps`, {
    body: { ...configMap("written"), data: { k: "v" } },
    headers,
  });
  expect(body).toMatchObject({ metadata: { managedFields: [{ manager: "tool" }] } });
  expect(JSON.stringify(body)).not.toContain("jane");
});

test("RBAC-54: asking about others needs create on the kind", async () => {
  const review = { spec: { user: "jane", resourceAttributes: { verb: "get", resource: "pods" } } };
  const url = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
  const asker = await somebody({
    verbs: ["create"],
    apiGroups: ["authorization.k8s.io"],
    resources: ["subjectaccessreviews"],
  });
  expect((await ask(asker, "POST", url, { body: review })).body).toMatchObject({ status: { allowed: false } });
  expect((await ask({ ...asker, user: "else" }, "POST", url, { body: review })).code).toBe(403);
});
