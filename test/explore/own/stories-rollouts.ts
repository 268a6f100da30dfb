/**
 * Stories of Deployments, and of what scales workloads.
 *
 * @module
 */
import type { Cluster } from "../../../src/testing/contract.ts";
import { Deployment, HorizontalPodAutoscaler, Pod } from "../../../src/client/kinds/index.ts";
import { PODS, apps, image, need, selector, template } from "./objects.ts";
import type { OwnStory } from "./story.ts";

/** Deletes a Pod of a Deployment that runs. */
async function deleteOne(cluster: Cluster): Promise<void> {
  const pods = cluster.client().resource(Pod);
  const [first] = (await pods.list()).items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  need("a Pod", first !== undefined);
  await pods.delete(first!);
}

/** Scales a Deployment to none, once it has rolled back: what else it has is scaled by its share where it has not. */
async function scaleToNone(cluster: Cluster): Promise<void> {
  const deployments = cluster.client().resource(Deployment);
  const { spec, status } = await deployments.get({ name: "web", namespace: "default" });
  const isStuck = spec.paused === true || spec.template.spec?.nodeSelector !== undefined;
  const { replicas = 0, updatedReplicas = 0 } = status;
  need("the Deployment to be rolled out", isStuck || (replicas === updatedReplicas && replicas === spec.replicas));
  await deployments.patch({ name: "web", namespace: "default" }, { spec: { replicas: 0 } });
}

const HPA = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", name: "web" };
const web = apps("Deployment", "web");
const onNodes = (nodeSelector: object | null) => ({ ...web, with: { spec: { template: { spec: { nodeSelector } } } } });
const scaled = (replicas: number) => ({ ...web, with: { spec: { replicas } } });
const autoscaler = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    minReplicas: 1,
    maxReplicas: 4,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } }],
  },
};
/** Deletes what an autoscaler scales, once that has metrics where it can have some: it keeps what it has told last. */
async function deleteScaled(cluster: Cluster): Promise<void> {
  const client = cluster.client();
  const key = { name: "web", namespace: "default" };
  const { spec } = await client.resource(Deployment).get(key);
  const { status } = await client.resource(HorizontalPodAutoscaler).get(key);
  const hasMetrics = spec.replicas !== 0 && spec.template.spec?.containers[0]?.resources?.requests !== undefined;
  const active = status?.conditions?.find(({ type }) => type === "ScalingActive");
  need("the autoscaler to have metrics", !hasMetrics || active?.status === "True");
  await client.resource(Deployment).delete(key);
}

const TENTH = { requests: { cpu: "100m" }, limits: { cpu: "100m" } };
/** A Deployment whose use can be told where its Pods ask for something. */
const measured = (name: string, resources: object) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 1,
    strategy: { type: "Recreate" },
    selector,
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        containers: [{ name: "c", image: name, resources }],
      },
    },
  },
});

/** What a container uses, by the age of its Pod: much until it is six minutes old, so that a minute's delay changes no end of a step. */
function useMuchAtFirst(cluster: Cluster): void {
  cluster.image("busy", async (ctx) => {
    await ctx.ready({ after: "1s" });
    ctx.metrics({ cpu: "100m" });
    await Promise.race([ctx.sleep("6m"), ctx.untilTerminated()]);
    ctx.metrics({ cpu: "20m" });
    await ctx.untilTerminated();
  });
}

/** The stories by their names. */
export const ROLLOUT_STORIES: Readonly<Record<string, OwnStory>> = {
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
  "interrupted rollout": {
    explored: ["deployment", "replicaset"],
    beside: PODS,
    scenario: {
      name: "a Deployment is paused, scaled while it rolls and while it is stuck, rolled back, and loses a Pod",
      nodes: 2,
      steps: [
        {
          name: "create",
          create: {
            apiVersion: "apps/v1",
            kind: "Deployment",
            metadata: { name: "web" },
            spec: {
              replicas: 3,
              revisionHistoryLimit: 1,
              strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
              selector,
              template: template("web:1"),
            },
          },
        },
        { name: "pause", patch: { ...web, with: { spec: { paused: true } } } },
        { name: "another image, which waits", patch: { ...web, with: image("web:2") } },
        { name: "scale while it is paused", patch: scaled(4) },
        { name: "resume", patch: { ...web, with: { spec: { paused: false } } } },
        { name: "Pods that fit nowhere", patch: onNodes({ disk: "none" }) },
        { name: "scale while it is stuck", patch: scaled(6) },
        { name: "its time is over", wait: "10m" },
        { name: "roll back", patch: onNodes(null) },
        { name: "somebody deletes a Pod", do: deleteOne },
        { name: "scale to none", do: scaleToNone },
        { name: "delete and leave orphans", delete: { ...web, propagationPolicy: "Orphan" } },
      ],
    },
  },
  "autoscaler without metrics": {
    explored: ["horizontal-pod-autoscaling"],
    beside: [...PODS, "deployment", "replicaset"],
    scenario: {
      name: "an autoscaler has no metrics at first, then scales up, and loses what it scales",
      nodes: 1,
      pause: "5m",
      quiet: "10m",
      steps: [
        useMuchAtFirst,
        { name: "create without metrics", create: [measured("busy", {}), autoscaler] },
        { name: "metrics come", apply: measured("busy", TENTH) },
        { name: "more at most", patch: { ...HPA, with: { spec: { maxReplicas: 6 } } } },
        { name: "somebody scales it to none", patch: scaled(0) },
        { name: "and up again", patch: scaled(2) },
        { name: "what it scales goes", do: deleteScaled },
        { name: "and comes again, with less to do", create: measured("web:1", TENTH) },
      ],
    },
  },
  autoscaler: {
    explored: ["horizontal-pod-autoscaling"],
    beside: [...PODS, "statefulset"],
    scenario: {
      name: "an autoscaler follows what Pods use",
      nodes: 1,
      pause: "10m",
      quiet: "10m",
      steps: [
        useMuchAtFirst,
        {
          name: "create",
          create: [
            {
              apiVersion: "apps/v1",
              kind: "StatefulSet",
              metadata: { name: "web" },
              spec: {
                replicas: 1,
                serviceName: "web",
                podManagementPolicy: "Parallel",
                selector,
                template: {
                  metadata: { labels: { app: "web" } },
                  spec: {
                    containers: [
                      { name: "c", image: "busy", resources: { requests: { cpu: "100m" }, limits: { cpu: "100m" } } },
                    ],
                  },
                },
              },
            },
            {
              apiVersion: "autoscaling/v2",
              kind: "HorizontalPodAutoscaler",
              metadata: { name: "web" },
              spec: {
                scaleTargetRef: { apiVersion: "apps/v1", kind: "StatefulSet", name: "web" },
                minReplicas: 1,
                maxReplicas: 4,
                metrics: [
                  {
                    type: "Resource",
                    resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } },
                  },
                ],
              },
            },
          ],
        },
        { name: "they use less", wait: "10m" },
        {
          name: "no less than two",
          patch: {
            apiVersion: "autoscaling/v2",
            kind: "HorizontalPodAutoscaler",
            name: "web",
            with: { spec: { minReplicas: 2 } },
          },
        },
        {
          name: "delete",
          delete: { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", name: "web" },
        },
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
};
