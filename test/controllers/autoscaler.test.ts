import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import {
  CustomResourceDefinition,
  Deployment,
  Event,
  HorizontalPodAutoscaler,
  Pod,
} from "../../src/client/kinds/index.ts";
import { readMetrics } from "../../src/controllers/workloads/autoscaler-metrics.ts";
import { autoscaling } from "../../src/controllers/workloads/autoscaler.ts";
import { World } from "../runtime/world.ts";

let world: World;
beforeEach(async () => {
  world = await World.create();
  metrics.clear();
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.failures.length > 0) throw world.failures[0]!.error;
  if (world.warnings.length > 0) throw new Error(world.warnings.join("\n"));
});

/** What the metrics APIs answer, by the path up to the query; others are asked of the server. */
const metrics = new Map<string, unknown>();
const asked: string[] = [];
const written: string[] = [];

async function start(): Promise<void> {
  asked.length = 0;
  const client = world.cluster.client("manager").with({
    through: (transport) => async (request) => {
      const path = request.path.replace(/\?.*/, "");
      if (request.method !== "GET") written.push(`${request.method} ${path}`);
      if (path.includes("metrics.k8s.io")) asked.push(request.path);
      const answer = metrics.get(path);
      if (answer === undefined) return transport(request);
      const body = (async function* () {
        yield Buffer.from(JSON.stringify(answer));
      })();
      return { status: 200, headers: {}, body } as never;
    },
  });
  await world.manager({ client }).add(autoscaling()).start();
  await world.settled();
}

const at = (name: string) => ({ name, namespace: "default" });
const now = () => new Date(world.clock.now()).toISOString().replace(/\.\d+/, "");
const deployments = () => world.resource(Deployment);
const container = { name: "c", image: "i", resources: { requests: { cpu: "100m", memory: "64Mi" } } };

const makeDeployment = async (replicas: number, name = "w", labels: Record<string, string> = { app: "a" }) => {
  const template = { metadata: { labels }, spec: { containers: [container] } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  await deployments().create({ metadata: at(name), spec } as NewObject<Deployment>);
  await deployments().status.patch(at(name), { status: { replicas } });
};
const EARLY = "2020-01-01T00:00:00Z";
const makePods = async (count: number, { ready = true, phase = "Running", startTime = EARLY, prefix = "p" } = {}) => {
  for (let i = 0; i < count; i++) {
    const pod = at(`${prefix}${i}`);
    await world
      .resource(Pod)
      .create({ metadata: { ...pod, labels: { app: "a" } }, spec: { containers: [container] } } as NewObject<Pod>);
    const conditions = [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: startTime }];
    await world.resource(Pod).status.patch(pod, { status: { phase, startTime, conditions } });
  }
  await world.settled();
};
const CPU = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } };
const makeAutoscaler = async (spec: object = {}, name = "h") => {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "w" };
  const whole = { scaleTargetRef, minReplicas: 1, maxReplicas: 10, metrics: [CPU], ...spec };
  await world
    .resource(HorizontalPodAutoscaler)
    .create({ metadata: at(name), spec: whole } as NewObject<HorizontalPodAutoscaler>);
  await world.settled();
};
const PODS = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods";
/** The usage of cpu of each Pod. */
const measure = (usages: Readonly<Record<string, string>>, resource = "cpu") => {
  const items = Object.entries(usages).map(([name, usage]) => ({
    metadata: at(name),
    timestamp: now(),
    window: "30s",
    containers: [{ name: "c", usage: { [resource]: usage } }],
  }));
  metrics.set(PODS, { kind: "PodMetricsList", apiVersion: "metrics.k8s.io/v1beta1", items });
};
const measureAll = (count: number, usage: string, resource?: string) =>
  measure(Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, usage])), resource);

const replicas = async (name = "w") => (await deployments().get(at(name))).spec.replicas;
const autoscaler = (name = "h") => world.resource(HorizontalPodAutoscaler).get(at(name));
const conditions = async (name = "h") =>
  Object.fromEntries(
    (await autoscaler(name)).status.conditions!.map(({ type, status, reason }) => [type, `${status} ${reason}`]),
  );
const events = async () =>
  (await world.resource(Event).list()).items.map(({ type, reason }) => `${type} ${reason}`).toSorted();
const sync = () => world.advance("15s");

