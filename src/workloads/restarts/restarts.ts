/**
 * Which Pods a change of a workload replaces, in which order, and how many at a time: with the functions that its controller uses.
 *
 * @module
 */
import type { DaemonSet, Deployment, Node, Pod, ReplicaSet, StatefulSet } from "../../client/kinds/index.ts";
import { isFinished } from "../../claims/usage.ts";
import { controllerOf } from "../common/ownership.ts";
import { isActive, isAvailable, isReady } from "../common/pods.ts";
import { shareOf } from "../common/share.ts";
import { isSameTemplate } from "../common/template.ts";
import { fitOf } from "../daemonset/fit.ts";
import { HASH as REVISION, targetOf } from "../daemonset/pod.ts";
import { isRolling, maxSurge, maxUnavailable } from "../deployment/shares.ts";
import { HASH_LABEL, hasTemplateOf } from "../deployment/template-set.ts";
import { deletionOrder } from "../replicas/ranking.ts";
import { firstOrdinal, isWanted, ordinalOf, replicasOf } from "../statefulset/names.ts";

export { judgeNodes } from "../daemonset/fit.ts";

/** The Pods that a change replaces. */
export interface Restarts {
  readonly strategy: "RollingUpdate" | "Recreate" | "OnDelete";
  /** In the order of deletion, as far as it follows from the current state. */
  readonly pods: readonly Pod[];
  /** The maximum number of unavailable Pods at a time. */
  readonly maxUnavailable: number;
  /** The maximum number of Pods beyond the desired number. */
  readonly maxSurge: number;
  /** The number of Pods of an older template that stay: below the partition, or until they are deleted. */
  readonly stays: number;
  readonly isPaused: boolean;
}

/** A workload before and after a change, and its Pods. */
export interface Changed<T> {
  readonly before: T;
  readonly after: T;
  /** The Pods that the workload, or its ReplicaSets, control. */
  readonly pods: readonly Pod[];
}

/**
 * Returns what a change of a Deployment restarts; undefined where the template does not change. ReplicaSets of the new template keep their Pods.
 *
 * @param sets the ReplicaSets of the Deployment
 * @param now milliseconds since the epoch
 */
export function restartsOfDeployment(
  { before, after, pods }: Changed<Deployment>,
  sets: readonly ReplicaSet[],
  now: number,
): Restarts | undefined {
  if (isSameTemplate(before.spec.template, after.spec.template, HASH_LABEL)) return undefined;
  const old = sets.filter((set) => !hasTemplateOf(set, after)).toSorted(byAge);
  const setOf = Map.groupBy(pods.filter(isActive), (pod) => controllerOf(pod)?.uid ?? "");
  const ofOld = old.map(({ metadata }) => setOf.get(metadata.uid) ?? []);
  // Unready Pods of all ReplicaSets are deleted first; then those of the oldest ReplicaSet.
  const ordered = ofOld.map(deletionOrder(pods, now));
  const inTurn = [...ordered.flatMap((own) => own.filter((pod) => !isReady(pod))), ...ordered.flat().filter(isReady)];
  const isPaused = after.spec.paused === true;
  return {
    strategy: isRolling(after) ? "RollingUpdate" : "Recreate",
    pods: isPaused ? [] : inTurn,
    maxUnavailable: isRolling(after) ? maxUnavailable(after) : inTurn.length,
    maxSurge: maxSurge(after),
    stays: isPaused ? inTurn.length : 0,
    isPaused,
  };
}

/** Returns what a change of a StatefulSet restarts: from the highest ordinal down to the partition; undefined for an unchanged template. */
export function restartsOfStatefulSet({ before, after, pods }: Changed<StatefulSet>): Restarts | undefined {
  if (isSameTemplate(before.spec.template, after.spec.template, REVISION)) return undefined;
  const { type, rollingUpdate } = after.spec.updateStrategy;
  const members = pods
    .map((pod) => ({ pod, ordinal: ordinalOf(after, pod) ?? -1 }))
    .filter(({ pod, ordinal }) => isWanted(after, ordinal) && !isFinished(pod))
    .toSorted((a, b) => b.ordinal - a.ordinal);
  const from = firstOrdinal(after) + (rollingUpdate?.partition ?? 0);
  const isByHand = type === "OnDelete";
  const goes = isByHand ? [] : members.filter(({ ordinal }) => ordinal >= from);
  return {
    strategy: isByHand ? "OnDelete" : "RollingUpdate",
    pods: goes.map(({ pod }) => pod),
    maxUnavailable: isByHand ? 0 : Math.max(1, shareOf(rollingUpdate?.maxUnavailable ?? 1, replicasOf(after), "down")),
    maxSurge: 0,
    stays: members.length - goes.length,
    isPaused: false,
  };
}

/**
 * Returns what a change of a DaemonSet restarts on nodes that it fits: unavailable Pods first; undefined for an unchanged template.
 * Nodes that were evaluated before cost little.
 *
 * @param now milliseconds since the epoch
 */
export function restartsOfDaemonSet(
  { before, after, pods }: Changed<DaemonSet>,
  nodes: readonly Node[],
  now: number,
): Restarts | undefined {
  if (isSameTemplate(before.spec.template, after.spec.template, REVISION)) return undefined;
  const { minReadySeconds = 0, updateStrategy, template } = after.spec;
  const fit = fitOf(template);
  const desired = new Set(nodes.filter((node) => fit(node) === "runs").map(({ metadata }) => metadata.name));
  const running = pods.filter((pod) => isActive(pod) && desired.has(targetOf(pod) ?? ""));
  const isByHand = updateStrategy.type === "OnDelete";
  const { maxSurge: surge = 0, maxUnavailable: share = 1 } = updateStrategy.rollingUpdate ?? {};
  const surging = isByHand ? 0 : shareOf(surge, desired.size, "up");
  const missing = shareOf(share, desired.size, "up");
  const isUp = (pod: Pod): boolean => isAvailable(pod, minReadySeconds, now);
  return {
    strategy: isByHand ? "OnDelete" : "RollingUpdate",
    pods: isByHand ? [] : [...running.filter((pod) => !isUp(pod)), ...running.filter(isUp)],
    maxUnavailable: isByHand || surging > 0 ? 0 : Math.max(1, missing),
    maxSurge: surging,
    stays: isByHand ? running.length : 0,
    isPaused: false,
  };
}

const byAge = ({ metadata: a }: ReplicaSet, { metadata: b }: ReplicaSet): number =>
  compare(a.creationTimestamp, b.creationTimestamp) || compare(a.name, b.name);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
