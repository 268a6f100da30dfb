/** Large numbers and sizes of objects that clients may store: planners handle them in one pass, and none of them fails. */
import { describe, expect, test } from "vitest";
import type {
  ControllerRevision,
  Deployment,
  Endpoints,
  EndpointSlice,
  HorizontalPodAutoscaler,
  Job,
  Node,
  Pod,
  ReplicaSet,
  ResourceClaim,
  Service,
  StatefulSet,
} from "../client/kinds/index.ts";
import { leastCpu } from "../util/testing/cpu-time.ts";
import { atOnce } from "../util/steps.ts";
import { planAutoscaler } from "./autoscaler/autoscaler.ts";
import { limit, newHistory, withChange } from "./autoscaler/history.ts";
import { proposalOf } from "./autoscaler/metric.ts";
import { MetricError } from "./autoscaler/replicas.ts";
import type { Plan } from "./common/plan.ts";
import type { PodTemplate } from "./common/template.ts";
import { fitOf, judgeNodes } from "./daemonset/fit.ts";
import { POD_CLAIM_NAME, claimNamesOf, planPodClaims } from "./device-claims/plan.ts";
import { planEndpoints } from "./endpoints/endpoints.ts";
import { planMirror } from "./endpoints/mirror.ts";
import { planSlices } from "./endpoints/slices.ts";
import { withEnded } from "./job/backoff.ts";
import { endOf } from "./job/pods.ts";
import { podsToRemove } from "./job/removal.ts";
import { type Changed, restartsOfDeployment } from "./restarts/restarts.ts";
import { planRevision } from "./revisions/plan.ts";
import { hashesOfTemplate, isRevisionOf, readRevisions } from "./revisions/revision.ts";
import { isComplete } from "./statefulset/pod.ts";

const MANY = 200_000;
const template = { metadata: { annotations: { note: "n".repeat(200_000) } }, spec: {} } as unknown as PodTemplate;
const owner = { apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: "s", namespace: "n", uid: "u" } };
const view = {
  owner: owner as unknown as StatefulSet,
  template,
  label: "hash",
  collisionCount: 0,
};
const revision = (name: string, data: object): ControllerRevision =>
  ({ metadata: { name, labels: {} }, data, revision: 1 }) as unknown as ControllerRevision;

describe("revisions", () => {
  test("WL-GEN-8: used names do not cost a read of the template each", async () => {
    const hashOf = hashesOfTemplate(template);
    const names = Array.from({ length: 5000 }, (_, i) => `s-${hashOf(i)}`);
    const taken = new Map(names.map((name) => [name, revision(name, { x: 1 })]));
    let count: number | undefined;
    const plan = (): void => {
      count = planRevision({ ...view, history: [], revisionNamed: (name) => taken.get(name) }).collisionCount;
    };
    expect(await leastCpu(plan, 200)).toBeLessThan(200);
    expect(count).toBe(5000);
  });

  test("many revisions of one template are distinguished from the others in one pass", async () => {
    const small = { spec: {} } as unknown as PodTemplate;
    const equal = { spec: { template: { spec: {}, $patch: "replace" } } };
    const history = Array.from({ length: 40_000 }, (_, i) => revision(`r-${i}`, i % 2 === 0 ? equal : { i }));
    const plan = () => planRevision({ ...view, template: small, history, revisionNamed: () => undefined });
    plan();
    expect(await leastCpu(() => void plan(), 400)).toBeLessThan(400);
    expect(plan()).toMatchObject({ duplicates: { length: 19_999 }, old: { length: 20_000 } });
  });
});

describe("revisions of megabytes", () => {
  test("WL-STS-5: they are read with a step for each, and once", () => {
    let seen = 0;
    const dataOf = (i: number) => ({
      i,
      get spec() {
        seen++;
        return {};
      },
    });
    const history = Array.from({ length: 10 }, (_, i) => revision(`r-${i}`, dataOf(i)));
    expect([...readRevisions(history)]).toHaveLength(10);
    expect(seen).toBe(10);
    const small = { spec: {} } as unknown as PodTemplate;
    expect(history.some((one) => isRevisionOf(one, small))).toBe(false);
    expect(seen).toBe(10);
  });
});