describe("WL-HPA-1: each sync reads the scale of the target", () => {
  test("15 seconds after it was seen, and every 15 seconds; between them nothing is asked", async () => {
    await makeDeployment(1);
    await makePods(1);
    measureAll(1, "50m");
    await start();
    await makeAutoscaler();
    await world.advance("14s");
    expect(asked).toEqual([]);
    await world.advance("1s");
    expect(asked).toEqual([`${PODS}?labelSelector=app%3Da`]);
    await world.resource(HorizontalPodAutoscaler).patch(at("h"), { metadata: { labels: { x: "y" } } });
    await world.advance("14s");
    expect(asked).toHaveLength(1);
    await world.advance("1s");
    expect(asked).toHaveLength(2);
    written.length = 0;
    await world.advance("1m");
    expect(written).toEqual([]);
    expect(await conditions()).toEqual({
      AbleToScale: "True ReadyForNewScale",
      ScalingActive: "True ValidMetricFound",
      ScalingLimited: "False DesiredWithinRange",
    });
  });

  test("a target that is not there, or has no scale", async () => {
    await start();
    await makeAutoscaler();
    await makeAutoscaler({ scaleTargetRef: { apiVersion: "apps/v1", kind: "DaemonSet", name: "w" } }, "i");
    await sync();
    for (const name of ["h", "i"]) expect(await conditions(name)).toEqual({ AbleToScale: "False FailedGetScale" });
    const [missing, noScale] = await Promise.all(["h", "i"].map((name) => autoscaler(name)));
    const unable = "the HPA controller was unable to get the target's current scale: ";
    expect(missing!.status.conditions![0]!.message).toBe(`${unable}deployments.apps "w" not found`);
    expect(noScale!.status.conditions![0]!.message).toBe(`${unable}the server could not find the requested resource`);
    expect(await events()).toEqual(["Warning FailedGetScale", "Warning FailedGetScale"]);
  });

  test("any kind with a scale subresource can be the target", async () => {
    await world.resource(CustomResourceDefinition).create({
      metadata: { name: "cranes.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "cranes", kind: "Crane" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
            subresources: { scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" }, status: {} },
          },
        ],
      },
    } as never);
    await world.settled();
    const path = "/apis/example.com/v1/namespaces/default/cranes";
    const crane = { apiVersion: "example.com/v1", kind: "Crane", metadata: { name: "w" }, spec: { size: 1 } };
    await world.client.json("POST", path, { body: crane });
    await start();
    await makeAutoscaler({
      scaleTargetRef: { apiVersion: "example.com/v1", kind: "Crane", name: "w" },
      minReplicas: 3,
    });
    await sync();
    expect(await world.client.json("GET", `${path}/w`)).toMatchObject({ spec: { size: 3 } });
    expect(await conditions()).toEqual({ AbleToScale: "True SucceededRescale" });
  });
});

test.each([
  ["too few", 1, { minReplicas: 3 }, 3],
  ["too many", 8, { maxReplicas: 5 }, 5],
])("WL-HPA-2: %s replicas are brought into the limits, without metrics", async (_, from, spec, to) => {
  await makeDeployment(from);
  await start();
  await makeAutoscaler(spec);
  await sync();
  expect(await replicas()).toBe(to);
  expect((await autoscaler()).status).toMatchObject({
    currentReplicas: from,
    desiredReplicas: to,
    lastScaleTime: now(),
  });
  expect(await events()).toEqual(["Normal SuccessfulRescale"]);
  expect(asked).toEqual([]);
});

test("WL-HPA-2: at 0 replicas it is off", async () => {
  await makeDeployment(0);
  await start();
  await makeAutoscaler();
  await sync();
  expect(await conditions()).toEqual({ AbleToScale: "True SucceededGetScale", ScalingActive: "False ScalingDisabled" });
  expect(await replicas()).toBe(0);
});

test("WL-HPA-3: without the API of the metrics nothing changes, and Events tell", async () => {
  await makeDeployment(2);
  await makePods(2);
  await start();
  await makeAutoscaler();
  await sync();
  expect(await conditions()).toEqual({
    AbleToScale: "True SucceededGetScale",
    ScalingActive: "False FailedGetResourceMetric",
  });
  expect(await events()).toEqual(["Warning FailedComputeMetricsReplicas", "Warning FailedGetResourceMetric"]);
  const why =
    "failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)";
  expect((await autoscaler()).status.conditions!.map(({ message }) => message)).toEqual([
    "the HPA controller was able to get the target's current scale",
    `the HPA was unable to compute the replica count: ${why}`,
  ]);
  expect(await replicas()).toBe(2);
  expect((await autoscaler()).status).toMatchObject({ currentReplicas: 2, desiredReplicas: 0 });
  written.length = 0;
  await world.advance("1m");
  expect(written.filter((one) => one.includes("/horizontalpodautoscalers/"))).toEqual([]);
});

