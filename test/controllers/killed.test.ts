/** Controllers that have no model of their own, killed before and after each of their writes. */
import { expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import {
  CronJob,
  Deployment,
  EndpointSlice,
  Endpoints,
  HorizontalPodAutoscaler,
  Job,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ResourceClaim,
  ResourceClaimTemplate,
  Service,
} from "../../src/client/kinds/index.ts";
import { builtInControllers, chooseControllers } from "../../src/controllers/index.ts";
import { kubernetes as dialect } from "../../src/meta/dialect.ts";
import type { Controller } from "../../src/runtime/index.ts";
import { createSimulation } from "../../src/simulation/index.ts";
import { sampled } from "../../src/util/testing/amount.ts";
import { HEARTBEATS_STOPPED, SIMULATED_NODE } from "../../src/workloads/node-health/health.ts";
import type { World } from "../runtime/world.ts";
import { type Story, playKilled } from "./model/killed.ts";

const at = (name: string) => ({ namespace: "default", name });
const READY = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
const chosen = (...names: readonly string[]): readonly Controller[] =>
  chooseControllers(builtInControllers({ dialect, eventTtlMillis: 3_600_000, caCertificate: "" }), names);
const makePod = (world: World, name: string, more: object = {}): Promise<unknown> =>
  world.resource(Pod).create({
    metadata: { ...at(name), labels: { app: "a" } },
    spec: { nodeName: "n", containers: [{ name: "c", image: "i" }], ...more },
  } as unknown as NewObject<Pod>);
const setStatus = (world: World, name: string, status: object): Promise<unknown> =>
  world.resource(Pod).status.patch(at(name), { status } as never);
const isReady = (status: "True" | "False"): object => ({ ...READY, conditions: [{ type: "Ready", status }] });
const address = (name: string, ip: string) => (world: World) =>
  setStatus(world, name, { ...READY, podIP: ip, podIPs: [{ ip }] });

const STORIES: Readonly<Record<string, Story>> = {
  cronjob: {
    controllers: () => chosen("cronjob"),
    pause: "31m",
    steps: [
      (world) =>
        world.resource(CronJob).create({
          metadata: at("k"),
          spec: {
            schedule: "0 */4 * * *",
            successfulJobsHistoryLimit: 1,
            jobTemplate: {
              spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
            },
          },
        } as unknown as NewObject<CronJob>),
      ...Array.from({ length: 14 }, () => async (world: World) => {
        for (const { metadata, status } of (await world.resource(Job).list()).items) {
          if (status.conditions) continue;
          const time = new Date(world.clock.now()).toISOString().replace(/\.\d+/, "");
          const condition = (type: string): object => ({ type, status: "True", lastTransitionTime: time });
          const conditions = [condition("SuccessCriteriaMet"), condition("Complete")];
          const done = { startTime: time, completionTime: time, succeeded: 1, conditions };
          await world.resource(Job).status.patch(at(metadata.name), { status: done } as never);
        }
      }),
    ],
    end: async (world) => {
      const { status } = await world.resource(CronJob).get(at("k"));
      const jobs = (await world.resource(Job).list()).items.map(({ metadata }) => metadata.name);
      return { jobs, lastScheduleTime: status.lastScheduleTime, active: status.active?.map(({ name }) => name) };
    },
  },
  "endpoints, endpointslice and endpointslicemirroring": {
    controllers: () => chosen("endpoints", "endpointslice", "endpointslicemirroring"),
    pause: "2m",
    steps: [
      async (world) => {
        await world.resource(Node).create({ metadata: { name: "n" } } as NewObject<Node>);
        const spec = { selector: { app: "a" }, ports: [{ port: 80 }] };
        await world.resource(Service).create({ metadata: at("s"), spec } as NewObject<Service>);
        await world
          .resource(Service)
          .create({ metadata: at("own"), spec: { ports: [{ port: 80 }] } } as NewObject<Service>);
        const subsets = [{ addresses: [{ ip: "10.9.9.9" }], ports: [{ port: 80 }] }];
        await world.resource(Endpoints).create({ metadata: at("own"), subsets } as unknown as NewObject<Endpoints>);
        for (const name of ["p1", "p2", "p3"]) await makePod(world, name);
      },
      address("p1", "10.0.0.1"),
      address("p2", "10.0.0.2"),
      address("p3", "10.0.0.3"),
      (world) => setStatus(world, "p2", isReady("False")),
      (world) => world.resource(Pod).delete(at("p1"), { gracePeriodSeconds: 0 }),
      (world) => world.resource(Service).delete(at("own")),
    ],
    end: async (world) => ({
      endpoints: (await world.resource(Endpoints).list({ namespace: "default" })).items
        .filter(({ metadata }) => metadata.name === "s")
        .map(({ subsets }) =>
          (subsets ?? []).map(({ addresses = [], notReadyAddresses = [] }) => [
            addresses.map(({ ip }) => ip),
            notReadyAddresses.map(({ ip }) => ip),
          ]),
        ),
      slices: (await world.resource(EndpointSlice).list({ namespace: "default" })).items
        .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === "s")
        .map(({ endpoints }) =>
          (endpoints ?? []).map(({ addresses, conditions }) => `${addresses.join()} ${conditions?.ready}`).toSorted(),
        ),
    }),
  },
  disruption: {
    controllers: () => chosen("disruption"),
    pause: "3m",
    steps: [
      async (world) => {
        const spec = { selector: { matchLabels: { app: "a" } }, minAvailable: 1 };
        await world.resource(PodDisruptionBudget).create({ metadata: at("b"), spec } as NewObject<PodDisruptionBudget>);
        for (const name of ["p1", "p2", "p3"]) await makePod(world, name);
      },
      (world) => setStatus(world, "p1", READY),
      (world) => setStatus(world, "p2", READY),
      (world) => setStatus(world, "p3", READY),
      (world) =>
        world.client.json("POST", "/api/v1/namespaces/default/pods/p1/eviction", {
          body: { apiVersion: "policy/v1", kind: "Eviction", metadata: at("p1") },
        }),
      (world) =>
        world
          .resource(Pod)
          .delete(at("p1"), { gracePeriodSeconds: 0 })
          .catch(() => undefined),
      (world) => setStatus(world, "p2", isReady("False")),
    ],
    end: async (world) => {
      const { status } = await world.resource(PodDisruptionBudget).get(at("b"));
      const { currentHealthy, desiredHealthy, disruptionsAllowed, expectedPods, disruptedPods = {} } = status!;
      return { currentHealthy, desiredHealthy, disruptionsAllowed, expectedPods, disruptedPods };
    },
  },
  "horizontal-pod-autoscaling": {
    controllers: () => chosen("horizontal-pod-autoscaling"),
    pause: "1m",
    steps: [
      async (world) => {
        await world.resource(Deployment).create({
          metadata: at("d"),
          spec: {
            replicas: 1,
            selector: { matchLabels: { app: "a" } },
            template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } },
          },
        } as unknown as NewObject<Deployment>);
        const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
        await world.resource(HorizontalPodAutoscaler).create({
          metadata: at("h"),
          spec: { scaleTargetRef, minReplicas: 3, maxReplicas: 6 },
        } as unknown as NewObject<HorizontalPodAutoscaler>);
      },
      (world) => world.resource(HorizontalPodAutoscaler).patch(at("h"), { spec: { minReplicas: 5 } }),
      (world) => world.resource(HorizontalPodAutoscaler).patch(at("h"), { spec: { minReplicas: 1, maxReplicas: 2 } }),
    ],
    end: async (world) => {
      const { status } = await world.resource(HorizontalPodAutoscaler).get(at("h"));
      return {
        replicas: (await world.resource(Deployment).get(at("d"))).spec.replicas,
        conditions: status?.conditions?.map(({ type, status: said, reason }) => [type, said, reason]),
      };
    },
  },
  "node-lifecycle-controller": {
    controllers: () => chosen("node-lifecycle-controller"),
    pause: "4m",
    steps: [
      async (world) => {
        for (const name of ["a", "b", "c"]) {
          await world.resource(Node).create({
            metadata: { name, annotations: { [SIMULATED_NODE]: "true" }, labels: { "kubernetes.io/os": "linux" } },
          } as NewObject<Node>);
          const conditions = [{ type: "Ready", status: "True", lastHeartbeatTime: "2026-01-01T00:00:00Z" }];
          await world.resource(Node).status.patch({ name }, { status: { conditions } } as never);
        }
        for (const [name, nodeName] of [
          ["p1", "a"],
          ["p2", "a"],
          ["p3", "b"],
        ] as const) {
          await makePod(world, name, { nodeName });
          await setStatus(world, name, READY);
        }
      },
      (world) => {
        const annotations = { [HEARTBEATS_STOPPED]: new Date(world.clock.now()).toISOString() };
        return world.resource(Node).patch({ name: "a" }, { metadata: { annotations } });
      },
      (world) => world.resource(Node).patch({ name: "b" }, { spec: { unschedulable: true } }),
    ],
    end: async (world) => ({
      nodes: (await world.resource(Node).list()).items.map(({ metadata, spec, status }) => [
        metadata.name,
        metadata.labels,
        (spec.taints ?? []).map(({ key, effect }) => `${key} ${effect}`).toSorted(),
        (status?.conditions ?? []).map(({ type, status: said, reason }) => [type, said, reason]),
      ]),
      pods: (await world.resource(Pod).list()).items.map(({ metadata, status }) => [
        metadata.name,
        status.conditions?.filter(({ type }) => type === "Ready").map(({ status: said }) => said),
      ]),
    }),
  },
  resourceclaim: {
    controllers: () => chosen("resourceclaim", "garbage-collector"),
    pause: "1m",
    steps: [
      async (world) => {
        const devices = { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] };
        await world
          .resource(ResourceClaimTemplate)
          .create({ metadata: at("t"), spec: { spec: { devices } } } as NewObject<ResourceClaimTemplate>);
        for (const name of ["p1", "p2"]) {
          await makePod(world, name, { resourceClaims: [{ name: "dev", resourceClaimTemplateName: "t" }] });
        }
      },
      (world) => setStatus(world, "p1", { phase: "Succeeded" }),
    ],
    end: async (world) => ({
      claims: (await world.resource(ResourceClaim).list()).items.map(({ metadata }) => [
        metadata.name.replace(/[a-z0-9]{5}$/, "x"),
        metadata.ownerReferences?.map(({ name }) => name),
      ]),
      pods: (await world.resource(Pod).list()).items.map(({ metadata, status }) => [
        metadata.name,
        status.resourceClaimStatuses?.map(({ name }) => name),
      ]),
    }),
  },
  "simulated volumes": {
    controllers: (world) => [
      ...chosen("persistentvolume-binder", "persistentvolume-expander", "pvc-protection", "pv-protection"),
      ...createSimulation(world, { seed: 1 }).controllers,
    ],
    pause: "3m",
    steps: [
      async (world) => {
        await createSimulation(world, { seed: 1 }).addNodes(world.client, 1);
        await world.advance("1m");
        for (const name of ["kept", "gone"]) {
          await world.resource(PersistentVolumeClaim).create({
            metadata: at(name),
            spec: {
              storageClassName: "simulated",
              accessModes: ["ReadWriteOnce"],
              resources: { requests: { storage: "1Gi" } },
            },
          } as NewObject<PersistentVolumeClaim>);
        }
      },
      (world) =>
        world
          .resource(PersistentVolumeClaim)
          .patch(at("kept"), { spec: { resources: { requests: { storage: "2Gi" } } } }),
      (world) => world.resource(PersistentVolumeClaim).delete(at("gone")),
    ],
    end: async (world) => ({
      claims: (await world.resource(PersistentVolumeClaim).list()).items.map(({ metadata, status }) => [
        metadata.name,
        status.phase,
        status.capacity,
      ]),
      volumes: (await world.resource(PersistentVolume).list()).items.map(({ spec, status }) => [
        spec.claimRef?.name,
        spec.capacity,
        status.phase,
      ]),
    }),
  },
};

test.each(Object.entries(STORIES))(
  "%s: killed before or after any write it ends as without",
  async (_, story) => {
    const whole = await playKilled(story);
    expect(whole.writes).toBeGreaterThan(2);
    const kills = Array.from({ length: whole.writes * 2 }, (__, i) => ({
      when: i % 2 === 0 ? ("before" as const) : ("after" as const),
      write: 1 + (i >> 1),
    }));
    for (const kill of sampled(kills, 3)) {
      // oxlint-disable-next-line no-await-in-loop -- one world after the other
      const { end } = await playKilled(story, kill);
      expect(end, `killed ${kill.when} write ${kill.write}`).toEqual(whole.end);
    }
  },
  120_000,
);