describe("StatefulSets", () => {
  test("WL-STS-10: the volumes of a Pod are compared with the templates of its claims in one pass", async () => {
    const names = Array.from({ length: 25_000 }, (_, i) => `c-${i}`);
    const set = {
      metadata: { name: "s" },
      spec: { volumeClaimTemplates: names.map((name) => ({ metadata: { name } })) },
    } as unknown as StatefulSet;
    const volumes = names.map((name) => ({ name, persistentVolumeClaim: { claimName: `${name}-s-0` } }));
    const labels = { "statefulset.kubernetes.io/pod-name": "s-0" };
    const pod = { metadata: { name: "s-0", labels }, spec: { volumes } } as unknown as Pod;
    expect(await leastCpu(() => void isComplete(set, 0, pod), 100)).toBeLessThan(100);
    expect(isComplete(set, 0, pod)).toBe(true);
  });
});

describe("Deployments", () => {
  test("the Pods of many old ReplicaSets are ordered without a look at all of them for each", async () => {
    const templateOf = (image: number) => ({ metadata: {}, spec: { image } });
    const sets = Array.from({ length: 5000 }, (_, i) => ({
      metadata: { name: `r-${i}`, uid: `r-${i}`, creationTimestamp: "2026-01-01T00:00:00Z" },
      spec: { template: templateOf(i) },
    }));
    const pods = sets.map(({ metadata: { uid } }) => ({
      metadata: { name: uid, uid, ownerReferences: [{ uid, controller: true }] },
      spec: { nodeName: "a" },
      status: { phase: "Running" },
    }));
    const deployment = (image: number) => ({ spec: { strategy: {}, template: templateOf(image) } });
    const changed = { before: deployment(-1), after: deployment(-2), pods } as unknown as Changed<Deployment>;
    const restarts = () => restartsOfDeployment(changed, sets as unknown as ReplicaSet[], 0);
    expect(await leastCpu(() => void restarts(), 200)).toBeLessThan(200);
    expect(restarts()?.pods).toHaveLength(5000);
  });
});

describe("DaemonSets", () => {
  const nodesOf = (seen: () => void): Node[] =>
    Array.from({ length: 500 }, (_, i) => ({
      metadata: { name: `n-${i}`, labels: { x: "y" } },
      get spec() {
        seen();
        return {};
      },
    })) as unknown as Node[];
  const templateOf = (terms: number): PodTemplate => {
    const nodeSelectorTerms = Array.from({ length: terms }, (_, i) => ({
      matchExpressions: [{ key: "x", operator: "NotIn", values: [`v-${i}`] }],
    }));
    const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
    return { spec: { affinity: { nodeAffinity: required } } } as unknown as PodTemplate;
  };

  test("WL-DS-1: nodes are judged with a step for each, and once", () => {
    let seen = 0;
    const nodes = nodesOf(() => void seen++);
    const some = templateOf(2);
    expect([...judgeNodes(some, nodes)]).toHaveLength(500);
    expect(seen).toBe(500);
    expect(nodes.map(fitOf(some))).toEqual(nodes.map(() => "runs"));
    expect(seen).toBe(500);
  });
});

describe("Jobs", () => {
  const ended = { metadata: { creationTimestamp: "2026-01-01T00:00:00Z" }, spec: {}, status: {} } as Pod;
  const pods = Array.from({ length: MANY }, () => ended);

  test("more Pods than a call takes arguments are counted and removed", () => {
    const at = Date.parse("2026-01-01T00:00:00Z");
    expect(withEnded({ count: 0, lastEnd: 0 }, [], pods)).toEqual({ count: MANY, lastEnd: at });
    expect(withEnded({ count: 1, lastEnd: 0 }, pods, [])).toEqual({ count: 0, lastEnd: 0 });
    const job = { spec: { completionMode: "Indexed", completions: 1 } } as Job;
    expect(podsToRemove(job, pods, 0)).toHaveLength(MANY);
  });

  test("the end of a Pod with many sidecars is found in one pass", async () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `s-${i}`);
    const finishedAt = "2026-01-01T00:00:00Z";
    const pod = {
      metadata: {},
      spec: { initContainers: names.map((name) => ({ name, restartPolicy: "Always" })) },
      status: {
        containerStatuses: [],
        initContainerStatuses: names.map((name) => ({ name, state: { terminated: { finishedAt } } })),
      },
    } as unknown as Pod;
    expect(await leastCpu(() => void endOf(pod), 100)).toBeLessThan(100);
    expect(endOf(pod)).toBe(Date.parse(finishedAt));
  });
});

