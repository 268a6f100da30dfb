import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { Job, Namespace, Pod } from "../../src/client/kinds/index.ts";
import { JobWorld, at, conditionsOf } from "./job-parts.ts";

let cluster: JobWorld;
beforeEach(async () => {
  cluster = await JobWorld.create();
});
afterEach(() => cluster.close());

const TRACKING = "batch.kubernetes.io/job-tracking";
const phases = async () => (await cluster.pods()).map(({ status }) => status.phase);
const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name);

describe("the Pods of a Job", () => {
  test("WL-JOB-1, WL-GEN-7: they have its labels, a finalizer and its name in front", async () => {
    const { metadata } = await cluster.make();
    const [pod, ...others] = await cluster.pods();
    expect(others).toEqual([]);
    expect(pod!.metadata.name).toMatch(/^j-[a-z0-9]{5}$/);
    expect(pod!.metadata.finalizers).toEqual([TRACKING]);
    expect(pod!.metadata.labels).toEqual({
      "batch.kubernetes.io/controller-uid": metadata.uid,
      "batch.kubernetes.io/job-name": "j",
      "controller-uid": metadata.uid,
      "job-name": "j",
    });
    expect(pod!.metadata.ownerReferences).toEqual([
      expect.objectContaining({ uid: metadata.uid, controller: true, blockOwnerDeletion: true }),
    ]);
    expect(await cluster.told()).toEqual(["Normal SuccessfulCreate"]);
  });

  test("WL-JOB-2: at most parallelism at once, and as many as are still wanted", async () => {
    await cluster.make({ completions: 5, parallelism: 2 });
    const seen: number[] = [];
    for (let done = 0; done < 5; done++) {
      const active = await cluster.active();
      seen.push(active.length);
      await cluster.end(active[0]!);
      await cluster.advance("1s");
    }
    expect(seen).toEqual([2, 2, 2, 2, 1]);
    const { status } = await cluster.job();
    expect(status).toMatchObject({ succeeded: 5, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    expect(status.active).toBeUndefined();
  });

  test("WL-JOB-2: without completions one that succeeds ends the making, and the others are let be", async () => {
    await cluster.make({ parallelism: 3 });
    const [first, second, third] = await cluster.active();
    await cluster.end(first!);
    await cluster.advance("5m");
    expect(await phases()).toEqual(["Pending", "Pending", "Succeeded"]);
    expect(conditionsOf(await cluster.job())).toEqual([]);
    await cluster.end(second!, 1);
    await cluster.end(third!);
    await cluster.advance("1s");
    expect((await cluster.job()).status).toMatchObject({ succeeded: 2, failed: 1 });
    expect(conditionsOf(await cluster.job())).toContain("Complete=True/CompletionsReached");
  });

  test("WL-JOB-2: those that are too many are deleted and do not count as failed", async () => {
    await cluster.make({ completions: 9, parallelism: 4 });
    await cluster.runs((await cluster.active())[2]!);
    const kept = (await cluster.active()).find(({ status }) => status.phase === "Running")!;
    await cluster.change({ parallelism: 1 });
    await cluster.advance("2s");
    expect(names(await cluster.pods())).toEqual([kept.metadata.name]);
    expect((await cluster.job()).status).toMatchObject({ active: 1, terminating: 0 });
    expect((await cluster.job()).status.failed).toBeUndefined();
  });

  test("WL-JOB-4: one that is deleted counts as failed and is replaced after the wait", async () => {
    await cluster.make();
    await cluster.world.resource(Pod).delete(at((await cluster.pods())[0]!.metadata.name));
    await cluster.advance("1s");
    expect(await cluster.pods()).toEqual([]);
    expect((await cluster.job()).status).toMatchObject({ failed: 1 });
    await cluster.advance("8s");
    expect(await cluster.pods()).toEqual([]);
    await cluster.advance("1s");
    expect(await cluster.active()).toHaveLength(1);
  });

  test.each([
    [{ podReplacementPolicy: "TerminatingOrFailed" }, 1, 1],
    [{ podReplacementPolicy: "Failed" }, 0, undefined],
    [
      { podFailurePolicy: { rules: [{ action: "Count", onExitCodes: { operator: "In", values: [9] } }] } },
      0,
      undefined,
    ],
  ])("WL-JOB-4, WL-JOB-31: %j decides whether one that is going is replaced", async (spec, replacements, failed) => {
    await cluster.make(spec);
    const [pod] = await cluster.pods();
    await cluster.world
      .resource(Pod)
      .patch(at(pod!.metadata.name), { metadata: { finalizers: [TRACKING, "example.com/held"] } });
    await cluster.world.resource(Pod).delete(at(pod!.metadata.name));
    await cluster.advance("15s");
    expect(await cluster.active()).toHaveLength(replacements);
    expect((await cluster.job()).status).toMatchObject({ terminating: 1 });
    expect((await cluster.job()).status.failed).toBe(failed);
    await cluster.end(pod!, 1);
    await cluster.advance("15s");
    expect(await cluster.active()).toHaveLength(1);
    expect((await cluster.job()).status).toMatchObject({ failed: 1, active: 1, terminating: 0 });
  });

  test("WL-JOB-3: Pods of a Job that is deleted lose the finalizer and go", async () => {
    await cluster.make({ parallelism: 3 });
    await cluster.world.resource(Job).delete(at("j"), { propagationPolicy: "Background" });
    await cluster.advance("2s");
    expect(await cluster.pods()).toEqual([]);
  });

  test("WL-JOB-3: a Pod of an earlier Job loses the finalizer, though there is another Job of that name", async () => {
    await cluster.make({ suspend: true });
    const ownerReferences = [{ apiVersion: "batch/v1", kind: "Job", name: "j", uid: "earlier", controller: true }];
    await cluster.world.resource(Pod).create({
      metadata: { ...at("p"), ownerReferences, finalizers: [TRACKING] },
      spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
    } as unknown as NewObject<Pod>);
    await cluster.advance("5s");
    expect(names(await cluster.pods())).toEqual([]);
  });

  test("WL-JOB-3, WL-GEN-2: deleted in the foreground it stays until they are gone; orphaned they stay without the finalizer", async () => {
    await cluster.make({ parallelism: 2 });
    await cluster.world.resource(Job).delete(at("j"), { propagationPolicy: "Foreground" });
    await cluster.advance("3s");
    expect(await cluster.jobNames()).toEqual([]);
    expect(await cluster.pods()).toEqual([]);
    await cluster.make({ parallelism: 2 });
    await cluster.world.resource(Job).delete(at("j"), { propagationPolicy: "Orphan" });
    await cluster.advance("3s");
    const left = await cluster.pods();
    expect(left).toHaveLength(2);
    expect(left.every(({ metadata }) => !metadata.finalizers && !metadata.ownerReferences)).toBe(true);
  });

  test("WL-GEN-1: a free Pod that a selector matches is taken over with the finalizer, and let go without it", async () => {
    const selector = { matchLabels: { app: "mine" } };
    const spec = { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] };
    const template = { metadata: { labels: { app: "mine" } }, spec };
    await cluster.world
      .resource(Pod)
      .create({ metadata: { ...at("free"), labels: { app: "mine" } }, spec } as NewObject<Pod>);
    const made = await cluster.make({ manualSelector: true, selector, template });
    await cluster.advance("1s");
    const [free, ...others] = await cluster.pods();
    expect(others).toEqual([]);
    expect(free!.metadata).toMatchObject({
      finalizers: [TRACKING],
      ownerReferences: [{ uid: made.metadata.uid, controller: true }],
    });
    await cluster.world.resource(Pod).patch(at("free"), { metadata: { labels: { app: "other" } } });
    await cluster.advance("1s");
    const released = await cluster.world.resource(Pod).get(at("free"));
    expect(released.metadata.finalizers ?? []).toEqual([]);
    expect(released.metadata.ownerReferences ?? []).toEqual([]);
    expect(await cluster.active()).toHaveLength(2);
  });

  test("WL-GEN-1: a Pod of another namespace is not the Job's, whatever it says", async () => {
    const { metadata } = await cluster.make({ parallelism: 1 });
    await cluster.world.resource(Namespace).create({ metadata: { name: "other" } } as NewObject<Namespace>);
    const reference = { apiVersion: "batch/v1", kind: "Job", name: "j", uid: metadata.uid, controller: true };
    const labels = { "batch.kubernetes.io/controller-uid": metadata.uid! };
    const spec = { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] };
    const stranger = { namespace: "other", finalizers: ["example.com/held", TRACKING] };
    for (const more of [
      { name: "owned", ownerReferences: [reference] },
      { name: "free", labels },
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await cluster.world.resource(Pod).create({ metadata: { ...stranger, ...more }, spec } as NewObject<Pod>);
    }
    await cluster.world
      .resource(Pod)
      .status.patch({ namespace: "other", name: "owned" }, { status: { phase: "Succeeded" } });
    await cluster.advance("5s");
    expect((await cluster.job()).status).toMatchObject({ active: 1 });
    expect((await cluster.job()).status.succeeded).toBeUndefined();
    const free = await cluster.world.resource(Pod).get({ namespace: "other", name: "free" });
    expect(free.metadata.ownerReferences ?? []).toEqual([]);
    expect(await cluster.active()).toHaveLength(2);
  });

  test("WL-JOB-6: Pods that change within a second are counted by two writes, and nothing is written when nothing changes", async () => {
    await cluster.make({ parallelism: 20, completions: 20 });
    await cluster.advance("5s");
    const before = (await cluster.job()).metadata.resourceVersion;
    await cluster.advance("10m");
    expect((await cluster.job()).metadata.resourceVersion).toBe(before);
    for (const pod of await cluster.active()) await cluster.end(pod);
    expect((await cluster.job()).metadata.resourceVersion).toBe(before);
    const lastEnd = Math.max(...(await cluster.pods()).map(({ metadata }) => Number(metadata.resourceVersion)));
    await cluster.advance("1s");
    const counted = await cluster.job();
    // The uids, the finalizers of twenty Pods, and the counts.
    expect(Number(counted.metadata.resourceVersion) - lastEnd).toBe(22);
    await cluster.advance("1m");
    expect((await cluster.job()).metadata.resourceVersion).toBe(counted.metadata.resourceVersion);
    expect((await cluster.job()).status).toMatchObject({ succeeded: 20 });
  });
});

describe("the wait after a failure", () => {
  test("WL-JOB-5: 10 s after the end, doubled with each failure to 10 minutes, to the second", async () => {
    await cluster.make({ backoffLimit: 20 });
    for (const wait of [10, 20, 40, 80, 160, 320, 600, 600]) {
      await cluster.endOnly(1);
      await cluster.advance(`${wait * 1000 - 1}ms`);
      expect(await cluster.active(), `before ${wait} s`).toEqual([]);
      await cluster.advance("1ms");
      expect(await cluster.active(), `after ${wait} s`).toHaveLength(1);
    }
  });

  test("WL-JOB-5: a success forgets the failures before it", async () => {
    await cluster.make({ completions: 3 });
    for (const wait of [10, 20]) {
      await cluster.endOnly(1);
      await cluster.advance(`${wait}s`);
    }
    await cluster.endOnly();
    await cluster.advance("1s");
    await cluster.endOnly(1);
    await cluster.advance("9999ms");
    expect(await cluster.active()).toEqual([]);
    await cluster.advance("1ms");
    expect(await cluster.active()).toHaveLength(1);
  });

  test("WL-JOB-5: an end long ago does not wait", async () => {
    await cluster.make();
    const [pod] = await cluster.active();
    await cluster.advance("1h");
    const finishedAt = "2026-01-01T00:00:05Z";
    const container = {
      name: "c",
      image: "i",
      imageID: "x",
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode: 1, finishedAt } },
    };
    await cluster.set(pod!, { phase: "Failed", containerStatuses: [container] });
    await cluster.advance("1s");
    expect(await cluster.active()).toHaveLength(1);
  });

  test("WL-JOB-5: who takes over reads the failures from the Pods", async () => {
    await cluster.make();
    await cluster.endOnly(1);
    await cluster.advance("10s");
    await cluster.endOnly(1);
    await cluster.advance("2s");
    await cluster.kill();
    await cluster.restart();
    await cluster.advance("17999ms");
    expect(await cluster.active()).toEqual([]);
    await cluster.advance("1ms");
    expect(await cluster.active()).toHaveLength(1);
  });
});