test("WL-HPA-4: two with one target do nothing; once one is gone the other goes on", async () => {
  await makeDeployment(1);
  await makePods(1);
  measureAll(1, "100m");
  await start();
  await makeAutoscaler();
  await makeAutoscaler({}, "i");
  await sync();
  await sync();
  for (const name of ["h", "i"])
    expect(await conditions(name)).toMatchObject({ ScalingActive: "False AmbiguousSelector" });
  await world.resource(HorizontalPodAutoscaler).delete(at("i"));
  await sync();
  expect(await conditions()).toMatchObject({ ScalingActive: "True ValidMetricFound" });
});

describe("WL-HPA-5: metrics", () => {
  test("cpu in percent of the requests: from 2 at 100 % of 50 % to 4", async () => {
    await makeDeployment(2);
    await makePods(2);
    measureAll(2, "100m");
    await start();
    await makeAutoscaler();
    await sync();
    expect(await replicas()).toBe(4);
    const { status } = await autoscaler();
    expect(status.currentMetrics).toEqual([
      { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 100, averageValue: "100m" } } },
    ]);
    const [event] = (await world.resource(Event).list()).items;
    expect(event!.note).toBe("New size: 4; reason: cpu resource utilization (percentage of request) above target");
  });

  test("within a tenth nothing changes; with a tolerance of its own it does", async () => {
    await makeDeployment(2);
    await makePods(2);
    measureAll(2, "55m");
    await start();
    await makeAutoscaler();
    await sync();
    expect(await replicas()).toBe(2);
    await world
      .resource(HorizontalPodAutoscaler)
      .patch(at("h"), { spec: { behavior: { scaleUp: { tolerance: "0.05" } } } });
    await sync();
    expect(await replicas()).toBe(3);
  });

  test("memory and one container; values in their units", async () => {
    await makeDeployment(1);
    await makePods(1);
    measureAll(1, "128Mi", "memory");
    await start();
    const memory = {
      type: "Resource",
      resource: { name: "memory", target: { type: "AverageValue", averageValue: "64Mi" } },
    };
    await makeAutoscaler({ metrics: [memory] });
    await sync();
    expect(await replicas()).toBe(2);
    expect((await autoscaler()).status.currentMetrics).toEqual([
      { type: "Resource", resource: { name: "memory", current: { averageValue: "128Mi" } } },
    ]);
    const one = { type: "ContainerResource", containerResource: { ...memory.resource, container: "c" } };
    await makeDeployment(1, "w2");
    await world.resource(HorizontalPodAutoscaler).patch(at("h"), { spec: { metrics: [one] } } as never);
    await sync();
    expect((await autoscaler()).status.currentMetrics).toMatchObject([{ containerResource: { container: "c" } }]);
  });

  test("a metric that cannot be had blocks shrinking, but not growing", async () => {
    await makeDeployment(2);
    await makePods(2);
    measureAll(2, "100m");
    const external = { type: "External", external: { metric: { name: "q" }, target: { type: "Value", value: "1" } } };
    await start();
    await makeAutoscaler({ metrics: [external, CPU] });
    await sync();
    expect(await replicas()).toBe(4);
    await makePods(2, { prefix: "q" });
    measure({ p0: "10m", p1: "10m", q0: "10m", q1: "10m" });
    await world.advance("10m");
    expect(await replicas()).toBe(4);
    expect(await conditions()).toMatchObject({ ScalingActive: "False FailedGetExternalMetric" });
    expect((await autoscaler()).status.currentMetrics).toMatchObject([{ type: "" }, { type: "Resource" }]);
  });

  test("Pods without metrics count as idle when growing, as busy when shrinking; unready ones as idle", async () => {
    await makeDeployment(4);
    await makePods(3);
    await makePods(1, { prefix: "pending", phase: "Pending" });
    await start();
    await makeAutoscaler();
    measure({ p0: "100m", p1: "100m" });
    await sync();
    expect(await replicas()).toBe(4);
    measure({ p0: "200m", p1: "200m" });
    await sync();
    expect(await replicas()).toBe(8);
  });

  test("cpu of a young Pod counts only when it is ready and measured since", async () => {
    await makeDeployment(1);
    await makePods(1, { startTime: now() });
    measureAll(1, "100m");
    await start();
    await makeAutoscaler();
    await sync();
    expect(await conditions()).toMatchObject({ ScalingActive: "False FailedGetResourceMetric" });
    await sync();
    measureAll(1, "100m");
    await sync();
    expect(await replicas()).toBe(2);
  });

  test("metrics of Pods, of an object and from outside", async () => {
    await makeDeployment(2);
    await makePods(2);
    const custom = "/apis/custom.metrics.k8s.io";
    const described = (name: string) => ({ describedObject: { name }, timestamp: now(), value: "30" });
    metrics.set(custom, { kind: "APIGroup", versions: [{ version: "v1beta1" }, { version: "v1beta2" }] });
    metrics.set(`${custom}/v1beta2/namespaces/default/pods/*/qps`, { items: [described("p0"), described("p1")] });
    metrics.set(`${custom}/v1beta2/namespaces/default/deployments.apps/x/depth`, { items: [described("x")] });
    metrics.set(`${custom}/v1beta2/namespaces/default/metrics/load`, { items: [described("default")] });
    metrics.set("/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue", {
      items: [{ value: "4" }, { value: "5" }],
    });
    await start();
    const object = (kind: string, name: string, metric: string, target: object) => ({
      type: "Object",
      object: {
        describedObject: { apiVersion: kind === "Namespace" ? "v1" : "apps/v1", kind, name },
        metric: { name: metric },
        target,
      },
    });
    await makeAutoscaler({
      metrics: [
        { type: "Pods", pods: { metric: { name: "qps" }, target: { type: "AverageValue", averageValue: "30" } } },
        object("Deployment", "x", "depth", { type: "Value", value: "30" }),
        object("Namespace", "default", "load", { type: "AverageValue", averageValue: "10" }),
        {
          type: "External",
          external: {
            metric: { name: "queue", selector: { matchLabels: { q: "1" } } },
            target: { type: "AverageValue", averageValue: "3" },
          },
        },
      ],
    });
    await sync();
    expect(await replicas()).toBe(3);
    expect(asked.at(-1)).toBe("/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue?labelSelector=q%3D1");
    expect((await autoscaler()).status.currentMetrics).toMatchObject([
      { type: "Pods", pods: { current: { averageValue: "30" } } },
      { type: "Object", object: { current: { value: "30" } } },
      { type: "Object", object: { current: { averageValue: "15" } } },
      { type: "External", external: { current: { averageValue: "4500m" } } },
    ]);
  });
});

