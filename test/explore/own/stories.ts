/**
 * What users do with the built-in controllers: each story names the controllers that are explored, and those that work beside them
 * undisturbed.
 *
 * @module
 */
import { CLUSTER_STORIES } from "./stories-cluster.ts";
import { STORAGE_STORIES } from "./stories-storage.ts";
import type { OwnStory } from "./story.ts";

const PODS = ["scheduler", "garbage-collector", "namespace-controller"];
const core = (kind: string, name: string) => ({ apiVersion: "v1", kind, name });
const apps = (kind: string, name: string) => ({ apiVersion: "apps/v1", kind, name });
const batch = (kind: string, name: string) => ({ apiVersion: "batch/v1", kind, name });

/** A container and labels, as workloads have them. */
const template = (image: string, more: object = {}) => ({
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "c", image }], ...more },
});
const selector = { matchLabels: { app: "web" } };
const image = (name: string) => ({ spec: { template: { spec: { containers: [{ name: "c", image: name }] } } } });

const pod = (name: string, labels: object, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels },
  spec: { containers: [{ name: "c", image: "web:1" }], ...spec },
});

export const OWN_STORIES: Readonly<Record<string, OwnStory>> = {
  rollout: {
    explored: ["deployment", "replicaset"],
    beside: PODS,
    scenario: {
      name: "a Deployment is made, scaled, rolled, rolled back and deleted",
      nodes: 2,
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
        { name: "scale up", patch: { ...apps("Deployment", "web"), with: { spec: { replicas: 3 } } } },
        { name: "roll", patch: { ...apps("Deployment", "web"), with: image("web:2") } },
        { name: "roll back", patch: { ...apps("Deployment", "web"), with: image("web:1") } },
        { name: "scale down", patch: { ...apps("Deployment", "web"), with: { spec: { replicas: 1 } } } },
        { name: "delete", delete: apps("Deployment", "web") },
      ],
    },
  },
  "stateful set": {
    explored: ["statefulset"],
    beside: [...PODS, "persistentvolume-binder", "pvc-protection", "pv-protection"],
    scenario: {
      name: "a StatefulSet with claims is made, scaled, updated and deleted",
      nodes: 2,
      steps: [
        {
          name: "create",
          create: {
            apiVersion: "apps/v1",
            kind: "StatefulSet",
            metadata: { name: "db" },
            spec: {
              serviceName: "db",
              replicas: 2,
              selector,
              template: template("db:1"),
              persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Delete" },
              volumeClaimTemplates: [
                {
                  metadata: { name: "data" },
                  spec: {
                    accessModes: ["ReadWriteOnce"],
                    storageClassName: "simulated",
                    resources: { requests: { storage: "1Gi" } },
                  },
                },
              ],
            },
          },
        },
        { name: "scale up", patch: { ...apps("StatefulSet", "db"), with: { spec: { replicas: 3 } } } },
        { name: "update", patch: { ...apps("StatefulSet", "db"), with: image("db:2") } },
        { name: "scale down", patch: { ...apps("StatefulSet", "db"), with: { spec: { replicas: 1 } } } },
        { name: "delete", delete: apps("StatefulSet", "db") },
      ],
    },
  },
  "daemon set": {
    explored: ["daemonset"],
    beside: PODS,
    scenario: {
      name: "a DaemonSet is made, updated and deleted",
      nodes: 3,
      steps: [
        {
          name: "create",
          create: {
            apiVersion: "apps/v1",
            kind: "DaemonSet",
            metadata: { name: "agent" },
            spec: { selector, template: template("agent:1") },
          },
        },
        { name: "update", patch: { ...apps("DaemonSet", "agent"), with: image("agent:2") } },
        { name: "delete", delete: apps("DaemonSet", "agent") },
      ],
    },
  },
  job: {
    explored: ["job"],
    beside: PODS,
    scenario: {
      name: "Jobs run to their end, one is suspended, one is deleted while it runs",
      nodes: 2,
      steps: [
        {
          name: "create an indexed Job",
          create: {
            apiVersion: "batch/v1",
            kind: "Job",
            metadata: { name: "all" },
            spec: {
              completions: 3,
              parallelism: 2,
              completionMode: "Indexed",
              template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "task:1" }] } },
            },
          },
        },
        {
          name: "create a Job that is suspended",
          create: {
            apiVersion: "batch/v1",
            kind: "Job",
            metadata: { name: "later" },
            spec: {
              suspend: true,
              completions: 2,
              parallelism: 2,
              template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "task:1" }] } },
            },
          },
        },
        { name: "resume it", patch: { ...batch("Job", "later"), with: { spec: { suspend: false } } } },
        { name: "delete the first", delete: { ...batch("Job", "all"), propagationPolicy: "Foreground" } },
      ],
    },
  },
  "cron job": {
    explored: ["cronjob", "ttl-after-finished"],
    beside: [...PODS, "job"],
    scenario: {
      name: "a CronJob makes Jobs, which go some time after they have finished",
      nodes: 1,
      pause: "25m",
      steps: [
        {
          name: "create",
          create: {
            apiVersion: "batch/v1",
            kind: "CronJob",
            metadata: { name: "tick" },
            spec: {
              schedule: "*/10 * * * *",
              successfulJobsHistoryLimit: 2,
              jobTemplate: {
                spec: {
                  ttlSecondsAfterFinished: 1500,
                  template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "task:1" }] } },
                },
              },
            },
          },
        },
        { name: "suspend", patch: { ...batch("CronJob", "tick"), with: { spec: { suspend: true } } } },
        { name: "delete", delete: batch("CronJob", "tick") },
      ],
    },
  },
  endpoints: {
    explored: ["endpoints", "endpointslice", "endpointslicemirroring"],
    beside: PODS,
    scenario: {
      name: "Services get the addresses of their Pods, and of their own Endpoints",
      nodes: 2,
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
            pod("b", { app: "web" }),
          ],
        },
        { name: "a Pod leaves", patch: { ...core("Pod", "a"), with: { metadata: { labels: { app: "other" } } } } },
        { name: "a Pod goes", delete: core("Pod", "b") },
        { name: "it comes again", create: pod("b", { app: "web" }) },
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
  budgets: {
    explored: ["disruption"],
    beside: [...PODS, "deployment", "replicaset"],
    scenario: {
      name: "a budget counts the Pods of a Deployment that is scaled",
      nodes: 2,
      steps: [
        {
          name: "create",
          create: [
            {
              apiVersion: "policy/v1",
              kind: "PodDisruptionBudget",
              metadata: { name: "web" },
              spec: { selector, maxUnavailable: 1 },
            },
            {
              apiVersion: "apps/v1",
              kind: "Deployment",
              metadata: { name: "web" },
              spec: { replicas: 3, selector, template: template("web:1") },
            },
          ],
        },
        { name: "scale down", patch: { ...apps("Deployment", "web"), with: { spec: { replicas: 1 } } } },
        {
          name: "another selector",
          patch: {
            apiVersion: "policy/v1",
            kind: "PodDisruptionBudget",
            name: "web",
            with: { spec: { selector: { matchLabels: { app: "none" } } } },
          },
        },
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
  ...CLUSTER_STORIES,
  ...STORAGE_STORIES,
};
