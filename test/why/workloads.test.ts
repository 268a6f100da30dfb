/** What rollouts, Jobs, CronJobs, budgets and Services wait for, and until when. */
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  CronJob,
  DaemonSet,
  Deployment,
  type HorizontalPodAutoscaler,
  Job,
  Node,
  Pod,
  PodDisruptionBudget,
  Service,
  StatefulSet,
} from "../../src/client/kinds/index.ts";
import type { Kind } from "../../src/client/index.ts";
import { formatTime } from "../../src/meta/time.ts";
import { type Cluster, createCluster } from "../../src/testing/index.ts";
import { explainAutoscaler } from "../../src/why/disruption.ts";
import type { Facts } from "../../src/why/facts.ts";
import { explainCronJob, explainJob } from "../../src/why/jobs.ts";

let cluster: Cluster;
beforeEach(async () => {
  cluster = await createCluster({ controllers: "all" });
});
afterEach(() => cluster[Symbol.asyncDispose]());

const at = { namespace: "default", name: "w" };
const template = (image = "i1", more: object = {}) => ({
  metadata: { labels: { app: "a" } },
  spec: { containers: [{ name: "c", image }], ...more },
});
const spec = (image: string, more: object) => ({
  selector: { matchLabels: { app: "a" } },
  template: template(image),
  ...more,
});
const apply = async (apiVersion: string, kind: string, of: object) => {
  await cluster.apply({ apiVersion, kind, metadata: at, spec: of } as never);
  await cluster.settled();
};
const says = async (kind: Kind<never, "Namespaced">) => {
  await cluster.settled();
  const report = await cluster.client().resource(kind).why(at);
  return report.reasons.map((reason) => reason.says);
};
const pods = async () => (await cluster.client().resource(Pod).list()).items;
const ready = async (name: string, status = "True") => {
  const conditions = [{ type: "Ready", status, lastTransitionTime: formatTime(cluster.clock.now()) }];
  await cluster
    .client()
    .resource(Pod)
    .status.patch({ ...at, name }, { status: { phase: "Running", conditions } } as never);
  await cluster.settled();
};
const fail = async (name: string) => {
  await cluster
    .client()
    .resource(Pod)
    .status.patch({ ...at, name }, { status: { phase: "Failed" } });
  await cluster.clock.advance("1s");
};

test("a Deployment: how far its rollout is, until when minReadySeconds, and when its deadline passes", async () => {
  await apply("apps/v1", "Deployment", spec("i1", { replicas: 2, minReadySeconds: 30, progressDeadlineSeconds: 60 }));
  const [first] = await pods();
  await ready(first!.metadata.name);
  const reasons = await says(Deployment as never);
  expect(reasons).toContain("its rollout continues: 2 of 2 Pods of the current template exist, 0 are available");
  expect(reasons).toContain(
    `its Pod ${first!.metadata.name} is ready, and waits until 00:00:30 (in 30s) for minReadySeconds (30)`,
  );
  expect(reasons.some((text) => text.startsWith("the progress deadline passes at 00:01:00 (in 60s)"))).toBe(true);
  await cluster.clock.advance("2m");
  expect(await says(Deployment as never)).toContain(
    "its progress deadline of 60s has passed; the rollout still continues",
  );
});

test("a Deployment that is paused, and one that is complete", async () => {
  await apply("apps/v1", "Deployment", spec("i1", { replicas: 0 }));
  expect(await says(Deployment as never)).toEqual([]);
  await apply("apps/v1", "Deployment", spec("i1", { replicas: 0, paused: true }));
  expect(await says(Deployment as never)).toContain(
    "it is paused: a new template is not rolled out before it is resumed",
  );
});

test("a StatefulSet: the Pod that the others wait for, what an update has left, and what its partition keeps", async () => {
  await apply("apps/v1", "StatefulSet", spec("i1", { replicas: 3 }));
  expect(await says(StatefulSet as never)).toContain(
    "w-0 is not ready, and the Pods after it, up to w-2, wait for it (OrderedReady)",
  );
  for (const name of ["w-0", "w-1", "w-2"]) await ready(name);
  const rollingUpdate = { partition: 1 };
  await apply(
    "apps/v1",
    "StatefulSet",
    spec("i2", { replicas: 3, updateStrategy: { type: "RollingUpdate", rollingUpdate } }),
  );
  const reasons = await says(StatefulSet as never);
  expect(reasons).toContain("its update continues from the highest ordinal down; old Pods: w-1");
  expect(reasons).toContain("below its partition 1 an older template stays: w-0");
});

test("a DaemonSet that no node fits", async () => {
  await apply("apps/v1", "DaemonSet", spec("i1", {}));
  expect(await says(DaemonSet as never)).toContain("no node fits it: its selector, affinity or taints");
});

test("a Job: until when it waits after a failure, when its deadline passes, and when it is deleted", async () => {
  const of = {
    template: template("i", { restartPolicy: "Never" }),
    activeDeadlineSeconds: 300,
    ttlSecondsAfterFinished: 100,
  };
  await apply("batch/v1", "Job", { ...of, completions: 2 });
  const [first] = await pods();
  await fail(first!.metadata.name);
  await cluster.clock.advance("1s");
  const reasons = await says(Job as never);
  expect(reasons[0]).toBe("0 of 2 Pods have succeeded, 0 are active, 1 have failed (backoffLimit 6)");
  expect(reasons[1]).toMatch(/^the next Pod is created after the last failure, at 00:00:1\d \(in \ds\)$/);
  expect(reasons[2]).toMatch(/^its deadline passes at 00:05:00 \(in 4m58s\) \(activeDeadlineSeconds\)$/);
  await cluster.clock.advance("5m");
  expect((await says(Job as never)).slice(0, 2)).toEqual([
    expect.stringMatching(/^it has failed: DeadlineExceeded/),
    expect.stringMatching(/^it is deleted at 00:06:\d\d \(in \d+s\) \(ttlSecondsAfterFinished\)$/),
  ]);
});

