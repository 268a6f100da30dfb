/**
 * Which Pods are deleted without a grace period: those of deleted nodes, terminating ones of nodes out of service or
 * without a node, and terminal ones beyond a number (CTL-PODGC-1..8).
 */
import type { Node, Pod } from "../../../client/kinds/index.ts";
import { Heap, type HeapItem } from "../../../util/heap.ts";
import { MEMBERS_A_STEP, type Steps } from "../../../util/steps.ts";
import type { AttachNames } from "../../../claims/attachment.ts";
import { isOutOfService, isReady } from "../../common/nodes.ts";
import { isFinished } from "../../../claims/usage.ts";

/** How long a missing node is waited for, in milliseconds. */
export const QUARANTINE_MS = 40_000;

/** A node and its Pods; times are of the steady clock. */
export interface NodeInput {
  /** Undefined where it does not exist. */
  readonly node: Node | undefined;
  readonly pods: readonly Pod[];
  readonly missingSince: number | undefined;
}

/** The Pods to delete; a missing node is waited for, and `lost` must be confirmed by the server. */
export type NodePlan =
  | { readonly is: "settled"; readonly removes: readonly Pod[] }
  | { readonly is: "missing"; readonly since: number; readonly left: number }
  | { readonly is: "lost"; readonly removes: readonly Pod[] };

/** Decides which Pods of a node are deleted. */
export function planForNode({ node, pods, missingSince }: NodeInput, names: AttachNames, now: number): NodePlan {
  const remaining = pods.filter((pod) => !isRemoved(pod));
  if (node) {
    return { is: "settled", removes: isSwitchedOff(node, names) ? remaining.filter(isLeaving).toSorted(byAge) : [] };
  }
  if (remaining.length === 0) return { is: "settled", removes: [] };
  const since = missingSince ?? now;
  const left = since + QUARANTINE_MS - now;
  return left > 0 ? { is: "missing", since, left } : { is: "lost", removes: remaining };
}

/** Whether a node is out of service: it has the taint and is not ready. */
export const isSwitchedOff = (node: Node, names: AttachNames): boolean => !isReady(node) && isOutOfService(node, names);

/** Returns the terminal Pods beyond a number, lazily: evicted ones first, then the oldest. */
export function* podsBeyond(ended: readonly Pod[], threshold: number): Steps<Iterable<Pod>> {
  const more = ended.length - threshold;
  if (more <= 0) return [];
  const byAgeHeap = new Heap<TerminatedPod>((a, b) => byAge(a.pod, b.pod) < 0);
  for (const [i, pod] of ended.entries()) {
    byAgeHeap.add({ pod, heapIndex: -1 });
    if (i % MEMBERS_A_STEP === 0) yield;
  }
  return firstOf(byAgeHeap, more);
}

interface TerminatedPod extends HeapItem {
  readonly pod: Pod;
}

function* firstOf(heap: Heap<TerminatedPod>, count: number): Generator<Pod> {
  for (let left = count; left > 0; left--) {
    const { first } = heap;
    if (!first) return;
    heap.delete(first);
    yield first.pod;
  }
}

/** Whether a Pod is in a terminal or unknown phase. */
export const isTerminated = ({ status }: Pod): boolean =>
  !["Pending", "Running", "Unknown"].includes(status.phase ?? "");

/** Whether a Pod is being deleted. */
export const isLeaving = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/** Whether only finalizers keep a Pod. */
export const isRemoved = (pod: Pod): boolean =>
  isLeaving(pod) && pod.metadata.deletionGracePeriodSeconds === 0 && isFinished(pod);

const byAge = (a: Pod, b: Pod): number =>
  Number(isEvicted(b)) - Number(isEvicted(a)) ||
  compare(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
  compare(a.metadata.name, b.metadata.name);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const isEvicted = ({ status }: Pod): boolean => status.phase === "Failed" && status.reason === "Evicted";
