/**
 * Stories of the controllers of Services.
 *
 * @module
 */
import { Service } from "../../../src/client/kinds/index.ts";
import type { Cluster } from "../../../src/testing/contract.ts";
import { PODS, core, need, pod } from "./objects.ts";
import type { OwnStory } from "./story.ts";

const loadBalancer = (name: string) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { type: "LoadBalancer", ports: [{ port: 80 }] },
});

/** Deletes Services, and waits for nothing between. */
async function deleteAll(cluster: Cluster, ...names: readonly string[]): Promise<void> {
  const services = cluster.client().resource(Service);
  for (const name of names) await services.delete({ name, namespace: "default" });
}

/** Makes a Service again, once another one has its address. */
async function comeInVain(cluster: Cluster): Promise<void> {
  const { items } = await cluster.client().resource(Service).list();
  need(
    "the address at the one that waits",
    items.some(({ status }) => status.loadBalancer.ingress !== undefined),
  );
  await cluster.apply(loadBalancer("c"));
}

const PORT = { name: "http", containerPort: 8080 };
const TRIGGER_TIME = '.metadata.annotations["endpoints.kubernetes.io/last-change-trigger-time"]';

/** The stories by their names. */
export const SERVICE_STORIES: Readonly<Record<string, OwnStory>> = {
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
      // The times of changes are kept in memory: a program that takes over writes another time, or none.
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
        {
          name: "another selector and port",
          patch: {
            ...core("Service", "web"),
            with: { spec: { selector: { app: "other" }, ports: [{ port: 80, targetPort: "http" }] } },
          },
        },
        {
          name: "one selects it by the name of its port",
          create: pod("d", { app: "other" }, { containers: [{ name: "c", image: "web:1", ports: [PORT] }] }),
        },
        { name: "it writes its own", patch: { ...core("Service", "web"), with: { spec: { selector: null } } } },
        { name: "another goes", delete: core("Service", "web") },
        {
          name: "it comes again",
          create: {
            apiVersion: "v1",
            kind: "Service",
            metadata: { name: "web" },
            spec: { selector: { app: "web" }, clusterIP: "None" },
          },
        },
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
        {
          name: "the other wants one again, and waits",
          patch: { ...core("Service", "b"), with: { spec: { type: "LoadBalancer" } } },
        },
        { name: "delete the third", delete: core("Service", "c") },
        { name: "it comes again, in vain", do: comeInVain },
        {
          name: "it wants another kind",
          patch: { ...core("Service", "c"), with: { spec: { type: "NodePort" } } },
        },
        { name: "delete both", do: (cluster) => deleteAll(cluster, "b", "c") },
      ],
    },
  },
};
