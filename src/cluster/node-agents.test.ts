import { afterAll, beforeAll, expect, test } from "vitest";
import { authorizerOf } from "../auth/authorizer.ts";
import { kubernetes } from "../meta/dialect.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { type Cluster, createCluster } from "./index.ts";

const ADMIN = { user: "admin", groups: ["system:masters"] };
const agent = (node: string) => ({ user: `system:node:${node}`, groups: ["system:nodes", "system:authenticated"] });
const NS = "/api/v1/namespaces/default";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await createCluster({
    store: await openMemoryStore(),
    dialect: kubernetes,
    clock: new ManualClock(),
    random: seededRandom(1),
    authorizer: authorizerOf(["Node", "RBAC"]),
    plugins: { enable: ["NodeRestriction"], disable: ["ServiceAccount", "TaintNodesByCondition"] },
  });
  for (const node of ["a", "b"]) await make("/api/v1/nodes", { kind: "Node", metadata: { name: node } });
  for (const name of ["used", "of-volume", "of-controller", "other"]) {
    await make(`${NS}/secrets`, { kind: "Secret", metadata: { name } });
    await make(`${NS}/configmaps`, { kind: "ConfigMap", metadata: { name } });
  }
  await make(`${NS}/serviceaccounts`, { kind: "ServiceAccount", metadata: { name: "robot" } });
  await make("/api/v1/persistentvolumes", volume);
  await make(`${NS}/pods`, pod("p", "a"));
});
afterAll(() => cluster.close(0));

const container = {
  name: "c",
  image: "i",
  envFrom: [{ configMapRef: { name: "used" } }],
  env: [{ name: "E", valueFrom: { secretKeyRef: { name: "from-env", key: "k" } } }],
};

const pod = (name: string, nodeName: string) => ({
  kind: "Pod",
  metadata: { name },
  spec: {
    nodeName,
    serviceAccountName: "robot",
    imagePullSecrets: [{ name: "to-pull" }],
    containers: [container],
    volumes: [
      { name: "s", secret: { secretName: "used" } },
      { name: "c", persistentVolumeClaim: { claimName: "claim" } },
      { name: "e", ephemeral: { volumeClaimTemplate: { spec: claimSpec } } },
      { name: "t", projected: { sources: [{ serviceAccountToken: { path: "t", audience: "vault" } }] } },
    ],
  },
});
const claimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

const volume = {
  kind: "PersistentVolume",
  metadata: { name: "volume" },
  spec: {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    claimRef: { namespace: "default", name: "claim" },
    csi: {
      driver: "d",
      volumeHandle: "h",
      nodePublishSecretRef: { namespace: "default", name: "of-volume" },
      controllerPublishSecretRef: { namespace: "default", name: "of-controller" },
    },
  },
};

type Who = typeof ADMIN;

/** The code of a response, and what it says. */
async function ask(identity: Who, method: string, url: string, body?: object) {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const sent = body ? { body: JSON.stringify({ ...body }), headers: { "content-type": type } } : {};
  const response = await cluster.server.inject({ method, url, identity, ...sent });
  return {
    code: response.code,
    body: JSON.parse(await response.text()) as { metadata: { uid: string }; message?: string },
  };
}

async function make(url: string, body: object) {
  const { code, body: made } = await ask(ADMIN, "POST", url, { apiVersion: "v1", ...body });
  if (code !== 201) throw new Error(`expected ${url} to take the object, got ${code}: ${made.message}`);
  return made;
}

test.each([
  ["GET", `${NS}/secrets/used`, 200],
  ["GET", `${NS}/secrets?fieldSelector=metadata.name%3Dused`, 200],
  ["GET", `${NS}/secrets/to-pull`, 404],
  ["GET", `${NS}/secrets/from-env`, 404],
  ["GET", `${NS}/secrets/of-volume`, 200],
  ["GET", `${NS}/configmaps/used`, 200],
  ["GET", `${NS}/serviceaccounts/robot`, 200],
  ["GET", `${NS}/persistentvolumeclaims/claim`, 404],
  ["GET", `${NS}/persistentvolumeclaims/p-e`, 404],
  ["GET", "/api/v1/persistentvolumes/volume", 200],
  ["GET", `${NS}/pods/p`, 200],
  ["GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Da", 200],
  ["GET", "/api/v1/nodes/a", 200],
  ["GET", "/api/v1/nodes?fieldSelector=metadata.name%3Da", 200],
  ["GET", "/api/v1/services", 200],
  ["GET", `${NS}/secrets/of-controller`, 403],
  ["GET", `${NS}/secrets/other`, 403],
  ["GET", `${NS}/secrets`, 403],
  ["DELETE", `${NS}/secrets/used`, 403],
  ["GET", `${NS}/configmaps/other`, 403],
  ["GET", "/api/v1/persistentvolumes", 403],
  ["GET", "/api/v1/pods", 403],
  ["GET", "/api/v1/nodes/b", 403],
  ["GET", "/api/v1/nodes", 403],
  ["PATCH", `${NS}/pods/p`, 403],
])("RBAC-38: the agent of a node asks %s %s: %i", async (method, url, code) => {
  expect((await ask(agent("a"), method, url, method === "PATCH" ? {} : undefined)).code).toBe(code);
});

