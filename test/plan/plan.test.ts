/** What a plan reports: order, changes with owners, refusals, findings, what is pruned. */
import { describe, expect, test } from "vitest";
import {
  type Manifest,
  type PlanOptions,
  type PlanReport,
  applyDocuments,
  planDocuments,
} from "../../src/client/index.ts";
import { ConfigMap, Secret } from "../../src/client/kinds/index.ts";
import { type Cluster, createCluster } from "../../src/testing/index.ts";

const at = (name: string, more: object = {}) => ({ name, namespace: "default", ...more });
const map = (name: string, data: object = {}, more: object = {}): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: at(name, more),
  data,
});
const OPTIONS = { fieldManager: "deployer" };

const plan = (cluster: Cluster, documents: readonly object[], more: Partial<PlanOptions> = {}): Promise<PlanReport> =>
  planDocuments(cluster.client(), documents, { ...OPTIONS, ...more });

const results = ({ documents, pruned }: PlanReport): readonly string[] =>
  [...documents, ...pruned].map(({ object, result }) => `${object?.kind} ${object?.name} ${result}`);

describe("the order of documents", () => {
  test("is that of the manifest, but for what a document before needs; each move says why", async () => {
    await using cluster = await createCluster({ admission: { enable: ["Priority"] } });
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "team" },
      spec: { priorityClassName: "urgent", serviceAccountName: "runner", containers: [{ name: "c", image: "i" }] },
    };
    const { documents } = await plan(cluster, [
      map("first"),
      pod,
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "runner", namespace: "team" } },
      { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name: "urgent" }, value: 5 },
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } },
      map("last"),
    ]);
    expect(documents.map(({ document, moved, result }) => [document, moved?.rule, result])).toEqual([
      [0, undefined, "created"],
      [4, "namespace", "created"],
      [3, "class", "created"],
      [2, "serviceAccount", "created"],
      [1, undefined, "created"],
      [5, undefined, "created"],
    ]);
  });

  test("as given is not what would work: without a move the document is refused", async () => {
    await using cluster = await createCluster();
    const inTeam = { ...map("a"), metadata: { name: "a", namespace: "team" } };
    const alone = await plan(cluster, [inTeam]);
    expect(alone.documents).toMatchObject([
      { result: "refused", refusedBy: "NamespaceLifecycle", status: { code: 404, reason: "NotFound" } },
    ]);
  });
});

describe("the changes of a document", () => {
  test("have their managers, and name what others lose; without force it is refused", async () => {
    await using cluster = await createCluster();
    const configMaps = cluster.client().resource(ConfigMap);
    await configMaps.apply({ metadata: at("web"), data: { colour: "red", size: "1" } }, { fieldManager: "other" });
    await configMaps.apply({ metadata: at("web"), data: { old: "x" } }, OPTIONS);
    const wanted = [map("web", { colour: "blue", shape: "round" })];
    expect((await plan(cluster, wanted)).documents).toMatchObject([
      { result: "refused", refusedBy: "ownership", status: { code: 409, reason: "Conflict" } },
    ]);
    const { documents } = await plan(cluster, wanted, { force: true });
    expect(documents).toMatchObject([{ result: "changed", lost: [{ manager: "other", fields: [".data.colour"] }] }]);
    expect(documents[0]!.changes).toEqual([
      { op: "replace", pointer: "/data/colour", before: "red", after: "blue", managers: ["deployer"] },
      { op: "remove", pointer: "/data/old", before: "x", managers: ["deployer"] },
      { op: "add", pointer: "/data/shape", after: "round", managers: ["deployer"] },
    ]);
  });

  test("of a Secret have no values", async () => {
    await using cluster = await createCluster();
    const secret = (text: string, more: object = {}) => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: at("s", { annotations: { note: text }, labels: { l: text } }),
      data: { key: Buffer.from(text).toString("base64"), ...more },
    });
    await applyDocuments(cluster.client(), [secret("hidden1")], OPTIONS);
    const { documents } = await plan(cluster, [secret("hidden2", { other: "aGlkZGVu" })]);
    const managers = ["deployer"];
    expect(documents[0]!.changes!.toSorted((a, b) => (a.pointer < b.pointer ? -1 : 1))).toEqual([
      { op: "replace", pointer: "/data/key", before: "*** (before)", after: "*** (after)", managers },
      { op: "add", pointer: "/data/other", after: "*** (after)", managers },
      { op: "replace", pointer: "/metadata/annotations/note", before: "*** (before)", after: "*** (after)", managers },
      { op: "replace", pointer: "/metadata/labels/l", before: "hidden1", after: "hidden2", managers },
    ]);
  });

  test("are none where nothing changes", async () => {
    await using cluster = await createCluster();
    await applyDocuments(cluster.client(), [map("web", { a: "1" })], OPTIONS);
    const before = cluster.version;
    expect(results(await plan(cluster, [map("web", { a: "1" })]))).toEqual(["ConfigMap web unchanged"]);
    const applied = await applyDocuments(cluster.client(), [map("web", { a: "1" })], OPTIONS);
    expect([applied.outcome, cluster.version]).toEqual(["committed", before]);
  });
});

