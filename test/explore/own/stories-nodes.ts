/**
 * Stories of the controllers of Services, nodes and the Pods on them.
 *
 * @module
 */
import { Node, Pod, ResourceClaim } from "../../../src/client/kinds/index.ts";
import type { Cluster } from "../../../src/testing/contract.ts";
import { PODS, core, pod, selector, template } from "./objects.ts";
import type { OwnStory } from "./story.ts";

const node = (name: string) => ({ apiVersion: "v1", kind: "Node", metadata: { name } });

const loadBalancer = (name: string) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { type: "LoadBalancer", ports: [{ port: 80 }] },
});

const DEVICES = { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] };

/** Allocates all claims of devices to the Pods that name them, as a scheduler does. */
async function allocate(cluster: Cluster): Promise<void> {
  const client = cluster.client();
  const pods = (await client.resource(Pod).list()).items;
  const results = [{ request: "r", driver: "devices.example.com", pool: "p", device: "x" }];
  for (const { metadata } of (await client.resource(ResourceClaim).list()).items) {
    const { name, namespace = "" } = metadata;
    const owner = metadata.ownerReferences?.[0]?.uid;
    const users = pods.filter((one) => owner === undefined || one.metadata.uid === owner);
    const reservedFor = users.map((one) => ({ resource: "pods", name: one.metadata.name, uid: one.metadata.uid }));
    const claims = client.resource(ResourceClaim);
    // oxlint-disable-next-line no-await-in-loop -- there are three
    await claims.patch({ name, namespace }, { metadata: { finalizers: ["resource.kubernetes.io/delete-protection"] } });
    // oxlint-disable-next-line no-await-in-loop
    await claims.status.patch({ name, namespace }, { status: { allocation: { devices: { results } }, reservedFor } });
  }
}

const TRIGGER_TIME = '.metadata.annotations["endpoints.kubernetes.io/last-change-trigger-time"]';

