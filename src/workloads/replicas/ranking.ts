/** Which Pods are deleted first when there are too many (WL-RS-4). */
import type { Pod } from "../../client/kinds/index.ts";
import { parseTime } from "../../meta/time.ts";
import { conditionOfPod, isActive, isReady } from "../common/pods.ts";

/** The annotation of a Pod with the cost of its deletion. */
const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
/** An int32 without a plus sign and without leading zeros, by its digits. */
const COST = /^(?:0|[1-9]\d{0,9}|-\d{1,10})$/;
const MAX_COST = 2 ** 31 - 1;
const NANOS = 1e6;

/** What the position of a Pod depends on. */
interface Ranked {
  readonly pod: Pod;
  readonly isBound: boolean;
  readonly phase: number;
  readonly isReady: boolean;
  readonly cost: number;
  /** The number of related Pods on its node. */
  readonly neighbours: number;
  /** Milliseconds since the epoch; 0 where it is not ready or has no time. */
  readonly readyAt: number;
  readonly restarts: number;
  readonly sidecarRestarts: number;
  readonly createdAt: number;
}

/**
 * Returns a function that sorts the Pods of a ReplicaSet in the order of deletion.
 *
 * @param related the Pods of all ReplicaSets of one Deployment, which are spread over nodes together
 * @param now milliseconds since the epoch
 */
export function deletionOrder(related: readonly Pod[], now: number): (pods: readonly Pod[]) => readonly Pod[] {
  const onNode = new Map<string, number>();
  for (const pod of related) {
    const { nodeName = "" } = pod.spec;
    if (isActive(pod)) onNode.set(nodeName, (onNode.get(nodeName) ?? 0) + 1);
  }
  return (pods) =>
    pods
      .map((pod) => rankedOf(pod, onNode.get(pod.spec.nodeName ?? "") ?? 0))
      .toSorted((a, b) => order(a, b, now))
      .map(({ pod }) => pod);
}

const order = (a: Ranked, b: Ranked, now: number): number =>
  Number(a.isBound) - Number(b.isBound) ||
  a.phase - b.phase ||
  Number(a.isReady) - Number(b.isReady) ||
  a.cost - b.cost ||
  b.neighbours - a.neighbours ||
  byAge(a, b, a.readyAt, b.readyAt, now) ||
  b.restarts - a.restarts ||
  b.sidecarRestarts - a.sidecarRestarts ||
  byAge(a, b, a.createdAt, b.createdAt, now);

/**
 * Compares times: the later one comes first. Times whose distances from now have the same integer logarithm are equal, and the uid
 * decides, so that not always the same Pods are deleted. A missing time counts as the latest.
 */
function byAge(a: Ranked, b: Ranked, timeOfA: number, timeOfB: number, now: number): number {
  if (timeOfA === timeOfB) return 0;
  if (timeOfA === 0 || timeOfB === 0) return timeOfA === 0 ? -1 : 1;
  return bucketOf(now - timeOfA) - bucketOf(now - timeOfB) || (a.pod.metadata.uid < b.pod.metadata.uid ? -1 : 1);
}

/** The integer part of the logarithm to base 2 of a time in nanoseconds. */
const bucketOf = (millis: number): number => (millis > 0 ? Math.trunc(Math.log2(millis * NANOS)) : -1);

const rankedOf = (pod: Pod, neighbours: number): Ranked => ({
  pod,
  isBound: Boolean(pod.spec.nodeName),
  phase: PHASES[pod.status.phase ?? ""] ?? 0,
  isReady: isReady(pod),
  cost: costOf(pod),
  neighbours,
  readyAt: isReady(pod) ? timeOf(conditionOfPod(pod, "Ready")?.lastTransitionTime) : 0,
  restarts: mostRestarts(pod.status.containerStatuses),
  sidecarRestarts: mostRestarts(sidecarStatuses(pod)),
  createdAt: timeOf(pod.metadata.creationTimestamp),
});

const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

function costOf({ metadata }: Pod): number {
  const text = metadata.annotations?.[DELETION_COST] ?? "";
  const cost = COST.test(text) ? Number.parseInt(text, 10) : 0;
  return cost > MAX_COST || cost < -MAX_COST - 1 ? 0 : cost;
}

const timeOf = (text: string | null | undefined): number => (text ? (parseTime(text) ?? 0) : 0);

type Statuses = NonNullable<Pod["status"]["containerStatuses"]>;

const mostRestarts = (statuses: Statuses = []): number =>
  statuses.reduce((most, { restartCount }) => Math.max(most, restartCount), 0);

/** The statuses of init containers that keep running. */
function sidecarStatuses({ spec, status }: Pod): Statuses {
  if (!status.initContainerStatuses) return [];
  const sidecars = new Set((spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  return status.initContainerStatuses.filter(({ name }) => sidecars.has(name));
}

const isSidecar = ({ restartPolicy }: { readonly restartPolicy?: string }): boolean => restartPolicy === "Always";