describe("the end of a Job", () => {
  test("WL-JOB-10: complete when every Pod is counted", async () => {
    await cluster.make();
    await cluster.endOnly();
    await cluster.advance("1s");
    const ended = await cluster.job();
    expect(conditionsOf(ended)).toEqual([
      "SuccessCriteriaMet=True/CompletionsReached",
      "Complete=True/CompletionsReached",
    ]);
    expect(ended.status).toMatchObject({
      completionTime: "2026-01-01T00:00:01Z",
      succeeded: 1,
      ready: 0,
      terminating: 0,
    });
    expect(ended.status.active).toBeUndefined();
    expect((await cluster.pods())[0]!.metadata.finalizers).toBeUndefined();
    expect(await cluster.told()).toEqual(["Normal SuccessfulCreate", "Normal Completed"]);
  });

  test("WL-JOB-11, WL-JOB-12: failures beyond the limit end it, and what runs is deleted and counted", async () => {
    await cluster.make({ backoffLimit: 0, parallelism: 3, completions: 3 });
    await cluster.end((await cluster.active())[0]!, 1);
    await cluster.advance("1s");
    expect(conditionsOf(await cluster.job())).toEqual(["FailureTarget=True/BackoffLimitExceeded"]);
    await cluster.advance("1s");
    const ended = await cluster.job();
    expect(conditionsOf(ended)).toEqual([
      "FailureTarget=True/BackoffLimitExceeded",
      "Failed=True/BackoffLimitExceeded",
    ]);
    expect(ended.status).toMatchObject({ failed: 3, terminating: 0 });
    expect(ended.status.active).toBeUndefined();
    expect(await phases()).toEqual(["Failed"]);
    expect((await cluster.told()).at(-1)).toBe("Warning BackoffLimitExceeded");
  });

  test.each([
    [3, 2, false],
    [3, 3, true],
    [0, 1, true],
  ])("WL-JOB-12: with OnFailure and limit %i, %i restarts end it: %s", async (backoffLimit, restartCount, isEnded) => {
    await cluster.make({ backoffLimit }, { restartPolicy: "OnFailure" });
    const [pod] = await cluster.active();
    const container = { name: "c", image: "i", imageID: "x", ready: true, restartCount, state: { running: {} } };
    await cluster.runs(pod!, { containerStatuses: [container] });
    await cluster.advance("3s");
    expect(conditionsOf(await cluster.job()).includes("Failed=True/BackoffLimitExceeded")).toBe(isEnded);
  });

  test("WL-JOB-13: it may run for activeDeadlineSeconds, to the second", async () => {
    await cluster.make({ activeDeadlineSeconds: 90 });
    await cluster.advance("89999ms");
    expect(conditionsOf(await cluster.job())).toEqual([]);
    await cluster.advance("1ms");
    expect(conditionsOf(await cluster.job())).toEqual(["FailureTarget=True/DeadlineExceeded"]);
    await cluster.advance("1s");
    expect(conditionsOf(await cluster.job())).toContain("Failed=True/DeadlineExceeded");
    expect(await cluster.pods()).toEqual([]);
  });

  test("WL-JOB-13, WL-JOB-40: while it is suspended the time does not run, and after a resume it starts again", async () => {
    await cluster.make({ activeDeadlineSeconds: 90 });
    await cluster.advance("60s");
    await cluster.change({ suspend: true });
    await cluster.advance("1h");
    await cluster.change({ suspend: false });
    await cluster.advance("89s");
    expect(conditionsOf(await cluster.job())).toEqual(["Suspended=False/JobResumed"]);
    await cluster.advance("1s");
    expect(conditionsOf(await cluster.job())).toContain("FailureTarget=True/DeadlineExceeded");
  });

  test("WL-JOB-14: it is deleted with its Pods when its time after the end is over, to the second", async () => {
    await cluster.make({ ttlSecondsAfterFinished: 60 });
    await cluster.advance("10m");
    await cluster.endOnly();
    await cluster.advance("60999ms");
    expect(await cluster.jobNames()).toEqual(["j"]);
    await cluster.advance("1ms");
    expect(await cluster.jobNames()).toEqual([]);
    expect(await cluster.pods()).toEqual([]);
  });

  test("WL-JOB-14: the time may be given, changed and taken away afterwards", async () => {
    await cluster.make({ backoffLimit: 0 });
    await cluster.endOnly(1);
    await cluster.advance("1h");
    await cluster.change({ ttlSecondsAfterFinished: 7200 });
    await cluster.change({ ttlSecondsAfterFinished: null });
    await cluster.advance("3h");
    expect(await cluster.jobNames()).toEqual(["j"]);
    await cluster.change({ ttlSecondsAfterFinished: 30 });
    await cluster.advance("1s");
    expect(await cluster.jobNames()).toEqual([]);
  });
});

