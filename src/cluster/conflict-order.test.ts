/** Writes with several errors: which of them is returned, as in kube-apiserver. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { authorizerOf } from "../auth/authorizer.ts";
import { kubernetes } from "../meta/dialect.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import { type Cluster, createCluster } from "./index.ts";

const ADMIN = { user: "admin", groups: ["system:masters"] };
const EDITOR = { user: "ed", groups: ["system:authenticated"] };
const AGENT = { user: "system:node:a", groups: ["system:nodes", "system:authenticated"] };
const GROUP = "rbac.authorization.k8s.io";
const ROLES = `/apis/${GROUP}/v1/clusterroles`;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await createCluster({
    store: await openMemoryStore(),
    dialect: kubernetes,
    authorizer: authorizerOf(["Node", "RBAC"]),
    plugins: { enable: ["NodeRestriction"], disable: ["ServiceAccount", "TaintNodesByCondition"] },
  });
  const rules = [{ verbs: ["update", "patch"], apiGroups: [GROUP], resources: ["clusterroles"] }];
  await ask(ADMIN, "POST", ROLES, { metadata: { name: "editor" }, rules });
  await ask(ADMIN, "POST", `/apis/${GROUP}/v1/clusterrolebindings`, {
    metadata: { name: "editor" },
    roleRef: { apiGroup: GROUP, kind: "ClusterRole", name: "editor" },
    subjects: [{ apiGroup: GROUP, kind: "User", name: "ed" }],
  });
  await ask(ADMIN, "POST", ROLES, { metadata: { name: "x" }, rules: [] });
  for (const name of ["a", "b"]) await ask(ADMIN, "POST", "/api/v1/nodes", { metadata: { name } });
});
afterAll(() => cluster.close(0));

async function ask(identity: typeof ADMIN, method: string, url: string, body: object): Promise<number> {
  const patch = url.includes("fieldManager") ? "application/apply-patch+yaml" : "application/merge-patch+json";
  const headers = { "content-type": method === "PATCH" ? patch : "application/json" };
  return (await cluster.server.inject({ method, url, identity, headers, body: JSON.stringify(body) })).code;
}

const SECRETS = [{ verbs: ["get"], apiGroups: [""], resources: ["secrets"] }];
const role = (metadata: object, rules: object[]) => ({ metadata: { name: "x", ...metadata }, rules });
const applied = (rules: object[]) => ({
  apiVersion: `${GROUP}/v1`,
  kind: "ClusterRole",
  ...role({ resourceVersion: "1" }, rules),
});

test.each([
  ["an old version and rights that the writer has not", "PUT", { resourceVersion: "1" }, SECRETS, 403],
  ["the same in a patch", "PATCH", { resourceVersion: "1" }, SECRETS, 403],
  ["an old version alone", "PUT", { resourceVersion: "1" }, [], 409],
  ["an old version alone in a patch", "PATCH", { resourceVersion: "1" }, [], 409],
  ["no version at all and such rights", "PUT", { resourceVersion: "abc" }, SECRETS, 403],
  ["no version at all", "PUT", { resourceVersion: "abc" }, [], 400],
  ["another uid and such rights", "PUT", { uid: "u" }, SECRETS, 409],
  ["another uid and such rights in a patch", "PATCH", { uid: "u" }, SECRETS, 403],
  ["another uid in a patch", "PATCH", { uid: "u" }, [], 422],
  ["an old version and a rule that is none", "PUT", { resourceVersion: "1" }, [{ verbs: [] }], 409],
])("RBAC-46: who escalates with %s is told so in this order", async (_what, method, metadata, rules, code) => {
  expect(await ask(EDITOR, method, `${ROLES}/x`, role(metadata, rules))).toBe(code);
});

test("RBAC-46: an apply with an old version is 403 where it gives too much, else 409", async () => {
  const url = `${ROLES}/x?fieldManager=m&force=true`;
  expect(await ask(EDITOR, "PATCH", url, applied(SECRETS))).toBe(403);
  expect(await ask(EDITOR, "PATCH", url, applied([]))).toBe(409);
});

test("what NodeRestriction refuses is 403 whatever the version is", async () => {
  const node = (name: string, labels = {}) => ({ metadata: { name, labels, resourceVersion: "1" } });
  const kept = { "node-restriction.kubernetes.io/x": "y" };
  expect(await ask(AGENT, "PUT", "/api/v1/nodes/b", node("b"))).toBe(403);
  expect(await ask(AGENT, "PUT", "/api/v1/nodes/a", node("a", kept))).toBe(403);
  expect(await ask(AGENT, "PATCH", "/api/v1/nodes/a", node("a", kept))).toBe(403);
  expect(await ask(AGENT, "PUT", "/api/v1/nodes/a", node("a", { x: "y" }))).toBe(409);
});