describe("addresses", () => {
  test("WL-EP-7: mirrored slices of another family are not compared each with each", async () => {
    const ports = Array.from({ length: 10_000 }, (_, i) => [{ name: "p", port: i + 1, protocol: "TCP" }]);
    const endpoints = {
      metadata: { name: "s", namespace: "n", uid: "u" },
      subsets: ports.map((own) => ({ addresses: [{ ip: "2001:db8::1" }], ports: own })),
    } as unknown as Endpoints;
    const slices = ports.map(
      (own, i) =>
        ({ metadata: { name: `s-${i}` }, addressType: "IPv4", ports: own, endpoints: [] }) as unknown as EndpointSlice,
    );
    const service = { metadata: {}, spec: {} } as Service;
    const plan = () => atOnce(planMirror({ service, endpoints, slices }));
    plan();
    expect(await leastCpu(() => void plan(), 400)).toBeLessThan(400);
    expect(plan().stages.map(({ length }) => length)).toEqual([10_000, 10_000, 0]);
  });

  test("WL-EP-7: what all addresses or all subsets of Endpoints share is looked at once, and a step is one subset", async () => {
    const service = { metadata: {}, spec: {} } as Service;
    const labels = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`l${i}`, "v"]));
    const metadata = { name: "s", namespace: "n", uid: "u", labels };
    const ports = Array.from({ length: 10_000 }, (_, i) => ({ name: `p${i}`, port: i + 1, protocol: "TCP" }));
    const addresses = Array.from({ length: 1000 }, (_, i) => ({ ip: `10.0.${i >> 8}.${i & 0xff}` }));
    const few = addresses.slice(0, 1);
    const subsets = [{ addresses, ports }, ...ports.slice(0, 1000).map((port) => ({ addresses: few, ports: [port] }))];
    const endpoints = { metadata, subsets } as unknown as Endpoints;
    const steps = () => planMirror({ service, endpoints, slices: [] });
    atOnce(steps());
    expect(await leastCpu(() => void atOnce(steps()), 400)).toBeLessThan(400);
    expect([...steps()].length).toBeGreaterThan(2000);
  });

  test("WL-EP-4: the ports of Pods of one template are found once, and a step is one Pod", async () => {
    const names = Array.from({ length: 1000 }, (_, i) => `p${i}`);
    const labels = Object.fromEntries(names.map((name) => [name, "v"]));
    const service = {
      metadata: { name: "s", namespace: "n", uid: "u", labels },
      spec: {
        ipFamilies: ["IPv4"],
        clusterIP: "10.0.0.1",
        ports: names.map((name, i) => ({ name, port: i + 1, protocol: "TCP", targetPort: name })),
      },
    } as unknown as Service;
    const ports = names.map((name, i) => ({ name, containerPort: i + 1 }));
    const pods = Array.from({ length: 1000 }, (_, i) => {
      const podIPs = [{ ip: `10.0.${i >> 8}.${i & 0xff}` }];
      const metadata = { name: `p-${i}`, namespace: "n", uid: `u-${i}` };
      return { metadata, spec: { nodeName: "n", containers: [{ name: "c", ports }] }, status: { podIPs } };
    }) as unknown as Pod[];
    const nodeOf = () => ({ metadata: {} }) as Node;
    const slices = () => planSlices({ service, pods, slices: [], nodeOf, triggerTime: undefined });
    const endpoints = () => planEndpoints({ service, pods, current: undefined, triggerTime: undefined });
    for (const plan of [slices, endpoints]) {
      atOnce<Plan>(plan());
      expect(await leastCpu(() => void atOnce<Plan>(plan()), 800)).toBeLessThan(800);
      expect([...plan()]).toHaveLength(1000);
    }
    expect(atOnce(slices()).stages.map(({ length }) => length)).toEqual([10]);
  });
});