describe("an Indexed Job", () => {
  const indexed = (spec: object = {}) =>
    cluster.make({ completionMode: "Indexed", completions: 3, parallelism: 3, ...spec });
  const INDEX = "batch.kubernetes.io/job-completion-index";
  const indexOf = ({ metadata }: Pod) => Number(metadata.annotations?.[INDEX]);
  const ofIndex = async (index: number) => (await cluster.active()).find((pod) => indexOf(pod) === index)!;
  const indexes = async () => (await cluster.active()).map(indexOf).toSorted((a, b) => a - b);

  test("WL-JOB-20: each Pod has its index as label, annotation, host name and variable", async () => {
    await indexed({ completions: 5, parallelism: 2 });
    expect(await indexes()).toEqual([0, 1]);
    const pod = await ofIndex(1);
    expect(pod.metadata.name).toMatch(/^j-1-[a-z0-9]{5}$/);
    expect(pod.metadata.labels![INDEX]).toBe("1");
    expect(pod.spec.hostname).toBe("j-1");
    const { name, valueFrom } = pod.spec.containers![0]!.env![0]!;
    expect([name, valueFrom!.fieldRef!.fieldPath]).toEqual(["JOB_COMPLETION_INDEX", `metadata.labels['${INDEX}']`]);
  });

  test("WL-JOB-21: the indexes that succeeded, each once", async () => {
    await indexed({ completions: 6, parallelism: 6 });
    for (const index of [4, 0, 1, 2]) await cluster.end(await ofIndex(index));
    await cluster.advance("1s");
    expect((await cluster.job()).status).toMatchObject({ completedIndexes: "0-2,4", succeeded: 4, active: 2 });
    await cluster.end(await ofIndex(5));
    await cluster.advance("1s");
    expect((await cluster.job()).status).toMatchObject({ completedIndexes: "0-2,4,5", succeeded: 5 });
  });

  test("WL-JOB-22: it grows and shrinks, and indexes outside do not count any more", async () => {
    await indexed();
    await cluster.change({ completions: 5, parallelism: 5 });
    await cluster.advance("1s");
    expect(await indexes()).toEqual([0, 1, 2, 3, 4]);
    await cluster.end(await ofIndex(4));
    await cluster.advance("1s");
    expect((await cluster.job()).status).toMatchObject({ succeeded: 1, completedIndexes: "4" });
    await cluster.change({ completions: 2, parallelism: 2 });
    await cluster.advance("2s");
    expect(await indexes()).toEqual([0, 1]);
    expect((await cluster.job()).status.succeeded).toBeUndefined();
    expect((await cluster.job()).status.failed).toBeUndefined();
  });

  test("WL-JOB-23: an index that fails too often fails, the others go on, and each waits for itself", async () => {
    await indexed({ backoffLimitPerIndex: 1, completions: 2, parallelism: 2 });
    expect((await cluster.job()).status.failedIndexes).toBe("");
    await cluster.end(await ofIndex(0), 1);
    await cluster.advance("9999ms");
    expect(await indexes()).toEqual([1]);
    await cluster.end(await ofIndex(1), 1);
    await cluster.advance("1ms");
    expect(await indexes()).toEqual([0]);
    expect((await ofIndex(0)).metadata.annotations).toMatchObject({
      "batch.kubernetes.io/job-index-failure-count": "1",
    });
    await cluster.end(await ofIndex(0), 1);
    await cluster.advance("10s");
    expect(await indexes()).toEqual([1]);
    expect((await cluster.job()).status).toMatchObject({ failedIndexes: "0", failed: 3 });
    await cluster.end(await ofIndex(1));
    await cluster.advance("2s");
    expect(conditionsOf(await cluster.job())).toEqual([
      "FailureTarget=True/FailedIndexes",
      "Failed=True/FailedIndexes",
    ]);
    expect((await cluster.job()).status).toMatchObject({ failedIndexes: "0", completedIndexes: "1" });
  });

  test("WL-JOB-23: more failed indexes than maxFailedIndexes end it at once", async () => {
    await indexed({ backoffLimitPerIndex: 0, maxFailedIndexes: 0 });
    await cluster.end(await ofIndex(1), 1);
    await cluster.advance("2s");
    expect(conditionsOf(await cluster.job())).toContain("Failed=True/MaxFailedIndexesExceeded");
    expect(await cluster.active()).toEqual([]);
  });

  test("WL-JOB-23: ignored failures are counted apart", async () => {
    const podFailurePolicy = { rules: [{ action: "Ignore", onExitCodes: { operator: "In", values: [7] } }] };
    await indexed({ backoffLimitPerIndex: 1, podFailurePolicy });
    await cluster.end(await ofIndex(2), 7);
    await cluster.advance("11s");
    expect((await ofIndex(2)).metadata.annotations).toMatchObject({
      "batch.kubernetes.io/job-index-failure-count": "0",
      "batch.kubernetes.io/job-index-ignored-failure-count": "1",
    });
    expect((await cluster.job()).status.failed).toBeUndefined();
  });

  test("WL-JOB-24: indexes that are enough complete it, and the others do not count as failed", async () => {
    await indexed({ successPolicy: { rules: [{ succeededIndexes: "0-1", succeededCount: 1 }] } });
    await cluster.end(await ofIndex(2));
    await cluster.advance("3s");
    expect(conditionsOf(await cluster.job())).toEqual([]);
    await cluster.end(await ofIndex(1));
    await cluster.advance("3s");
    expect(conditionsOf(await cluster.job())).toEqual([
      "SuccessCriteriaMet=True/SuccessPolicy",
      "Complete=True/SuccessPolicy",
    ]);
    expect((await cluster.job()).status).toMatchObject({ succeeded: 2, completedIndexes: "1,2" });
    expect((await cluster.job()).status.failed).toBeUndefined();
    expect(await cluster.active()).toEqual([]);
  });
});

