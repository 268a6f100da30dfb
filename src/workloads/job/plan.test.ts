import { describe, expect, test } from "vitest";
import type { Job, Pod } from "../../client/kinds/index.ts";
import { type JobOutcome, MAX_WRITES, planJob } from "./plan.ts";
import { TRACKING_FINALIZER } from "./pods.ts";
import { MAX_UNCOUNTED } from "./tracking.ts";

const NOW = Date.UTC(2026, 0, 1);
const NONE = { count: 0, lastEnd: 0 };
const NOTHING: JobOutcome = { created: 0, deleted: [], isRefused: false };
const jobOf = (spec: object, status: object = {}): Job =>
  ({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "j", namespace: "n", uid: "u" },
    spec: { template: { metadata: {}, spec: { restartPolicy: "Never", containers: [] } }, backoffLimit: 6, ...spec },
    status,
  }) as unknown as Job;
const podsOf = (count: number, phase: string): readonly Pod[] =>
  Array.from(
    { length: count },
    (_, i) =>
      ({
        metadata: { name: `p-${i}`, uid: `${phase}-${i}`, finalizers: [TRACKING_FINALIZER] },
        spec: {},
        status: { phase },
      }) as unknown as Pod,
  );
const plan = (job: Job, pods: readonly Pod[] = []) => planJob({ job, pods, failures: NONE, now: NOW });

describe("the plan of a Job", () => {
  test("WL-JOB-6, WL-GEN-5: at most 500 Pods are made or deleted at a time", () => {
    expect(plan(jobOf({ parallelism: 1200, completions: 1200 })).creates).toHaveLength(MAX_WRITES);
    expect(plan(jobOf({ parallelism: 1, completions: 1200 }), podsOf(700, "Running")).deletes).toHaveLength(MAX_WRITES);
  });

  test("WL-JOB-20: the Pods of indexes share their containers, so that a large template is not copied for each", () => {
    const containers = [{ name: "c", image: "i", env: [{ name: "A", value: "a" }] }];
    const initContainers = [{ name: "init", image: "i" }];
    const template = { metadata: {}, spec: { restartPolicy: "Never", containers, initContainers } };
    const job = jobOf({ completionMode: "Indexed", parallelism: 3, completions: 3, template });
    const specs = plan(job).creates.map((write) => (write as unknown as { readonly object: Pod }).object.spec);
    expect(specs.map(({ hostname }) => hostname)).toEqual(["j-0", "j-1", "j-2"]);
    expect(specs[0]!.containers![0]!.env!.map(({ name }) => name)).toEqual(["A", "JOB_COMPLETION_INDEX"]);
    expect(specs[0]!.initContainers![0]!.env!.map(({ name }) => name)).toEqual(["JOB_COMPLETION_INDEX"]);
    expect(new Set(specs.map((spec) => spec.containers)).size).toBe(1);
    expect(new Set(specs.map((spec) => spec.initContainers)).size).toBe(1);
  });

  test("WL-JOB-6: at most 500 Pods are counted at a time, and nothing ends before all are", () => {
    const job = jobOf({ parallelism: 700, completions: 700 });
    const { status, untracks, settle } = plan(job, podsOf(700, "Succeeded")).track(NOTHING);
    expect(untracks).toHaveLength(MAX_UNCOUNTED);
    expect(status!.uncountedTerminatedPods!.succeeded).toHaveLength(MAX_UNCOUNTED);
    expect(settle(new Set(untracks))!.status).toMatchObject({ succeeded: MAX_UNCOUNTED, uncountedTerminatedPods: {} });
    expect(settle(new Set(untracks))!.status.conditions?.map(({ type }) => type)).toEqual(["SuccessCriteriaMet"]);
  });

  test("WL-JOB-3: a Pod whose finalizer could not be removed is not counted", () => {
    const job = jobOf({ parallelism: 2, completions: 2 });
    const { untracks, settle } = plan(job, podsOf(2, "Succeeded")).track(NOTHING);
    const { status } = settle(new Set(untracks.slice(1)))!;
    expect(status).toMatchObject({ succeeded: 1, uncountedTerminatedPods: { succeeded: ["Succeeded-0"] } });
    expect(status.conditions?.some(({ type }) => type === "Complete")).toBe(false);
    // A Pod that the status has already is counted without being added again.
    const again = plan({ ...job, status }, podsOf(1, "Succeeded")).track(NOTHING);
    expect(again.status).toBeUndefined();
    expect(again.settle(new Set(again.untracks))!.status).toMatchObject({ succeeded: 2, uncountedTerminatedPods: {} });
  });

  test("WL-JOB-10: without anything to do it is complete, by one write", () => {
    const { status, settle } = plan(jobOf({ parallelism: 1, completions: 0 })).track(NOTHING);
    expect(status).toBeUndefined();
    expect(settle(new Set())!.status.conditions!.map(({ type }) => type)).toEqual(["SuccessCriteriaMet", "Complete"]);
  });

  test("WL-JOB-11: while a Pod could not be deleted the end does not begin", () => {
    const job = jobOf(
      { parallelism: 2, completions: 2, activeDeadlineSeconds: 1 },
      { startTime: "2025-01-01T00:00:00Z" },
    );
    const ending = plan(job, podsOf(2, "Running"));
    expect(ending.deletes).toHaveLength(2);
    const refused = ending.track({ created: 0, deleted: ending.deletes.slice(1), isRefused: true });
    expect(refused.settle(new Set())!.status).toMatchObject({ active: 1, terminating: 1 });
    expect(refused.settle(new Set())!.status.conditions).toBeUndefined();
  });

  test("WL-JOB-3, WL-JOB-11: a failed Pod that stands in the status already counts once", () => {
    const uncountedTerminatedPods = { failed: ["Failed-0"], succeeded: [] };
    const limits = { parallelism: 2, completions: 2, backoffLimit: 1 };
    const { deletes, creates } = plan(jobOf(limits, { uncountedTerminatedPods }), podsOf(1, "Failed"));
    expect([deletes.length, creates.length]).toEqual([0, 2]);
    expect(
      plan(jobOf({ ...limits, backoffLimit: 0 }, { uncountedTerminatedPods }), podsOf(1, "Failed")).creates,
    ).toEqual([]);
  });

  test("WL-JOB-20, WL-JOB-31: an index whose Pod is going has no other one where only ended Pods are replaced", () => {
    const index = { annotations: { "batch.kubernetes.io/job-completion-index": "0" } };
    const [pod] = podsOf(1, "Running");
    const metadata = { ...pod!.metadata, ...index, deletionTimestamp: "2026-01-01T00:00:30Z" };
    const spec = { completionMode: "Indexed", completions: 3, parallelism: 3, podReplacementPolicy: "Failed" };
    const { creates } = plan(jobOf(spec), [{ ...pod!, metadata }]);
    const indexes = creates.map((write) => write.verb === "create" && write.object.metadata.labels);
    expect(indexes).toMatchObject(["1", "2"].map((one) => ({ "batch.kubernetes.io/job-completion-index": one })));
  });

  test("WL-JOB-42: a plan that changes nothing writes nothing", () => {
    const job = jobOf({ parallelism: 1 });
    const first = plan(job, podsOf(1, "Running")).track(NOTHING).settle(new Set())!;
    const second = plan({ ...job, status: first.status }, podsOf(1, "Running")).track(NOTHING);
    expect([second.status, second.settle(new Set())]).toEqual([undefined, undefined]);
  });
});