describe("device claims", () => {
  test("the claims of a Pod are not each looked for among all of its status, or among all that it owns", async () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `c${i}`);
    const metadata = { name: "p", namespace: "n", uid: "u" };
    const spec = { resourceClaims: names.map((name) => ({ name, resourceClaimTemplateName: "t" })) };
    const status = { resourceClaimStatuses: names.map((name) => ({ name, resourceClaimName: `p-${name}` })) };
    const pod = { metadata, spec, status } as unknown as Pod;
    expect(await leastCpu(() => void claimNamesOf(pod), 200)).toBeLessThan(200);
    expect(claimNamesOf(pod)).toHaveLength(20_000);
    const owned = names.map((name) => ({ metadata: { name: `p-${name}`, annotations: { [POD_CLAIM_NAME]: name } } }));
    const around = { claim: () => undefined, owned: owned as unknown as ResourceClaim[], template: () => undefined };
    const plan = () => planPodClaims({ ...pod, status: {} } as Pod, around);
    expect(await leastCpu(() => void plan(), 200)).toBeLessThan(200);
    expect(plan().finds).toHaveLength(20_000);
  });
});

describe("autoscalers", () => {
  test("WL-HPA-3: each metric is a step, since it is a look at all Pods", () => {
    const metric = {
      type: "Resource",
      resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
    };
    const metrics = Array.from({ length: 100 }, () => metric);
    const spec = { scaleTargetRef: { kind: "Deployment", name: "w" }, minReplicas: 1, maxReplicas: 10, metrics };
    const autoscaler = { metadata: { name: "h" }, spec, status: { desiredReplicas: 2 } };
    const scale = { replicas: 2, statusReplicas: 2, selector: "app=a" };
    const known = { scale, pods: [], readings: metrics.map(() => "none"), history: undefined, now: 0 };
    const plan = () => planAutoscaler({ autoscaler: autoscaler as unknown as HorizontalPodAutoscaler, ...known });
    expect([...plan()]).toHaveLength(100);
    expect(atOnce(plan()).events).toHaveLength(101);
  });

  test("WL-HPA-6: more policies than a call takes arguments", () => {
    const policies = Array.from({ length: MANY }, () => ({ type: "Pods", value: 1, periodSeconds: 60 }));
    const spec = { minReplicas: 1, maxReplicas: 10, behavior: { scaleUp: { policies }, scaleDown: { policies } } };
    const autoscaler = { spec } as unknown as HorizontalPodAutoscaler;
    const history = newHistory(2, 0);
    expect(limit({ autoscaler, current: 2, wanted: 9, history, now: 1 }).replicas).toBe(3);
    expect(withChange(history, { autoscaler, from: 2, to: 3, now: 1 }).ups).toEqual([{ by: 1, at: 1 }]);
  });

  test("a metric and a request beyond all numbers are no number of replicas", () => {
    const spec = { containers: [{ name: "c", resources: { requests: { cpu: "1e999" } } }] };
    const pod = { metadata: { name: "p" }, spec, status: { phase: "Running" } } as unknown as Pod;
    const situation = { replicas: 2, statusReplicas: 2, pods: [pod], tolerances: { up: 0.1, down: 0.1 }, now: 0 };
    const metric = {
      type: "ContainerResource",
      containerResource: { name: "cpu", container: "c", target: { type: "Utilization", averageUtilization: 50 } },
    } as const;
    const values = new Map([["p", { value: Infinity, at: 0, window: 0 }]]);
    const started = { ...pod, status: { ...pod.status, startTime: "1960-01-01T00:00:00Z" } } as Pod;
    const ready = { ...started, status: { ...started.status, conditions: [{ type: "Ready", status: "True" }] } } as Pod;
    expect(() => proposalOf(metric, { pods: values }, { ...situation, pods: [ready] })).toThrow(MetricError);
    const external = { type: "External", external: { metric: { name: "m" }, target: { type: "Value", value: "1" } } };
    expect(() => proposalOf(external as never, { value: Number.NaN }, { ...situation, pods: [ready] })).toThrow(
      MetricError,
    );
    expect(proposalOf(external as never, { value: Infinity }, { ...situation, replicas: 0 }).replicas).toBe(
      2 ** 31 - 1,
    );
  });
});