test.each([`${NS}/secrets/used`, `${NS}/secrets/of-volume`, `${NS}/pods/p`, "/api/v1/persistentvolumes/volume"])(
  "RBAC-38: another node reads nothing of it: %s",
  async (url) => {
    const { code, body } = await ask(agent("b"), "GET", url);
    expect(code).toBe(403);
    expect(JSON.stringify(body)).toContain("no relationship found between node 'b' and this object");
  },
);

test("RBAC-38: a name alone makes no agent, and an agent without a name may do nothing", async () => {
  const { user } = agent("a");
  expect((await ask({ user, groups: ["system:authenticated"] }, "GET", `${NS}/secrets/used`)).code).toBe(403);
  expect((await ask(agent(""), "GET", `${NS}/secrets/used`)).code).toBe(403);
});

test("RBAC-38: rights come and go with Pods and volumes", async () => {
  const secret = () => ask(agent("b"), "GET", `${NS}/secrets/of-volume`).then(({ code }) => code);
  expect(await secret()).toBe(403);
  await make(`${NS}/pods`, pod("q", "b"));
  expect(await secret()).toBe(200);
  await ask(ADMIN, "DELETE", `${NS}/pods/q?gracePeriodSeconds=0`);
  expect(await secret()).toBe(403);
});

test("an agent writes its own Lease", async () => {
  const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
  const lease = (name: string) => ({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name } });
  expect((await ask(agent("a"), "POST", leases, lease("a"))).code).toBe(201);
  expect((await ask(agent("a"), "POST", leases, lease("b"))).code).toBe(403);
  expect((await ask(agent("a"), "GET", `${leases}/b`)).code).toBe(403);
});

test.each([
  ["a label of its own", "a", { metadata: { labels: { "node.kubernetes.io/kind": "x", "acme.com/x": "y" } } }, 200],
  ["a label of the system", "a", { metadata: { labels: { "node-role.kubernetes.io/master": "" } } }, 403],
  ["a label that steers work", "a", { metadata: { labels: { "x.node-restriction.kubernetes.io/a": "b" } } }, 403],
  ["taints", "a", { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } }, 403],
  ["another Node", "b", { metadata: { labels: { a: "b" } } }, 403],
])("an agent changes of a Node: %s", async (_, node, patch, code) => {
  expect((await ask(agent("a"), "PATCH", `/api/v1/nodes/${node}`, patch)).code).toBe(code);
});

test("CVE-2025-5187: an agent gives its Node no owner, by which it would be collected", async () => {
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "gone" }];
  expect((await ask(agent("a"), "PATCH", "/api/v1/nodes/a", { metadata: { ownerReferences } })).code).toBe(403);
  expect((await ask(agent("a"), "DELETE", "/api/v1/nodes/a")).code).toBe(403);
});

test("an agent creates mirrors of its Pods only, which refer to nothing", async () => {
  const { body: node } = await ask(ADMIN, "GET", "/api/v1/nodes/a");
  const owner = { apiVersion: "v1", kind: "Node", name: "a", uid: node.metadata.uid, controller: true };
  const mirror = (name: string, more: object = {}, metadata: object = {}) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, annotations: { "kubernetes.io/config.mirror": "x" }, ownerReferences: [owner], ...metadata },
    spec: { nodeName: "a", containers: [{ name: "c", image: "i" }], ...more },
  });
  const codes = [
    mirror("m"),
    mirror("m1", {}, { annotations: {} }),
    mirror("m2", { nodeName: "b" }),
    mirror("m3", {}, { ownerReferences: [] }),
    mirror("m4", {}, { ownerReferences: [{ ...owner, uid: "other" }] }),
    mirror("m5", { containers: [{ ...container, env: [] }] }),
    mirror("m6", { volumes: [{ name: "s", secret: { secretName: "other" } }] }),
    mirror("m7", { serviceAccountName: "robot" }),
  ].map(async (body) => (await ask(agent("a"), "POST", `${NS}/pods`, body)).code);
  expect(await Promise.all(codes)).toEqual([201, 403, 403, 403, 403, 403, 403, 403]);
  expect((await ask(agent("a"), "DELETE", `${NS}/pods/m?gracePeriodSeconds=0`)).code).toBe(200);
});