describe("WL-HPA-6: windows and rates", () => {
  const grow = async (count: number, usage: string) => {
    const present = (await replicas())!;
    for (let i = 0; i < present; i++) {
      if (!(await world.resource(Pod).find(at(`p${i}`)))) await makeOne(i);
    }
    measureAll(count, usage);
  };
  const makeOne = async (i: number) => {
    await world.resource(Pod).create({
      metadata: { ...at(`p${i}`), labels: { app: "a" } },
      spec: { containers: [container] },
    } as NewObject<Pod>);
    const ready = [{ type: "Ready", status: "True", lastTransitionTime: EARLY }];
    await world
      .resource(Pod)
      .status.patch(at(`p${i}`), { status: { phase: "Running", startTime: EARLY, conditions: ready } });
  };

  test("without behavior at most twice as many, or 4, at a time", async () => {
    await makeDeployment(1);
    await makePods(1);
    measureAll(1, "1");
    await start();
    await makeAutoscaler({ maxReplicas: 100 });
    await sync();
    expect(await replicas()).toBe(4);
    expect(await conditions()).toMatchObject({
      ScalingLimited: "True ScaleUpLimit",
      AbleToScale: "True SucceededRescale",
    });
    await grow(4, "1");
    await sync();
    expect(await replicas()).toBe(8);
  });

  test("the limits are reported", async () => {
    await makeDeployment(2);
    await makePods(2);
    measureAll(2, "200m");
    await start();
    await makeAutoscaler({ maxReplicas: 3, minReplicas: 2 });
    await sync();
    expect(await replicas()).toBe(3);
    expect(await conditions()).toMatchObject({ ScalingLimited: "True TooManyReplicas" });
    measure({ p0: "1m", p1: "1m" });
    await world.advance("315s");
    expect(await replicas()).toBe(2);
    await sync();
    expect(await conditions()).toMatchObject({ ScalingLimited: "True TooFewReplicas" });
  });

  test("shrinking waits until nothing more was wanted for 300 seconds, to the second", async () => {
    await makeDeployment(4);
    await makePods(4);
    measureAll(4, "50m");
    await start();
    await makeAutoscaler();
    await sync();
    measureAll(4, "25m");
    await world.advance("300s");
    expect(await replicas()).toBe(4);
    expect(await conditions()).toMatchObject({ AbleToScale: "True ScaleDownStabilized" });
    await world.advance("14s");
    expect(await replicas()).toBe(4);
    await world.advance("1s");
    expect(await replicas()).toBe(2);
  });

  test("with behavior shrinking waits for its window, by default 300 seconds", async () => {
    await makeDeployment(4);
    await makePods(4);
    measureAll(4, "50m");
    await start();
    const spec = { behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } };
    await makeAutoscaler(spec);
    await sync();
    measureAll(4, "25m");
    await world.advance("59s");
    expect(await replicas()).toBe(4);
    await world.advance("1s");
    expect(await replicas()).toBe(2);
  });

  test("policies: a Pod each minute, and no more until the minute is over", async () => {
    await makeDeployment(1);
    await makePods(1);
    measureAll(1, "1");
    await start();
    const policies = [{ type: "Pods", value: 1, periodSeconds: 60 }];
    await makeAutoscaler({ behavior: { scaleUp: { policies } } });
    await sync();
    expect(await replicas()).toBe(2);
    await grow(2, "1");
    await world.advance("45s");
    expect(await replicas()).toBe(2);
    expect(await conditions()).toMatchObject({ ScalingLimited: "True ScaleUpLimit" });
    await world.advance("15s");
    expect(await replicas()).toBe(3);
  });

  test.each([
    ["Max", 6],
    ["Min", 3],
    ["Disabled", 2],
  ])("selectPolicy %s of 1 and 4 Pods: from 2 to %i", async (selectPolicy, expected) => {
    await makeDeployment(2);
    await makePods(2);
    measureAll(2, "1");
    await start();
    const policies = [1, 4].map((value) => ({ type: "Pods", value, periodSeconds: 60 }));
    await makeAutoscaler({ behavior: { scaleUp: { selectPolicy, policies } } });
    await sync();
    expect(await replicas()).toBe(expected);
  });

  test("half of the Pods each 30 seconds while shrinking", async () => {
    await makeDeployment(8);
    await makePods(8);
    measureAll(8, "0");
    await start();
    const policies = [{ type: "Percent", value: 50, periodSeconds: 30 }];
    await makeAutoscaler({ behavior: { scaleDown: { stabilizationWindowSeconds: 0, policies } } });
    await sync();
    expect(await replicas()).toBe(4);
    expect(await conditions()).toMatchObject({ ScalingLimited: "True ScaleDownLimit" });
    await sync();
    expect(await replicas()).toBe(4);
    await sync();
    expect(await replicas()).toBe(2);
  });

  test("growing with a window of its own waits for the least that was wanted in it", async () => {
    await makeDeployment(2);
    await makePods(2);
    measureAll(2, "50m");
    await start();
    await makeAutoscaler({ behavior: { scaleUp: { stabilizationWindowSeconds: 60 } } });
    await sync();
    measureAll(2, "100m");
    await world.advance("45s");
    expect(await replicas()).toBe(2);
    expect(await conditions()).toMatchObject({ AbleToScale: "True ScaleUpStabilized" });
    await sync();
    expect(await replicas()).toBe(4);
  });
});

test("WL-HPA-3: metrics of the same resource are read once, and others may run between two of them", async () => {
  const items = [{ metadata: { name: "p" }, timestamp: EARLY, window: "15s", containers: [{ usage: { cpu: "1" } }] }];
  let [requests, pauses] = [0, 0];
  const request = {
    client: { json: async () => ({ items: (requests++, items) }) } as never,
    namespace: "default",
    selector: "app=a",
    signal: AbortSignal.timeout(60_000),
    kinds: async () => [],
    slice: { isOver: true, pause: async () => void pauses++ },
  };
  const [first, ...others] = await readMetrics(
    Array.from({ length: 3 }, () => CPU),
    request,
  );
  expect(first).toEqual({ pods: new Map([["p", { value: 1000, at: Date.parse(EARLY), window: 15_000 }]]) });
  for (const other of others) expect((other as { pods: object }).pods).toBe((first as { pods: object }).pods);
  expect([requests, pauses]).toEqual([1, 3]);
});