/** The stories by their names. */
export const NODE_STORIES: Readonly<Record<string, OwnStory>> = {
  endpoints: {
    explored: ["endpoints", "endpointslice", "endpointslicemirroring"],
    beside: PODS,
    accepted: [
      {
        key: "leaked Endpoints default/own",
        why: "nobody who sees the Endpoints after their Service was made and deleted can know that there was one",
      },
    ],
    scenario: {
      name: "Services get the addresses of their Pods, and of their own Endpoints",
      nodes: 2,
      // When they were seen to change is kept in memory: whoever takes over tells of another time, or of none.
      ignore: [
        { kind: { group: "", kind: "Endpoints" }, path: TRIGGER_TIME },
        { kind: { group: "discovery.k8s.io", kind: "EndpointSlice" }, path: TRIGGER_TIME },
      ],
      steps: [
        {
          name: "create",
          create: [
            {
              apiVersion: "v1",
              kind: "Service",
              metadata: { name: "web" },
              spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
            },
            { apiVersion: "v1", kind: "Service", metadata: { name: "own" }, spec: { ports: [{ port: 80 }] } },
            {
              apiVersion: "v1",
              kind: "Endpoints",
              metadata: { name: "own" },
              subsets: [{ addresses: [{ ip: "10.9.9.9" }], ports: [{ port: 80 }] }],
            },
            pod("a", { app: "web" }),
          ],
        },
        { name: "a second Pod", create: pod("b", { app: "web" }) },
        { name: "a Pod leaves", patch: { ...core("Pod", "a"), with: { metadata: { labels: { app: "other" } } } } },
        { name: "a Pod goes", delete: core("Pod", "b") },
        { name: "another comes", create: pod("c", { app: "web" }) },
        {
          name: "other addresses",
          patch: {
            ...core("Endpoints", "own"),
            with: { subsets: [{ addresses: [{ ip: "10.9.9.8" }], ports: [{ port: 80 }] }] },
          },
        },
        { name: "a Service goes", delete: core("Service", "own") },
        { name: "another goes", delete: core("Service", "web") },
      ],
    },
  },
  "load balancers": {
    explored: ["service-lb"],
    beside: PODS,
    settings: { loadBalancerAddresses: ["192.0.2.1/32"] },
    scenario: {
      name: "Services get the one address of a load balancer, and give it back",
      steps: [
        { name: "create", create: loadBalancer("a") },
        { name: "another waits", create: loadBalancer("b") },
        { name: "delete the first", delete: core("Service", "a") },
        {
          name: "the other wants none any more",
          patch: { ...core("Service", "b"), with: { spec: { type: "ClusterIP" } } },
        },
        { name: "a third gets it", create: loadBalancer("c") },
      ],
    },
  },
  scheduling: {
    explored: ["scheduler"],
    beside: ["garbage-collector", "namespace-controller"],
    scenario: {
      name: "Pods come to nodes that fit",
      nodes: 2,
      steps: [
        {
          name: "create",
          create: ["a", "b", "c"].map((name) => pod(name, { app: "web" })),
        },
        {
          name: "a Pod that fits nowhere",
          create: pod("picky", { app: "web" }, { nodeSelector: { disk: "fast" } }),
        },
        {
          name: "a node comes to fit",
          do: async (cluster) => {
            await cluster.nodes(1, { prefix: "fast-", labels: { disk: "fast" } });
          },
        },
        { name: "delete", delete: core("Pod", "a") },
      ],
    },
  },
  "lost nodes": {
    explored: ["node-lifecycle-controller", "taint-eviction-controller", "pod-garbage-collector-controller"],
    beside: [...PODS, "deployment", "replicaset"],
    scenario: {
      name: "a node is lost, and comes back",
      nodes: 2,
      pause: "10m",
      steps: [
        {
          name: "create",
          create: {
            apiVersion: "apps/v1",
            kind: "Deployment",
            metadata: { name: "web" },
            spec: { replicas: 2, selector, template: template("web:1") },
          },
        },
        { name: "lose a node", do: (cluster) => cluster.simulation.lose({ node: "node-1" }) },
        { name: "it comes back", do: (cluster) => cluster.simulation.restore({ node: "node-1" }) },
      ],
    },
  },
  "left Pods": {
    explored: ["pod-garbage-collector-controller"],
    beside: ["garbage-collector", "namespace-controller"],
    settings: { endedPods: 1 },
    scenario: {
      name: "Pods whose node is gone, or which have ended, are removed",
      start: [node("one"), node("two")],
      steps: [
        {
          name: "create",
          create: [
            pod("a", {}, { nodeName: "one" }),
            pod("b", {}, { nodeName: "two" }),
            pod("c", {}, { nodeName: "two" }),
            pod("d", {}),
          ],
        },
        ...["b", "c"].map((name) => ({
          name: `${name} ends`,
          patch: { ...core("Pod", name), subresource: "status", with: { status: { phase: "Succeeded" } } },
        })),
        { name: "a node goes", delete: core("Node", "one") },
        {
          name: "the other is out of service",
          patch: {
            ...core("Node", "two"),
            with: {
              spec: { taints: [{ key: "node.kubernetes.io/out-of-service", value: "x", effect: "NoExecute" }] },
            },
          },
        },
        { name: "it goes, too", delete: core("Node", "two") },
      ],
    },
  },
  "ages of secrets": {
    explored: ["ttl"],
    beside: ["garbage-collector"],
    scenario: {
      name: "nodes are told how long to keep what they have read, by their number",
      start: Array.from({ length: 99 }, (_, i) => node(`node-${i}`)),
      steps: [
        { name: "a node comes", create: node("more-0") },
        { name: "more than a hundred", create: [node("more-1"), node("more-2")] },
        {
          name: "somebody takes it away",
          patch: { ...core("Node", "more-1"), with: { metadata: { annotations: null } } },
        },
        {
          name: "fewer than ninety",
          do: async (cluster) => {
            const nodes = cluster.client().resource(Node);
            await Promise.all(Array.from({ length: 14 }, (_, i) => nodes.delete({ name: `node-${i}` })));
          },
        },
      ],
    },
  },
  devices: {
    explored: ["resourceclaim"],
    accepted: [
      {
        key: "leaked ResourceClaim.resource.k8s.io default/",
        why: "claims have generated names: a create that arrives when the Pod has another one is found out by nobody, and its claim goes with the Pod",
      },
      {
        key: "differs ResourceClaim.resource.k8s.io default/shared .metadata.finalizers",
        why: "a claim without an allocation keeps its finalizer until it is deleted: a scheduler that allocates it writes the finalizer first",
      },
    ],
    beside: ["garbage-collector", "namespace-controller"],
    scenario: {
      name: "Pods bring claims of devices, which are allocated and freed",
      steps: [
        {
          name: "create",
          create: [
            {
              apiVersion: "resource.k8s.io/v1",
              kind: "ResourceClaimTemplate",
              metadata: { name: "gpu" },
              spec: { spec: { devices: DEVICES } },
            },
            {
              apiVersion: "resource.k8s.io/v1",
              kind: "ResourceClaim",
              metadata: { name: "shared" },
              spec: { devices: DEVICES },
            },
            ...["a", "b"].map((name) =>
              pod(
                name,
                {},
                {
                  resourceClaims: [
                    { name: "own", resourceClaimTemplateName: "gpu" },
                    { name: "common", resourceClaimName: "shared" },
                  ],
                },
              ),
            ),
          ],
        },
        { name: "allocate", do: allocate },
        {
          name: "a Pod ends",
          patch: { ...core("Pod", "a"), subresource: "status", with: { status: { phase: "Succeeded" } } },
        },
        { name: "the other is deleted", delete: core("Pod", "b") },
        { name: "the first, too", delete: core("Pod", "a") },
      ],
    },
  },
};
