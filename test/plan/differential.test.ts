/** What a plan says is what happens: random manifests are planned, then applied one by one in a fork. */
import { describe, expect, test } from "vitest";
import {
  type Client,
  type Manifest,
  type PlannedDocument,
  StatusError,
  planDocuments,
} from "../../src/client/index.ts";
import { ConfigMap, ResourceQuota } from "../../src/client/kinds/index.ts";
import { type Cluster, createCluster } from "../../src/testing/index.ts";
import { seededRandom } from "../../src/util/clock.ts";
import { amount } from "../../src/util/testing/amount.ts";
import { drawManifest } from "./manifests.ts";

const MANIFESTS = amount("MANIFESTS", 30, 300);
const CORE = [
  "namespaces",
  "configmaps",
  "serviceaccounts",
  "services",
  "pods",
  "persistentvolumeclaims",
  "limitranges",
  "resourcequotas",
];
const SEED = Number(process.env["SEED"] ?? 1);
const OPTIONS = { fieldManager: "deployer", fieldValidation: "Warn" } as const;

/** May write nearly everything but Secrets and StorageClasses, and may give itself the rights to Secrets. */
const RIGHTS: readonly Manifest[] = [
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "deployer" },
    rules: [
      { apiGroups: ["apps", "example.com"], resources: ["*"], verbs: ["*"] },
      { apiGroups: [""], resources: CORE, verbs: ["*"] },
      { apiGroups: ["apiextensions.k8s.io", "scheduling.k8s.io"], resources: ["*"], verbs: ["get", "patch", "create"] },
      {
        apiGroups: ["rbac.authorization.k8s.io"],
        resources: ["roles", "rolebindings"],
        verbs: ["get", "patch", "create", "bind", "escalate"],
      },
      { nonResourceURLs: ["/keelson/*"], verbs: ["*"] },
    ],
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "deployer" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "deployer" },
    subjects: [{ kind: "User", name: "dee", apiGroup: "rbac.authorization.k8s.io" }],
  },
];

/** A cluster in which some of the objects are there: of others, of the deployer, with a quota that is used up. */
async function beginning(): Promise<Cluster> {
  const cluster = await createCluster({
    controllers: "none",
    rbac: true,
    admission: { enable: ["LimitRanger", "Priority", "ResourceQuota", "ServiceAccount"] },
  });
  await cluster.apply(...RIGHTS);
  const data = { x: "9" };
  const at = (name: string) => ({ name, namespace: "default" });
  await cluster.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: at("default") });
  await cluster
    .client()
    .resource(ConfigMap)
    .create({ metadata: at("one"), data });
  await cluster
    .client()
    .resource(ConfigMap)
    .apply({ metadata: at("two"), data: { y: "2" } }, OPTIONS);
  await cluster.apply({
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: at("limits"),
    spec: { limits: [{ type: "Container", max: { cpu: "150m" }, defaultRequest: { cpu: "50m" } }] },
  });
  const quotas = cluster.client().resource(ResourceQuota);
  const hard = { configmaps: "3" };
  const quota = await quotas.create({ metadata: at("tight"), spec: { hard } });
  await quotas.status.update({ ...quota, status: { hard, used: { configmaps: "3" } } });
  return cluster;
}

/** What became of one document that was really applied. */
interface Real {
  readonly result: string;
  readonly status?: unknown;
  readonly warnings: readonly string[];
}

const QUOTED = /^299 - "(.*)"$/;

async function applyOne(client: Client, document: Manifest): Promise<Real> {
  const warnings: string[] = [];
  const codes: number[] = [];
  const noting = client.with({
    through: (transport) => async (request) => {
      const answer = await transport(request);
      if (request.method !== "PATCH") return answer;
      const headers = [answer.headers?.["warning"] ?? []].flat().map(String);
      warnings.push(...headers.map((one) => QUOTED.exec(one)?.[1] ?? one));
      codes.push(answer.status);
      return answer;
    },
  });
  try {
    const resource = await noting.resource({ apiVersion: document.apiVersion, kind: document.kind });
    const { name, namespace } = document.metadata;
    const key = resource.kind.scope === "Namespaced" ? { name, namespace: namespace ?? "default" } : { name };
    const before = (await resource.find(key).catch(() => undefined))?.metadata.resourceVersion;
    const { metadata } = await resource.apply({ ...document, metadata: { ...document.metadata, ...key } }, OPTIONS);
    const isSame = before === metadata.resourceVersion;
    return { result: codes.at(-1) === 201 ? "created" : isSame ? "unchanged" : "changed", warnings };
  } catch (error) {
    if (!(error instanceof StatusError)) return { result: "refused", status: "unknown kind", warnings };
    return { result: "refused", status: error.status, warnings };
  }
}