test("a CronJob: when its next Job is made, and that it is suspended", async () => {
  const jobTemplate = { spec: { template: template("i", { restartPolicy: "Never" }) } };
  await apply("batch/v1", "CronJob", { schedule: "30 * * * *", timeZone: "Etc/UTC", jobTemplate });
  expect(
    (await says(CronJob as never)).some((text) => text.startsWith("its next Job is created at 00:30:00 (in 30m)")),
  ).toBe(true);
  await cluster.clock.advance("31m");
  await apply("batch/v1", "CronJob", { schedule: "30 * * * *", timeZone: "Etc/UTC", suspend: true, jobTemplate });
  expect(await says(CronJob as never)).toContain("it is suspended: no Job is created");
});

test("a budget that permits nothing, and a Service without addresses", async () => {
  await apply("apps/v1", "Deployment", spec("i1", { replicas: 1 }));
  await apply("policy/v1", "PodDisruptionBudget", { minAvailable: 1, selector: { matchLabels: { app: "a" } } });
  expect(await says(PodDisruptionBudget as never)).toContain(
    "it permits no eviction: 0 of 1 Pods are healthy, and 1 have to be",
  );
  await apply("v1", "Service", { selector: { app: "other" }, ports: [{ port: 80 }] });
  expect(await says(Service as never)).toEqual(["it has no addresses: no Pod has the labels app=other"]);
  await apply("v1", "Service", { selector: { app: "a" }, ports: [{ port: 80 }] });
  expect(await says(Service as never)).toContain("it has no ready addresses: none of its 1 Pods is ready");
});

test("a Pod whose node is silent, and one whose container waits for its next start", async () => {
  await cluster.apply(Node, { metadata: { name: "n" } });
  const ofNode = {
    type: "Ready",
    status: "Unknown",
    reason: "NodeStatusUnknown",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  await cluster
    .client()
    .resource(Node)
    .status.patch({ name: "n" }, { status: { conditions: [ofNode] } });
  const pod = { metadata: at, spec: { ...template().spec, nodeName: "n" } };
  await cluster.apply(Pod, pod as never);
  const waiting = { reason: "CrashLoopBackOff", message: "back-off" };
  const terminated = { exitCode: 1, finishedAt: "2026-01-01T00:00:00Z", startedAt: "2026-01-01T00:00:00Z" };
  const container = {
    name: "c",
    image: "i1",
    imageID: "",
    ready: false,
    restartCount: 2,
    state: { waiting },
    lastState: { terminated },
  };
  const conditions = [{ type: "Ready", status: "False", reason: "ContainersNotReady" }];
  await cluster
    .client()
    .resource(Pod)
    .status.patch(at, { status: { phase: "Running", conditions, containerStatuses: [container] } } as never);
  const reasons = await says(Pod as never);
  expect(reasons).toContain("its node n is not ready (NodeStatusUnknown) since 2026-01-01T00:00:00Z");
  expect(reasons).toContain("its container c has ended 3 times, and starts again at 00:00:40 (in 40s)");
});

test("a controller that is switched off on this server is named", async () => {
  await using other = await createCluster({ controllers: ["*", "-deployment"] });
  await other.apply({ apiVersion: "apps/v1", kind: "Deployment", metadata: at, spec: spec("i1", {}) } as never);
  await other.settled();
  const { reasons } = await other.client().resource(Deployment).why(at);
  expect(reasons).toMatchObject([
    {
      says: "the controller deployment is disabled on this server, so it does not act on this object",
      who: "an operator who adds deployment to --controllers, or runs kube-controller-manager",
    },
  ]);
});

test("texts and names that others have stored are cut", async () => {
  const facts = { client: { clock: { now: () => 0 } } } as unknown as Facts;
  const long = "m".repeat(100_000);
  const condition = { type: "Failed", status: "True", reason: long, message: long };
  const failed = { metadata: {}, spec: {}, status: { conditions: [condition] } } as unknown as Job;
  const limited = { type: "ScalingLimited", status: "True", reason: long, message: long };
  const autoscaler = {
    spec: { scaleTargetRef: { kind: "Deployment", name: "a" } },
    status: { currentReplicas: 1, desiredReplicas: 1, conditions: [limited] },
  } as unknown as HorizontalPodAutoscaler;
  const active = Array.from({ length: 10_000 }, (_, i) => ({ name: `j-${i}` }));
  const cronJob = {
    metadata: {},
    spec: { schedule: "30 * * * *", timeZone: "Etc/UTC", concurrencyPolicy: "Forbid" },
    status: { active },
  } as unknown as CronJob;
  const reasons = [
    ...(await explainJob(facts, failed)),
    ...explainAutoscaler(autoscaler),
    ...(await explainCronJob(facts, cronJob)),
  ];
  expect(reasons).toHaveLength(3);
  for (const { says: text } of reasons) expect(text.length).toBeLessThan(5000);
  expect(reasons[2]?.says).toMatch(/: j-0, j-1, .* and 9990 more$/);
});
