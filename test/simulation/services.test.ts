/**
 * What acts on workloads and is moved by the Pods of scripts: autoscalers by their metrics, budgets, addresses of Services.
 */
import { afterEach, beforeEach, expect, test } from "vitest";
import { isStatus } from "../../src/client/index.ts";
import {
  Deployment,
  EndpointSlice,
  HorizontalPodAutoscaler,
  PodDisruptionBudget,
  Pod,
  Service,
} from "../../src/client/kinds/index.ts";
import { type Cluster, createCluster } from "../../src/testing/index.ts";

let cluster: Cluster;
beforeEach(async () => {
  cluster = await createCluster({ nodes: { count: 2, zone: ["a", "b"], capacity: { cpu: "8", memory: "16Gi" } } });
});
afterEach(() => cluster.close());

const at = { namespace: "default", name: "web" };
const makeDeployment = (replicas: number) =>
  cluster.apply(Deployment, {
    metadata: at,
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "c", image: "web", resources: { requests: { cpu: "100m" } } }] },
      },
    },
  });
const replicas = async () => (await cluster.client().resource(Deployment).get(at)).spec.replicas;

test("WL-HPA-5, WL-HPA-6: an autoscaler grows and shrinks with what scripts say that they use", async () => {
  const load = { cpu: "100m" };
  cluster.image("web", async (ctx) => {
    await ctx.ready({ after: "1s" });
    while (!ctx.terminated.aborted) {
      ctx.metrics(load);
      await ctx.sleep("1s");
    }
  });
  await makeDeployment(2);
  await cluster.apply(HorizontalPodAutoscaler, {
    metadata: at,
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 1,
      maxReplicas: 8,
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
      ],
    },
  });
  await cluster.clock.advance("2m");
  expect(await replicas()).toBe(8);
  load.cpu = "10m";
  await cluster.clock.advance("4m");
  expect(await replicas()).toBe(8);
  await cluster.clock.advance("2m");
  expect(await replicas()).toBe(2);
});

test("WL-PDB-10: evictions wait until the Pods that replace the evicted ones are ready", async () => {
  await makeDeployment(3);
  await cluster.apply(PodDisruptionBudget, {
    metadata: at,
    spec: { selector: { matchLabels: { app: "web" } }, maxUnavailable: 1 },
  });
  await cluster.clock.advance("10s");
  const pods = cluster.client().resource(Pod);
  const evict = (name: string) => {
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } };
    return cluster.client().json("POST", `/api/v1/namespaces/default/pods/${name}/eviction`, { body });
  };
  const [first, second] = (await pods.list()).items.map(({ metadata }) => metadata.name);
  await evict(first!);
  await expect(evict(second!)).rejects.toSatisfy((error) => isStatus(error, "TooManyRequests"));
  await cluster.clock.advance("10s");
  await evict(second!);
  await cluster.clock.advance("10s");
  const left = (await pods.list()).items.map(({ metadata }) => metadata.name);
  expect(left).toHaveLength(3);
  expect(left).not.toContain(first);
  expect(left).not.toContain(second);
});

test("WL-EP-2: a Service has the addresses of ready Pods and the zones of their nodes", async () => {
  await makeDeployment(4);
  await cluster.apply(Service, { metadata: at, spec: { selector: { app: "web" }, ports: [{ port: 80 }] } });
  await cluster.clock.advance("10s");
  const [slice] = (await cluster.client().resource(EndpointSlice).list({ namespace: "default" })).items;
  expect(slice!.endpoints).toHaveLength(4);
  expect(slice!.endpoints.every(({ conditions }) => conditions.ready)).toBe(true);
  expect(new Set(slice!.endpoints.map(({ zone }) => zone))).toEqual(new Set(["a", "b"]));
});
