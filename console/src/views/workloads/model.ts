/**
 * Workloads as rows of a time line: rollouts with their revisions and Pods, Jobs and CronJobs. A function of objects and the time, in steps.
 *
 * @module
 */
import type {
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  Pod,
  ReplicaSet,
  StatefulSet,
} from "../../../../src/client/kinds/index.ts";
import type { Steps } from "../../../../src/util/steps.ts";
import { inSteps } from "../../ui/sliced.ts";
import { cronRow, jobRow } from "./job-rows.ts";
import { podRow } from "./pod-row.ts";
import { daemonFacts, deploymentRow, type PodWithRow, revisedRow, statefulFacts } from "./rollout-rows.ts";
import { byStart, order, type Row } from "./rows.ts";

/** What the rows are made of. */
export interface WorkloadObjects {
  readonly deployments: readonly Deployment[];
  readonly replicaSets: readonly ReplicaSet[];
  readonly statefulSets: readonly StatefulSet[];
  readonly daemonSets: readonly DaemonSet[];
  readonly revisions: readonly ControllerRevision[];
  readonly pods: readonly Pod[];
  readonly jobs: readonly Job[];
  readonly cronJobs: readonly CronJob[];
}

interface Owned {
  readonly metadata: { readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[] };
}

const ownerOf = ({ metadata }: Owned): string =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid ?? "";

/** Kinds of rows that have no workload above them, in their order. */
export const KINDS = ["Deployment", "StatefulSet", "DaemonSet", "CronJob", "Job"] as const;

/**
 * Finds the rows of all workloads, those without a workload above them first by kind, namespace and name.
 *
 * @param now milliseconds since the epoch, for the next time of CronJobs only: what goes on has no end
 */
export function* rowSteps(objects: WorkloadObjects, now: number): Steps<readonly Row[]> {
  const [podsBy, setsBy, revisionsBy, jobsBy] = [
    yield* byOwner(objects.pods),
    yield* byOwner(objects.replicaSets),
    yield* byOwner(objects.revisions),
    yield* byOwner(objects.jobs),
  ];
  const rowOfPod = new Map<Pod, Row>();
  yield* inSteps(objects.pods, (pod) => rowOfPod.set(pod, podRow(pod)));
  const podsOf = (uid: string): readonly PodWithRow[] =>
    (podsBy.get(uid) ?? []).map((pod) => ({ pod, row: rowOfPod.get(pod)! }));
  const podRows = (uid: string): readonly Row[] =>
    podsOf(uid)
      .map(({ row }) => row)
      .toSorted(byStart);
  const rows: Row[] = [];
  yield* inSteps(objects.deployments, (one) =>
    rows.push(deploymentRow(one, setsBy.get(one.metadata.uid) ?? [], podRows)),
  );
  const revised = (one: StatefulSet | DaemonSet, facts: Parameters<typeof revisedRow>[1]): number => {
    const { uid } = one.metadata;
    return rows.push(revisedRow(one, facts, revisionsBy.get(uid) ?? [], podsOf(uid)));
  };
  yield* inSteps(objects.statefulSets, (one) => revised(one, statefulFacts(one)));
  yield* inSteps(objects.daemonSets, (one) => revised(one, daemonFacts(one)));
  const cronUids = new Set(objects.cronJobs.map(({ metadata }) => metadata.uid));
  const jobRows = new Map<string, Row>();
  yield* inSteps(objects.jobs, (job) => {
    const row = jobRow(job, podRows(job.metadata.uid));
    if (cronUids.has(ownerOf(job))) jobRows.set(job.metadata.uid, row);
    else rows.push(row);
  });
  yield* inSteps(objects.cronJobs, (one) => {
    const jobs = (jobsBy.get(one.metadata.uid) ?? []).flatMap(({ metadata }) => jobRows.get(metadata.uid) ?? []);
    rows.push(cronRow(one, jobs.toSorted(byStart), now));
  });
  return rows.toSorted(byName);
}

function* byOwner<T extends Owned>(objects: readonly T[]): Steps<ReadonlyMap<string, readonly T[]>> {
  const owned = new Map<string, T[]>();
  yield* inSteps(objects, (one) => {
    const uid = ownerOf(one);
    const siblings = owned.get(uid);
    if (siblings) siblings.push(one);
    else owned.set(uid, [one]);
  });
  return owned;
}

const RANK = new Map<string, number>(KINDS.map((kind, i) => [kind, i]));
const byName = (a: Row, b: Row): number =>
  (RANK.get(a.kind) ?? 0) - (RANK.get(b.kind) ?? 0) || order(a.namespace, b.namespace) || order(a.name, b.name);