test("an agent writes the status of its own Pods, and no labels by that", async () => {
  const status = { status: { phase: "Running" } };
  expect((await ask(agent("a"), "PATCH", `${NS}/pods/p/status`, status)).code).toBe(200);
  expect((await ask(agent("b"), "PATCH", `${NS}/pods/p/status`, status)).code).toBe(403);
  expect((await ask(agent("b"), "DELETE", `${NS}/pods/p`)).code).toBe(403);
});

test("an agent makes tokens for its own Pods, for their audiences", async () => {
  const { body: found } = await ask(ADMIN, "GET", `${NS}/pods/p`);
  const token = (audience: string, uid = found.metadata.uid) => ({
    spec: { audiences: [audience], boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "p", uid } },
  });
  const path = `${NS}/serviceaccounts/robot/token`;
  expect((await ask(agent("a"), "POST", path, token("other"))).code).toBe(403);
  expect((await ask(agent("a"), "POST", path, token("vault", "old"))).code).toBe(403);
  expect((await ask(agent("b"), "POST", path, token("vault"))).code).toBe(403);
  // Let through: this cluster has nothing to sign with.
  expect((await ask(agent("a"), "POST", path, token("vault"))).code).toBe(500);
});

/** The code of an agent's wish for a token of a Pod on its node with these volumes, for an audience or for none. */
async function tokenFor(name: string, volumes: readonly object[], audiences: readonly string[]): Promise<number> {
  const { spec } = pod(name, "a");
  const { body: made } = await ask(ADMIN, "POST", `${NS}/pods`, {
    kind: "Pod",
    metadata: { name },
    spec: { ...spec, volumes },
  });
  const boundObjectRef = { apiVersion: "v1", kind: "Pod", name, uid: made.metadata.uid };
  const wish = { spec: { audiences, boundObjectRef } };
  return (await ask(agent("a"), "POST", `${NS}/serviceaccounts/robot/token`, wish)).code;
}

test("an agent makes tokens for the audiences of the drivers of a Pod's volumes", async () => {
  for (const [driver, audience] of [
    ["d", "of-d"],
    ["ebs.csi.aws.com", "of-ebs"],
  ]) {
    const body = {
      apiVersion: "storage.k8s.io/v1",
      kind: "CSIDriver",
      metadata: { name: driver },
      spec: { tokenRequests: [{ audience }] },
    };
    await make("/apis/storage.k8s.io/v1/csidrivers", body);
  }
  for (const name of ["mine", "t4-e"]) {
    const spec = { ...claimSpec, volumeName: "of-claims" };
    await make(`${NS}/persistentvolumeclaims`, { kind: "PersistentVolumeClaim", metadata: { name }, spec });
  }
  const { claimRef: _claim, ...ofClaims } = volume.spec;
  await make("/api/v1/persistentvolumes", { ...volume, metadata: { name: "of-claims" }, spec: ofClaims });
  const csi = { name: "v", csi: { driver: "d" } };
  const claimed = { name: "v", persistentVolumeClaim: { claimName: "mine" } };
  const ephemeral = { name: "e", ephemeral: { volumeClaimTemplate: { spec: claimSpec } } };
  const old = { name: "v", awsElasticBlockStore: { volumeID: "x" } };
  // Let through is 500: this cluster has nothing to sign with.
  expect(await tokenFor("t1", [csi], ["of-d"])).toBe(500);
  expect(await tokenFor("t2", [csi], ["of-ebs"])).toBe(403);
  expect(await tokenFor("t3", [claimed], ["of-d"])).toBe(500);
  expect(await tokenFor("t4", [ephemeral], ["of-d"])).toBe(500);
  expect(await tokenFor("t5", [old], ["of-ebs"])).toBe(500);
  expect(await tokenFor("t6", [{ name: "v", emptyDir: {} }], [])).toBe(403);
  expect(
    await tokenFor("t7", [{ name: "p", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }], []),
  ).toBe(500);
  expect(await tokenFor("t8", [csi], ["of-d", "of-ebs"])).toBe(403);
});

test("an agent makes tokens for audiences that a role lets its node ask for, where all that its Pod names is there", async () => {
  const verbs = ["request-serviceaccounts-token-audience"];
  const rules = [{ verbs, apiGroups: [""], resources: ["granted"], resourceNames: ["robot"] }];
  await make("/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: { name: "audiences" },
    rules,
  });
  await make("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name: "audiences" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "audiences" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "system:node:a" }],
  });
  expect(await tokenFor("g1", [], ["granted"])).toBe(500);
  expect(await tokenFor("g2", [], ["else"])).toBe(403);
  expect(await tokenFor("g3", [{ name: "v", persistentVolumeClaim: { claimName: "gone" } }], ["granted"])).toBe(403);
});
