/**
 * Stories of the controllers of workloads.
 *
 * @module
 */
import type { Cluster } from "../../../src/testing/contract.ts";
import { Pod, ReplicationController } from "../../../src/client/kinds/index.ts";
import { PODS, apps, core, image, need, pod, selector, template } from "./objects.ts";
import { type OwnStory, beginsAnew, isLateCreate } from "./story.ts";

const batch = (kind: string, name: string) => ({ apiVersion: "batch/v1", kind, name });

/** The ReplicationController, once it has let the Pod go that left. */
async function withoutPodThatLeft(cluster: Cluster) {
  const free = await cluster.client().resource(Pod).find({ name: "free", namespace: "default" });
  const { labels, ownerReferences } = free?.metadata ?? {};
  need("the Pod that left to be of nobody", labels?.["app"] !== "other" || ownerReferences === undefined);
  return cluster.client().resource(ReplicationController);
}

async function scaleDown(cluster: Cluster): Promise<void> {
  const controllers = await withoutPodThatLeft(cluster);
  await controllers.patch({ name: "web", namespace: "default" }, { spec: { replicas: 1 } });
}

async function deleteController(cluster: Cluster): Promise<void> {
  const controllers = await withoutPodThatLeft(cluster);
  await controllers.delete({ name: "web", namespace: "default" }, { propagationPolicy: "Background" });
}

/** The stories by their names. */
export const WORKLOAD_STORIES: Readonly<Record<string, OwnStory>> = {
  "stateful set": {
    explored: ["statefulset"],
    accepted: [
      {
        key: "leaked PersistentVolumeClaim default/data-db-*",
        why: "a claim gets its owner when its Pod is deleted: a Pod that is away for an update while the set is scaled down leaves its claim",
      },
    ],
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
  "replication controller": {
    explored: ["replicationcontroller"],
    beside: PODS,
    scenario: {
      name: "a ReplicationController takes over a Pod, is scaled and deleted",
      nodes: 1,
      steps: [
        { name: "a Pod of nobody", create: pod("free", { app: "web" }) },
        {
          name: "create",
          create: {
            apiVersion: "v1",
            kind: "ReplicationController",
            metadata: { name: "web" },
            spec: { replicas: 2, selector: { app: "web" }, template: template("web:1") },
          },
        },
        { name: "scale up", patch: { ...core("ReplicationController", "web"), with: { spec: { replicas: 3 } } } },
        { name: "a Pod leaves", patch: { ...core("Pod", "free"), with: { metadata: { labels: { app: "other" } } } } },
        { name: "scale down", do: scaleDown },
        { name: "delete", do: deleteController },
      ],
    },
  },
  job: {
    explored: ["job"],
    accepted: [
      ...["all-0", "all-1", "all-2", "later"].map((prefix) => ({
        key: `leaked Pod default/${prefix}-*`,
        when: isLateCreate("Pod"),
        why: "Pods of Jobs have generated names: a create that arrives when the Job has finished is not looked at, and its Pod goes with the Job",
      })),
      {
        key: "stale-status Job.batch default/later .status.conditions[type=Suspended].message",
        when: beginsAnew,
        why: "whoever finds all Pods of a Job at their end tells that it is complete, and no more that it was resumed: syncJob of kube-controller-manager sets the one condition or the other",
      },
    ],
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
};
