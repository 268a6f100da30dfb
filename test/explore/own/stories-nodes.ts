/**
 * Stories of the controllers of nodes and the Pods on them.
 *
 * @module
 */
import { Node, Pod, ResourceClaim } from "../../../src/client/kinds/index.ts";
import type { Cluster } from "../../../src/testing/contract.ts";
import type { Plan } from "../../../src/explore/contract/plan.ts";
import { PODS, core, need, pod, selector, template } from "./objects.ts";
import { type OwnStory, isLateCreate } from "./story.ts";

const node = (name: string) => ({ apiVersion: "v1", kind: "Node", metadata: { name } });

const DEVICES = { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] };

/** Allocates all claims of devices to the Pods that name them, as a scheduler does. */
async function allocate(cluster: Cluster): Promise<void> {
  const client = cluster.client();
  const pods = (await client.resource(Pod).list()).items;
  const all = (await client.resource(ResourceClaim).list()).items;
  for (const { metadata } of pods)
    need(
      `a claim of Pod ${metadata.name}`,
      all.some((one) => one.metadata.ownerReferences?.[0]?.uid === metadata.uid),
    );
  const results = [{ request: "r", driver: "devices.example.com", pool: "p", device: "x" }];
  for (const { metadata } of all) {
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

/** Whether a plan disturbs an update of a claim of devices. */
const isOfUpdate = (plan: Plan): boolean =>
  plan.some((one) => "at" in one && "verb" in one.at && one.at.verb === "update" && one.at.kind === "ResourceClaim");

/** Lets a node come back, once its Pods are evicted where it has a taint for that. */
async function restoreEvicted(cluster: Cluster, name: string): Promise<void> {
  const client = cluster.client();
  const { spec: state } = await client.resource(Node).get({ name });
  const isEvicting = state?.taints?.some(({ effect }) => effect === "NoExecute") === true;
  const left = (await client.resource(Pod).list()).items.filter(
    ({ metadata, spec }) => spec.nodeName === name && metadata.deletionTimestamp === undefined,
  );
  need(`the Pods of ${name} to be evicted`, !isEvicting || left.length === 0);
  await cluster.simulation.restore({ node: name });
}

/** The stories by their names. */
export const NODE_STORIES: Readonly<Record<string, OwnStory>> = {
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
      // A program that takes over, or comes back after ten minutes, waits for the five minutes of a toleration again.
      pause: "25m",
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
        { name: "it comes back", do: (cluster) => restoreEvicted(cluster, "node-1") },
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
      ...["a", "b"].map((name) => ({
        key: `leaked ResourceClaim.resource.k8s.io default/${name}-own-*`,
        when: isLateCreate("ResourceClaim"),
        why: "claims have generated names: a create that arrives when the Pod has another one is found out by nobody, and its claim goes with the Pod",
      })),
      {
        key: "differs ResourceClaim.resource.k8s.io default/shared .metadata.finalizers[=resource.kubernetes.io/delete-protection]",
        when: isOfUpdate,
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
