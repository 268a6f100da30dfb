/** The properties of Pods that the Job controller needs: tracked, failed, the index, and the time of the end. */
import type { Job, Pod } from "../../client/kinds/index.ts";
import { conditionOfPod } from "../common/pods.ts";

/** The finalizer of Pods that their Job has not counted yet (WL-JOB-3). */
export const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";
/** The label and the annotation of the completion index (WL-JOB-20). */
export const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";
/** The annotation with the failures of the index before this Pod (WL-JOB-23). */
export const INDEX_FAILURES = "batch.kubernetes.io/job-index-failure-count";
/** The annotation with those failures of the index before this Pod that were ignored (WL-JOB-23). */
export const INDEX_IGNORED_FAILURES = "batch.kubernetes.io/job-index-ignored-failure-count";

const MAX_COUNT = 2 ** 31 - 1;
const COUNT = /^[0-9]{1,10}$/;

/** The container statuses of a Pod. */
type ContainerStatus = NonNullable<Pod["status"]["containerStatuses"]>[number];

/** Whether a Pod has the finalizer of Jobs. */
export const isTracked = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(TRACKING_FINALIZER) === true;

/** Whether the completions of a Job have indexes. */
export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === "Indexed";

/** Whether a terminating Pod is replaced and counted only when it has finished or was deleted (WL-JOB-4, WL-JOB-31). */
export const replacesOnlyFailed = ({ spec }: Job): boolean =>
  spec.podReplacementPolicy === "Failed" || spec.podFailurePolicy !== undefined;

/** Whether a Pod counts as failed: by its phase, or since it is terminating and may be replaced now (WL-JOB-4). */
export function isFailed(pod: Pod, job: Job): boolean {
  if (pod.status.phase === "Failed") return true;
  if (replacesOnlyFailed(job)) return false;
  return pod.metadata.deletionTimestamp !== undefined && pod.status.phase !== "Succeeded";
}

/** Returns the completion index of a Pod; undefined where it has none. */
export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[COMPLETION_INDEX];
  return text !== undefined && COUNT.test(text) ? Number(text) : undefined;
}

/** Returns the completion index of a Pod where the Job has that index; undefined otherwise. */
export function validIndexOf(pod: Pod, { spec }: Job): number | undefined {
  const index = indexOf(pod);
  return index !== undefined && index < (spec.completions ?? 0) ? index : undefined;
}

/** Returns a count in an annotation of a Pod; 0 where there is none, or the text is no int32. */
export function countIn({ metadata }: Pod, annotation: string): number {
  const text = metadata.annotations?.[annotation] ?? "";
  return COUNT.test(text) && Number(text) <= MAX_COUNT ? Number(text) : 0;
}

/** Returns the failures of an index before this Pod, ignored ones included. */
export const failuresBefore = (pod: Pod): number => countIn(pod, INDEX_FAILURES) + countIn(pod, INDEX_IGNORED_FAILURES);

/**
 * Returns when a Pod ended, in milliseconds since the epoch: the end of its last container, else the time when it became unready, else
 * the time of its deletion, else that of its creation (WL-JOB-5).
 */
export function endOf(pod: Pod): number {
  const { metadata } = pod;
  const ofContainers = endOfContainers(pod);
  if (ofContainers !== undefined) return ofContainers;
  const ready = conditionOfPod(pod, "Ready");
  if (ready?.status === "False" && ready.lastTransitionTime) return Date.parse(ready.lastTransitionTime);
  if (metadata.deletionTimestamp !== undefined) {
    return Date.parse(metadata.deletionTimestamp) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  }
  return Date.parse(metadata.creationTimestamp ?? "") || 0;
}

/** The latest end of the containers, sidecars included; undefined while one of them has not ended. */
function endOfContainers({ spec, status }: Pod): number | undefined {
  const sidecars = new Set(
    (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always").map(({ name }) => name),
  );
  const isSidecar = ({ name }: ContainerStatus): boolean => sidecars.has(name);
  const statuses = status.containerStatuses ?? [];
  const all = sidecars.size === 0 ? statuses : [...statuses, ...(status.initContainerStatuses ?? []).filter(isSidecar)];
  let latest: number | undefined;
  for (const { state } of all) {
    const end = Date.parse(state?.terminated?.finishedAt ?? "");
    if (Number.isNaN(end)) return undefined;
    latest = Math.max(latest ?? end, end);
  }
  return latest;
}

/** Returns the sum of the restarts of the containers of a Pod. */
export function restartsOf({ status }: Pod): number {
  let restarts = 0;
  for (const one of status.initContainerStatuses ?? []) restarts += one.restartCount;
  for (const one of status.containerStatuses ?? []) restarts += one.restartCount;
  return restarts;
}
