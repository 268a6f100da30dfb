/**
 * The cost of a decision of RBAC: a user with 100 bindings among 10 000 in the cluster, warm and right after a change.
 *
 *     node bench/rbac.ts [bindings of the cluster] [bindings of the user]
 *
 * @module
 */
import { rbacOf } from "../src/auth/rbac/rbac.ts";
import { mastersAuthorizer } from "../src/auth/admin.ts";
import type { Authorizer, Decision } from "../src/auth/contract.ts";
import { createCluster } from "../src/cluster/index.ts";
import { kubernetes } from "../src/meta/dialect.ts";
import { NO_REQUEST, type RequestInfo } from "../src/meta/request-info.ts";
import { openMemoryStore } from "../src/storage/memory/store.ts";

const BINDINGS = Number(process.argv[2] ?? 10_000);
const OWN = Number(process.argv[3] ?? 100);
const GROUP = "rbac.authorization.k8s.io";

let rbac!: Authorizer;
const cluster = await createCluster({
  store: await openMemoryStore(),
  dialect: kubernetes,
  authorizer: ({ lookup, api }) => {
    rbac = rbacOf(lookup, api.clock.loop);
    return mastersAuthorizer;
  },
});
const client = cluster.client("bench");
const BASE = `/apis/${GROUP}/v1`;

const roleOf = (i: number): object => ({
  metadata: { name: `role-${i}` },
  rules: [
    { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["pods", "pods/log", "services"] },
    { verbs: ["*"], apiGroups: [`g${i}.example.com`], resources: ["*"] },
  ],
});

const bindingOf = (i: number, user: string): object => ({
  metadata: { name: `binding-${i}` },
  roleRef: { apiGroup: GROUP, kind: "Role", name: `role-${i % OWN}` },
  subjects: [{ kind: "User", name: user }],
});

/** Puts a hundred bindings in each namespace; the first has all of the user. */
const namespaceOf = (i: number): string => `n${Math.floor(i / OWN)}`;

for (let i = 0; i < BINDINGS; i += OWN) {
  const namespace = namespaceOf(i);
  await client.json("POST", "/api/v1/namespaces", { body: { metadata: { name: namespace } } });
  const place = `${BASE}/namespaces/${namespace}`;
  for (let j = i; j < i + OWN; j++) {
    if (i === 0) await client.json("POST", `${place}/roles`, { body: roleOf(j) });
    await client.json("POST", `${place}/rolebindings`, { body: bindingOf(j, i === 0 ? "kim" : `user-${j}`) });
  }
}

const kim = { user: "kim", groups: ["team", "system:authenticated"] };
const ask = (more: Partial<RequestInfo>): RequestInfo => ({
  ...NO_REQUEST,
  isResource: true,
  verb: "get",
  resource: "pods",
  namespace: "n0",
  ...more,
});
const QUESTIONS: Readonly<Record<string, RequestInfo>> = {
  "allowed by the first role": ask({}),
  "allowed by the last role": ask({ group: `g${OWN - 1}.example.com`, resource: "things", verb: "delete" }),
  "not allowed": ask({ verb: "delete", resource: "secrets" }),
};

const micros = (ms: number): string => `${(ms * 1000).toFixed(2)} us`;

let started = performance.now();
await rbac.authorize(kim, ask({}));
console.log(`first question, ${BINDINGS} bindings read: ${(performance.now() - started).toFixed(1)} ms`);

for (const [name, info] of Object.entries(QUESTIONS)) {
  const decide = (): Decision => rbac.authorize(kim, info) as Decision;
  for (let i = 0; i < 20_000; i++) decide();
  started = performance.now();
  const ROUNDS = 200_000;
  for (let i = 0; i < ROUNDS; i++) decide();
  console.log(`warm, ${name}: ${micros((performance.now() - started) / ROUNDS)}`);
}

for (const what of ["a role of theirs", "a role of others", "a binding of theirs"]) {
  const times: number[] = [];
  for (let i = 0; i < 300; i++) {
    const namespace = what === "a role of others" ? "n1" : "n0";
    const plural = what === "a binding of theirs" ? "rolebindings" : "roles";
    const name = plural === "roles" ? (namespace === "n0" ? "role-3" : "other") : "binding-3";
    const object = plural === "roles" ? roleOf(i) : bindingOf(3, "kim");
    const body = { ...object, metadata: { name, labels: { round: String(i) } } };
    await client.json("PUT", `${BASE}/namespaces/${namespace}/${plural}/${name}`, { body });
    started = performance.now();
    await rbac.authorize(kim, QUESTIONS["allowed by the last role"]!);
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  const [half, most] = [times[150]!, times[297]!];
  console.log(`first question after a change of ${what}: p50 ${micros(half)}, p99 ${micros(most)}`);
}

await cluster.close();
