/** Controllers whose memory stands still for a while, or whose requests fail: what they do must be right in the end. */
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  ControllerRevision,
  Deployment,
  Node,
  Pod,
  PodDisruptionBudget,
  ResourceClaim,
  Service,
  StatefulSet,
} from "../../src/client/kinds/index.ts";
import { builtInControllers, chooseControllers } from "../../src/controllers/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { silentLog } from "../../src/util/log.ts";
import {
  type Cluster,
  conflict,
  createCluster,
  dropConnection,
  slow,
  watchExpires,
  watchStalls,
} from "../../src/testing/index.ts";

let cluster: Cluster;
beforeEach(async () => {
  cluster = await createCluster({
    nodes: 1,
    controllers: ["scheduler", "garbage-collector", "deployment", "replicaset"],
    log: silentLog,
  });
});
afterEach(() => cluster.close());

const SETTINGS = { dialect: kubernetes, eventTtlMillis: 1, caCertificate: "" };
const run = (...names: readonly string[]) => cluster.run(chooseControllers(builtInControllers(SETTINGS), names));

const at = { namespace: "default", name: "web" };
const workload = (spec: object) => ({
  metadata: at,
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "web:1" }] } },
    ...spec,
  },
});
const pods = async () => (await cluster.client().resource(Pod).list()).items.map(({ metadata }) => metadata.name);

test("WL-STS-5: a StatefulSet goes on where memory does not show the revision that it has made", async () => {
  await run("statefulset");
  cluster.faults.always({ kind: ControllerRevision }, watchStalls());
  cluster.faults.open({ kind: ControllerRevision }, watchStalls());
  await cluster.apply(StatefulSet, workload({ serviceName: "web", replicas: 2 }));
  await cluster.clock.advance("5m");
  expect(await pods()).toEqual(["web-0", "web-1"]);
  await cluster.apply(StatefulSet, workload({ serviceName: "web", replicas: 1 }));
  await cluster.clock.advance("5m");
  expect(await pods()).toEqual(["web-0"]);
});

const NODES = ["node-lifecycle-controller", "taint-eviction-controller", "pod-garbage-collector-controller"];
const makePod = async () => {
  await cluster.apply({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...at, finalizers: ["example.com/kept"] },
    spec: { containers: [{ name: "c", image: "web:1" }] },
  });
  await cluster.clock.advance("1m");
  expect(await condition("Ready")).toMatchObject({ status: "True" });
};
const pod = () => cluster.client().resource(Pod).get(at);
const condition = async (wanted: string) => (await pod()).status.conditions?.find(({ type }) => type === wanted);

test.each([
  ["the answer to the write of its conditions was lost", Node, dropConnection({ when: "after" })],
  ["their write meets a conflict", Pod, conflict()],
])("the Pods of a silent node are not ready, also where %s", async (_, kind, fault) => {
  await run(...NODES);
  await makePod();
  cluster.faults.next({ kind, subresource: "status", verb: "patch" }, fault);
  await cluster.simulation.lose({ node: "node-1" });
  await cluster.clock.advance("1m");
  expect(cluster.faults.pending()).toEqual([]);
  expect(await condition("Ready")).toMatchObject({ status: "False" });
});

test("CTL-TAINT-6: a Pod that is evicted has its mark, also where that met a conflict", async () => {
  await run(...NODES);
  await makePod();
  cluster.faults.next({ kind: Pod, subresource: "status", verb: "patch" }, conflict());
  const taints = [{ key: "example.com/gone", effect: "NoExecute" }];
  await cluster.client().resource(Node).patch({ name: "node-1" }, { spec: { taints } });
  await cluster.clock.advance("10m");
  expect(cluster.faults.pending()).toEqual([]);
  expect((await pod()).metadata.deletionTimestamp).toBeDefined();
  expect(await condition("DisruptionTarget")).toMatchObject({ reason: "DeletionByTaintManager" });
});

test("CTL-PODGC-7: a Pod that is collected has failed before, also where that met a conflict", async () => {
  await run("pod-garbage-collector-controller");
  await makePod();
  cluster.faults.next({ kind: Pod, subresource: "status", verb: "patch" }, conflict());
  const seen = cluster.record({ kind: Pod, verb: ["patch", "delete"] });
  await cluster.client().resource(Node).delete({ name: "node-1" });
  await cluster.clock.advance("3m");
  expect(seen.requests.map(({ verb, code }) => `${verb} ${code}`)).toEqual(["patch 409", "patch 200", "delete 200"]);
});

test("WL-NODE-1: a node gets the annotation with the time, also after a conflict", async () => {
  await run("ttl");
  cluster.faults.next({ kind: Node, verb: "patch" }, conflict());
  const annotations = { "node.alpha.kubernetes.io/ttl": "7" };
  await cluster.client().resource(Node).patch({ name: "node-1" }, { metadata: { annotations } });
  await cluster.clock.advance("1m");
  expect(cluster.faults.pending()).toEqual([]);
  const [node] = (await cluster.client().resource(Node).list()).items;
  expect(node!.metadata.annotations).toMatchObject({ "node.alpha.kubernetes.io/ttl": "0" });
});