describe("a podFailurePolicy", () => {
  const onExit = (action: string, operator: string, values: readonly number[]) => ({
    action,
    onExitCodes: { operator, values },
  });
  test("WL-JOB-30: the first rule that fits decides", async () => {
    const rules = [
      { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
      onExit("Count", "In", [1, 2]),
      onExit("FailJob", "NotIn", [3]),
    ];
    await cluster.make({ podFailurePolicy: { rules }, backoffLimit: 5 });
    const failWith = async (code: number, more: object = {}) => {
      await cluster.end((await cluster.active())[0]!, code, more);
      await cluster.advance("2m");
    };
    await failWith(2, { conditions: [{ type: "DisruptionTarget", status: "True" }] });
    expect((await cluster.job()).status.failed).toBeUndefined();
    await failWith(2);
    await failWith(3);
    expect((await cluster.job()).status).toMatchObject({ failed: 2, active: 1 });
    const [last] = await cluster.active();
    await failWith(42);
    const ended = await cluster.job();
    expect(conditionsOf(ended)).toEqual(["FailureTarget=True/PodFailurePolicy", "Failed=True/PodFailurePolicy"]);
    expect(ended.status.conditions![1]!.message).toBe(
      `Container c for pod default/${last!.metadata.name} failed with exit code 42 matching FailJob rule at index 2`,
    );
  });

  test("WL-JOB-30: FailIndex fails an index at once", async () => {
    const spec = { completionMode: "Indexed", completions: 2, parallelism: 2, backoffLimitPerIndex: 5 };
    await cluster.make({ ...spec, podFailurePolicy: { rules: [onExit("FailIndex", "In", [4])] } });
    await cluster.end((await cluster.active())[0]!, 4);
    await cluster.advance("1m");
    expect(await cluster.active()).toHaveLength(1);
    expect((await cluster.job()).status).toMatchObject({ failed: 1, failedIndexes: expect.stringMatching(/^[01]$/) });
  });
});

describe("a Job that waits", () => {
  test("WL-JOB-40: made suspended it has no start, resumed it starts", async () => {
    await cluster.make({ suspend: true });
    await cluster.advance("1m");
    expect(await cluster.pods()).toEqual([]);
    expect((await cluster.job()).status.startTime).toBeUndefined();
    expect(conditionsOf(await cluster.job())).toEqual(["Suspended=True/JobSuspended"]);
    await cluster.change({ suspend: false });
    expect(await cluster.active()).toHaveLength(1);
    expect(conditionsOf(await cluster.job())).toEqual(["Suspended=False/JobResumed"]);
    expect((await cluster.job()).status.startTime).toBe("2026-01-01T00:01:00Z");
    expect(await cluster.told()).toEqual(["Normal Suspended", "Normal SuccessfulCreate", "Normal Resumed"]);
  });

  test("WL-JOB-40: suspended its Pods are deleted without being counted, and its start stays until it is resumed", async () => {
    await cluster.make({ parallelism: 2 });
    await cluster.advance("1m");
    await cluster.change({ suspend: true });
    await cluster.advance("2s");
    expect(await cluster.pods()).toEqual([]);
    const { status } = await cluster.job();
    expect(status).toMatchObject({ startTime: "2026-01-01T00:00:00Z", terminating: 0 });
    expect([status.failed, status.active]).toEqual([undefined, undefined]);
    await cluster.change({ suspend: false });
    expect(await cluster.active()).toHaveLength(2);
    expect((await cluster.job()).status.startTime).toBe("2026-01-01T00:01:02Z");
  });

  test("WL-JOB-41: managed by another it is left alone", async () => {
    const made = await cluster.make({ managedBy: "example.com/kueue" });
    await cluster.advance("1m");
    expect(await cluster.pods()).toEqual([]);
    expect((await cluster.job()).metadata.resourceVersion).toBe(made.metadata.resourceVersion);
  });

  test("WL-JOB-42: what the status counts", async () => {
    await cluster.make({ parallelism: 2 });
    expect((await cluster.job()).status).toEqual({
      active: 2,
      ready: 0,
      terminating: 0,
      startTime: "2026-01-01T00:00:00Z",
      uncountedTerminatedPods: {},
    });
    await cluster.runs((await cluster.active())[0]!, { conditions: [{ type: "Ready", status: "True" }] });
    expect((await cluster.job()).status.ready).toBe(0);
    await cluster.advance("1s");
    expect((await cluster.job()).status).toMatchObject({ active: 2, ready: 1 });
  });
});