describe("the right to a plan", () => {
  test("is that of the writes themselves, document by document, and to create that of a create", async () => {
    await using cluster = await createCluster({ rbac: true });
    const group = "rbac.authorization.k8s.io";
    const role = (name: string, rules: readonly object[]): Manifest[] => [
      { apiVersion: `${group}/v1`, kind: "ClusterRole", metadata: { name }, rules },
      {
        apiVersion: `${group}/v1`,
        kind: "ClusterRoleBinding",
        metadata: { name },
        roleRef: { apiGroup: group, kind: "ClusterRole", name },
        subjects: [{ kind: "User", name: "dee", apiGroup: group }],
      },
    ];
    const mayPlan = { nonResourceURLs: ["/keelson/v1/plan"], verbs: ["post"] };
    const mayPatch = { apiGroups: [""], resources: ["configmaps"], verbs: ["patch"] };
    const client = cluster.as({ user: "dee" });
    const make = () => planDocuments(client, [map("a"), map("there", { x: "1" })], OPTIONS);
    await cluster.apply(map("there", { y: "2" }));
    await expect(make()).rejects.toMatchObject({ status: { code: 403 } });
    await cluster.apply(...role("planner", [mayPlan]));
    expect((await make()).documents).toMatchObject([
      { result: "refused", refusedBy: "authorization", status: { code: 403 } },
      { result: "refused", refusedBy: "authorization", status: { code: 403 } },
    ]);
    await cluster.apply(...role("patcher", [mayPatch]));
    expect((await make()).documents).toMatchObject([
      { result: "refused", refusedBy: "authorization", status: { message: expect.stringContaining("create") } },
      { result: "changed" },
    ]);
  });
});

describe("what documents would break together", () => {
  test("is reported: a quota below what is used, a budget that workloads cannot keep, a claim without a use", async () => {
    await using cluster = await createCluster({ controllers: "none" });
    const deployment = (replicas: number, volumes: readonly object[]): Manifest => ({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: at("web"),
      spec: {
        replicas,
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }], volumes } },
      },
    });
    const uses = [{ name: "v", persistentVolumeClaim: { claimName: "disk" } }];
    await applyDocuments(
      cluster.client(),
      [
        map("a"),
        map("b"),
        {
          apiVersion: "v1",
          kind: "PersistentVolumeClaim",
          metadata: at("disk"),
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
        {
          apiVersion: "policy/v1",
          kind: "PodDisruptionBudget",
          metadata: at("keep"),
          spec: { minAvailable: 2, selector: { matchLabels: { app: "web" } } },
        },
        deployment(3, uses),
      ],
      OPTIONS,
    );
    expect((await plan(cluster, [deployment(2, uses)])).findings).toEqual([]);
    const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: at("q"), spec: { hard: { configmaps: "1" } } };
    const { findings } = await plan(cluster, [deployment(1, []), quota]);
    expect(findings).toEqual([
      { kind: "quota", namespace: "default", name: "q", message: "configmaps is limited to 1, and 2 is used" },
      {
        kind: "budget",
        namespace: "default",
        name: "keep",
        message: "2 Pods have to be available, and its workloads have 1",
      },
      { kind: "claim", namespace: "default", name: "disk", message: "no Pod and no workload uses it" },
    ]);
  });

  test("quotas are charged by a plan, document by document", async () => {
    await using cluster = await createCluster({
      controllers: ["resourcequota"],
      admission: { enable: ["ResourceQuota"] },
    });
    await cluster.apply({
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: at("q"),
      spec: { hard: { configmaps: "2" } },
    });
    await cluster.settled();
    const report = await plan(cluster, [map("a"), map("b"), map("c")]);
    expect(results(report)).toEqual(["ConfigMap a created", "ConfigMap b created", "ConfigMap c refused"]);
    expect(report.documents[2]).toMatchObject({
      refusedBy: "ResourceQuota",
      status: { message: expect.stringContaining("exceeded quota: q") },
    });
  });
});