/** What is drawn by chance in messages. */
const withoutChance = (text: string): string => text.replaceAll(/kube-api-access-\w{5}/g, "kube-api-access");
const shown = (real: Real): Real => JSON.parse(withoutChance(JSON.stringify(real))) as Real;

const planned = ({ result, status, refusedBy, warnings }: PlannedDocument): Real => {
  const isUnknown = refusedBy === "registry" && status?.message?.startsWith("expected a kind that is served");
  return { result, ...(status ? { status: isUnknown ? "unknown kind" : status } : {}), warnings };
};

/** An object without what differs each time: names of its creation, versions, and what is drawn by chance. */
function normal(object: object | undefined): unknown {
  const text = JSON.stringify(object, (name, value: unknown) => {
    if (["uid", "resourceVersion", "creationTimestamp", "time", "lastTransitionTime"].includes(name)) return undefined;
    if (name === "clusterIP" || name === "clusterIPs")
      return JSON.stringify(value).replaceAll(/10\.0\.\d+\.\d+/g, "IP");
    return typeof value === "string" ? withoutChance(value) : value;
  });
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}

/** The result of writes that may wait for the clock: a Pod for the account of its namespace. */
async function settledOf<T>(cluster: Cluster, work: Promise<T>): Promise<T> {
  let isOver = false;
  const over = (): void => void (isOver = true);
  void work.then(over, over);
  for (await cluster.settled(); !isOver; await cluster.settled()) await cluster.clock.advance("3s");
  return work;
}

/** How often each result was seen, and each refuser. */
type Seen = Map<string, number>;

async function compare(cluster: Cluster, documents: readonly Manifest[], seen: Seen): Promise<void> {
  const before = cluster.version;
  const plan = await planDocuments(cluster.as({ user: "dee" }), documents, { ...OPTIONS, objects: true });
  expect(cluster.version).toBe(before);
  await using fork = cluster.fork();
  const [user, admin] = [fork.as({ user: "dee" }), fork.client()];
  for (const one of plan.documents) {
    const real = await settledOf(fork, applyOne(user, documents[one.document!]!));
    expect({ document: documents[one.document!], ...shown(planned(one)) }).toEqual({
      document: documents[one.document!],
      ...shown(real),
    });
  }
  for (const { object, value, result, refusedBy } of plan.documents) {
    for (const what of refusedBy === undefined ? [result] : [result, refusedBy])
      seen.set(what, (seen.get(what) ?? 0) + 1);
    if (result === "refused" || !object) continue;
    const { apiVersion, kind, name, namespace } = object;
    const resource = await admin.resource({ apiVersion, kind });
    const real = await resource.get(namespace === undefined ? { name } : { name, namespace });
    expect(normal(value as object)).toEqual(normal(real));
  }
}

/** What the manifests have to bring about, so that the comparison means something. */
const EXPECTED = [
  "created",
  "changed",
  "unchanged",
  "refused",
  "authorization",
  "ownership",
  "validation",
  "registry",
  "NamespaceLifecycle",
  "ServiceAccount",
  "Priority",
  "LimitRanger",
  "ResourceQuota",
];

describe("a plan", () => {
  test(
    `says of ${MANIFESTS} random manifests what happens: results, refusals, warnings, objects and owners`,
    { timeout: 300_000 },
    async () => {
      const seen: Seen = new Map();
      await using cluster = await beginning();
      for (let at = 0; at < MANIFESTS; at++) {
        const random = seededRandom(SEED + at);
        await using fork = cluster.fork({ seed: SEED + at });
        // A second manifest changes what the first has made.
        const first = drawManifest(random);
        await compare(fork, first, seen);
        await settledOf(
          fork,
          fork.apply(...first).catch(() => undefined),
        );
        await compare(fork, drawManifest(random), seen);
      }
      expect(EXPECTED.filter((what) => !seen.has(what))).toEqual([]);
    },
  );
});
