/** Which active Pods of a Job are deleted first when there are too many (WL-JOB-2, WL-JOB-20). */
import type { Job, Pod } from "../../client/kinds/index.ts";
import { conditionOfPod, isReady } from "../common/pods.ts";
import { indexOf, isIndexed } from "./pods.ts";

const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/** Returns the Pods to delete: those whose index is not desired or has another Pod, then others until there are `count`. */
export function podsToRemove(job: Job, active: readonly Pod[], count: number): readonly Pod[] {
  const { removed, kept } = isIndexed(job)
    ? duplicates(active, job.spec.completions ?? 0)
    : { removed: [], kept: active };
  if (removed.length >= count) return removed;
  return [...removed, ...kept.toSorted(byRemoval).slice(0, count - removed.length)];
}

/** Separates the Pods of an index that has another Pod. */
function duplicates(active: readonly Pod[], completions: number): { readonly removed: Pod[]; readonly kept: Pod[] } {
  const removed: Pod[] = [];
  const kept: Pod[] = [];
  for (const [index, pods] of Map.groupBy(active, indexOf)) {
    if (index === undefined || index >= completions) for (const pod of pods) removed.push(pod);
    else {
      const sorted = pods.length === 1 ? pods : pods.toSorted(byRemoval);
      for (const pod of sorted.slice(0, -1)) removed.push(pod);
      kept.push(sorted.at(-1)!);
    }
  }
  return { removed, kept };
}

/** Sorts Pods in the order of deletion: not bound, not started, not ready, ready for a shorter time, restarted more often, newer. */
export function byRemoval(a: Pod, b: Pod): number {
  return (
    Number(isBound(a)) - Number(isBound(b)) ||
    (PHASES[a.status.phase ?? ""] ?? 0) - (PHASES[b.status.phase ?? ""] ?? 0) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    (isReady(a) ? readySince(b) - readySince(a) : 0) ||
    mostRestarts(b) - mostRestarts(a) ||
    bornAt(b) - bornAt(a)
  );
}

const isBound = ({ spec }: Pod): boolean => spec.nodeName !== undefined && spec.nodeName !== "";
/** A time that is not known counts as the newest. */
const timeOf = (text: string | null | undefined): number => Date.parse(text ?? "") || Number.MAX_SAFE_INTEGER;
const readySince = (pod: Pod): number => timeOf(conditionOfPod(pod, "Ready")?.lastTransitionTime);
const bornAt = ({ metadata }: Pod): number => timeOf(metadata.creationTimestamp);
const mostRestarts = ({ status }: Pod): number =>
  (status.containerStatuses ?? []).reduce((most, { restartCount }) => Math.max(most, restartCount), 0);