describe("what is pruned", () => {
  const labels = { app: "web" };

  test("by a selector: what the manager has applied with the labels, and nothing of others", async () => {
    await using cluster = await createCluster();
    const client = cluster.client();
    await applyDocuments(client, [map("a", {}, { labels }), map("b", { x: "1" }, { labels }), map("c")], OPTIONS);
    await client.resource(ConfigMap).create({ metadata: at("of-others", { labels }) });
    const prune = { selector: "app=web" };
    const report = await plan(cluster, [map("a", {}, { labels })], { prune });
    expect(results(report)).toEqual(["ConfigMap a unchanged", "ConfigMap b deleted"]);
    await applyDocuments(client, [map("a", {}, { labels })], { ...OPTIONS, prune });
    const { items } = await client.resource(ConfigMap).list({ namespace: "default" });
    const left = items.map(({ metadata }) => metadata.name).filter((name) => name !== "kube-root-ca.crt");
    expect(left).toEqual(["a", "c", "of-others"]);
  });

  test("by a set: its members have its label, its parent says what it has, what is left out is deleted", async () => {
    await using cluster = await createCluster();
    const client = cluster.client();
    const prune = { set: { name: "web" } };
    const secret = { apiVersion: "v1", kind: "Secret", metadata: at("s"), stringData: { x: "1" } };
    await applyDocuments(client, [map("a"), map("b"), secret], { ...OPTIONS, prune });
    const parent = await client.resource(Secret).get(at("web"));
    expect(parent.metadata).toMatchObject({
      labels: { "applyset.kubernetes.io/id": expect.stringMatching(/^applyset-[\w-]{43}-v1$/) },
      annotations: {
        "applyset.kubernetes.io/tooling": "keelson/v1",
        "applyset.kubernetes.io/contains-group-kinds": "ConfigMap,Secret",
        "applyset.kubernetes.io/additional-namespaces": "",
      },
    });
    const id = parent.metadata.labels!["applyset.kubernetes.io/id"];
    const members = await client
      .resource(ConfigMap)
      .list({ labelSelector: `applyset.kubernetes.io/part-of=${id}`, namespace: "default" });
    expect(members.items.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    const report = await applyDocuments(client, [map("a")], { ...OPTIONS, prune });
    expect(results(report)).toEqual([
      "ConfigMap a unchanged",
      "Secret web changed",
      "Secret s deleted",
      "ConfigMap b deleted",
    ]);
    const after = await client.resource(Secret).get(at("web"));
    expect(after.metadata.annotations).toMatchObject({
      "applyset.kubernetes.io/contains-group-kinds": "ConfigMap",
    });
  });

  test("not what is in another set: it is refused, unless the apply is forced", async () => {
    await using cluster = await createCluster();
    const client = cluster.client();
    await applyDocuments(client, [map("a")], { ...OPTIONS, prune: { set: { name: "one" } } });
    const prune = { set: { name: "two" } };
    expect((await plan(cluster, [map("a")], { prune })).documents).toMatchObject([
      { result: "refused", status: { code: 409, message: expect.stringContaining("in the ApplySet") } },
    ]);
    expect((await plan(cluster, [map("a")], { prune, force: true })).documents[0]).toMatchObject({ result: "changed" });
  });

  test("of a set of another tool: nothing, it is refused", async () => {
    await using cluster = await createCluster();
    await cluster
      .client()
      .resource(Secret)
      .create({ metadata: at("web") });
    const refused = plan(cluster, [map("a")], { prune: { set: { name: "web" } } });
    await expect(refused).rejects.toMatchObject({ status: { code: 409 } });
  });
});

describe("the endpoint", () => {
  test.each([
    ["no object", [], "expected the body to be a PlanRequest"],
    ["another kind", { kind: "Pod", apiVersion: "v1" }, "expected a PlanRequest"],
    ["no documents", {}, "expected documents to be a list"],
    ["a manager that is no text", { documents: [], fieldManager: 3 }, "expected fieldManager to be a text"],
    ["two ways to prune", { documents: [], fieldManager: "x", prune: {} }, "expected prune to have either"],
    ["a broken selector", { documents: [], fieldManager: "x", prune: { selector: "a in (" } }, ""],
    [
      "another validation",
      { documents: [], fieldManager: "x", fieldValidation: "None" },
      "one of Ignore, Warn, Strict",
    ],
  ])("refuses a body with %s", async (_, body, message) => {
    await using cluster = await createCluster();
    const head = Array.isArray(body) ? body : { kind: "PlanRequest", apiVersion: "keelson.dev/v1", ...body };
    const refused = cluster.client().json("POST", "/keelson/v1/plan", { body: head });
    await expect(refused).rejects.toMatchObject({ status: { code: 400, message: expect.stringContaining(message) } });
  });

  test("has bounds: documents, bytes of what they change, and names that are no segments of a path", async () => {
    await using cluster = await createCluster();
    const many = Array.from({ length: 4097 }, () => 0);
    await expect(plan(cluster, many as unknown as object[])).rejects.toMatchObject({ status: { code: 413 } });
    const odd = await plan(cluster, [
      3 as unknown as object,
      {},
      map("a/b"),
      map(".."),
      { apiVersion: "v1", kind: "Event" },
    ]);
    expect(odd.documents.map(({ result, status }) => [result, status?.code])).toEqual(
      Array.from({ length: 5 }, () => ["refused", 400]),
    );
  });
});