test("a claim of devices is freed with its Pod, also where it was never seen that the Pod knows its name", async () => {
  const devices = { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] };
  const resources = "resource.k8s.io/v1";
  await run("resourceclaim");
  cluster.faults.next({ kind: Pod, verb: "patch", subresource: "status" }, slow("10s"));
  await cluster.apply(
    { apiVersion: resources, kind: "ResourceClaimTemplate", metadata: { name: "t" }, spec: { spec: { devices } } },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: at,
      spec: {
        schedulerName: "nobody",
        containers: [{ name: "c", image: "web:1" }],
        resourceClaims: [{ name: "own", resourceClaimTemplateName: "t" }],
      },
    },
  );
  await cluster.settled();
  cluster.faults.open({ kind: Pod }, watchStalls());
  await cluster.clock.advance("30s");
  const claims = cluster.client().resource(ResourceClaim);
  const [claim] = (await claims.list()).items;
  const made = { namespace: "default", name: claim!.metadata.name };
  const { uid, name } = (await pod()).metadata;
  await claims.patch(made, { metadata: { finalizers: ["resource.kubernetes.io/delete-protection"] } });
  const results = [{ request: "r", driver: "d.example.com", pool: "p", device: "x" }];
  await claims.status.patch(made, {
    status: { allocation: { devices: { results } }, reservedFor: [{ resource: "pods", name, uid }] },
  });
  await cluster.client().resource(Pod).delete(at);
  await cluster.clock.advance("30s");
  expect((await claims.list()).items).toHaveLength(1);
  cluster.faults.open({ kind: Pod }, watchExpires());
  await cluster.clock.advance("1m");
  expect((await claims.list()).items).toEqual([]);
});

test("WL-PDB-2: a budget counts its Pods, also where their controller is seen long after them", async () => {
  await run("disruption");
  cluster.faults.always({ kind: Deployment }, watchStalls());
  cluster.faults.open({ kind: Deployment }, watchStalls());
  await cluster.apply(PodDisruptionBudget, {
    metadata: at,
    spec: { selector: { matchLabels: { app: "web" } }, maxUnavailable: 1 },
  });
  await cluster.apply(Deployment, workload({ replicas: 2 }));
  await cluster.clock.advance("1m");
  const allowed = async () =>
    (await cluster.client().resource(PodDisruptionBudget).get(at)).status.conditions?.map(({ reason }) => reason);
  expect(await allowed()).toEqual(["SyncFailed"]);
  cluster.faults.clear();
  cluster.faults.open({ kind: Deployment }, watchExpires());
  await cluster.clock.advance("1m");
  expect(await allowed()).toEqual(["SufficientPods"]);
});

test("WL-GEN-4: while memory stands still, what meets conflicts is tried less and less often", async () => {
  await run("statefulset");
  await cluster.apply(StatefulSet, workload({ serviceName: "web", replicas: 1 }));
  await cluster.clock.advance("1m");
  cluster.faults.always({ kind: StatefulSet }, watchStalls());
  cluster.faults.open({ kind: StatefulSet }, watchStalls());
  await cluster
    .client()
    .resource(StatefulSet)
    .patch(at, { metadata: { labels: { other: "version" } } });
  const seen = cluster.record({ kind: StatefulSet, verb: "update" });
  // The next Pod comes to no node, so the status remains another one.
  await cluster
    .client()
    .resource(Node)
    .patch({ name: "node-1" }, { spec: { unschedulable: true } });
  await cluster
    .client()
    .resource(Pod)
    .delete({ ...at, name: "web-0" });
  await cluster.clock.advance("4m");
  const conflicts = seen.requests.filter(({ code }) => code === 409).length;
  expect([conflicts, conflicts > 5, conflicts < 20]).toEqual([expect.any(Number), true, true]);
});

test("an address is free again, also where it was never seen who had it", async () => {
  const balancer = (name: string) => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "default" },
    spec: { type: "LoadBalancer", ports: [{ port: 80 }] },
  });
  const services = cluster.client().resource(Service);
  const addressesOf = async (name: string) =>
    (await services.get({ namespace: "default", name })).status.loadBalancer.ingress?.map(({ ip }) => ip);
  const settings = { ...SETTINGS, loadBalancerAddresses: ["192.0.2.1/32"] };
  await cluster.run(chooseControllers(builtInControllers(settings), ["service-lb"]));
  cluster.faults.next({ kind: Service, verb: "update", subresource: "status" }, slow("10s"));
  await cluster.apply(balancer("a"));
  await cluster.settled();
  cluster.faults.open({ kind: Service }, watchStalls());
  await cluster.clock.advance("30s");
  expect(await addressesOf("a")).toEqual(["192.0.2.1"]);
  await services.delete({ namespace: "default", name: "a" });
  cluster.faults.open({ kind: Service }, watchExpires());
  await cluster.apply(balancer("b"));
  await cluster.clock.advance("1m");
  expect(await addressesOf("b")).toEqual(["192.0.2.1"]);
});
