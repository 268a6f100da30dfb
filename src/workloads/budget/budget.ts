/** The status of PodDisruptionBudgets (WL-PDB-1..4): how many of their Pods are healthy, and how many may be evicted. */
import { PodDisruptionBudget as BudgetKind } from "../../client/kinds/index.ts";
import type { Pod, PodDisruptionBudget } from "../../client/kinds/index.ts";
import type { ObjectMetaOwnerReference } from "../../client/kinds/types.ts";
import { goTextOfSelector } from "../../meta/label-selector.ts";
import { transitionTime } from "../../meta/conditions.ts";
import { formatTime } from "../../meta/time.ts";
import { controllerOf } from "../common/ownership.ts";
import { type Plan, type PlannedWrite, tells, updatesStatus } from "../common/plan.ts";
import { isReady, isTerminating } from "../common/pods.ts";

type Status = PodDisruptionBudget["status"];
type Condition = NonNullable<Status["conditions"]>[number];

/** The time after an eviction within which the deletion of the Pod must be seen; after that its entry is dropped. */
export const DISRUPTION_TIMEOUT_MS = 120_000;

/** The scale of a controller of Pods. */
export interface Scale {
  /** The uid of the controller that counts: the Deployment of a ReplicaSet. */
  readonly uid: string;
  readonly replicas: number;
}

/** The scale of the controller of some Pods; a text with the reason where it is not known. */
export type ScaleOf = (reference: ObjectMetaOwnerReference, pod: Pod) => Scale | string;

/** The input of the status of a budget. */
export interface BudgetInput {
  readonly budget: PodDisruptionBudget;
  /** Pods that match its selector. */
  readonly pods: readonly Pod[];
  readonly scaleOf: ScaleOf;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether a Pod or the spec has changed, so that Events are due even where the status does not change. */
  readonly isNews: boolean;
}

/** How many Pods a budget expects and needs. */
export interface Expected {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
  /** Names of Pods without a controller, where a controller is needed. */
  readonly unmanaged: readonly string[];
}

/** The plan of a budget. */
export interface BudgetPlan extends Plan {
  /** Evicted Pods that were not deleted in time: each gets an Event. */
  readonly overdue: readonly Pod[];
}

/** Plans the status of a budget, and the time of the next check of its evictions. */
export function planBudget(input: BudgetInput): BudgetPlan {
  const { budget, pods, now } = input;
  const noPods = pods.length === 0 ? [tells("Normal", "NoPods", "No matching pods found")] : [];
  const expected = expectedOf(input);
  if (typeof expected === "string") return planFailure(input, expected, noPods);
  const { kept, overdue, againMillis } = keptDisruptions(input);
  const healthy = pods.filter((pod) => !isTerminating(pod) && !Object.hasOwn(kept, pod.metadata.name) && isReady(pod));
  const { expectedPods, desiredHealthy, unmanaged } = expected;
  const surplus = healthy.length - desiredHealthy;
  const status = {
    currentHealthy: healthy.length,
    desiredHealthy,
    expectedPods,
    disruptionsAllowed: expectedPods > 0 ? Math.max(0, surplus) : 0,
    observedGeneration: budget.metadata.generation ?? 0,
    disruptedPods: kept,
  };
  const isRight = isUpToDate(budget.status, status);
  const told = [...noPods, ...(unmanaged.length > 0 ? [tells("Warning", "UnmanagedPods", unmanagedNote(budget))] : [])];
  const writes = isRight ? [] : [updatesStatus(BudgetKind, { ...budget, status: withCondition(budget, status, now) })];
  return { stages: [!isRight || input.isNews ? [...told, ...writes] : []], againMillis, overdue };
}

/** How many Pods a budget expects and needs; a text with the reason where that is not known. */
export function expectedOf({ budget: { spec }, pods, scaleOf }: BudgetInput): Expected | string {
  const { minAvailable, maxUnavailable } = spec;
  if (maxUnavailable === undefined && (minAvailable === undefined || typeof minAvailable === "number")) {
    return { expectedPods: pods.length, desiredHealthy: minAvailable ?? 0, unmanaged: [] };
  }
  const scales = new Map<string, number>();
  const seen = new Set<string>();
  const unmanaged: string[] = [];
  for (const pod of pods) {
    const reference = controllerOf(pod);
    if (!reference) unmanaged.push(pod.metadata.name);
    else if (!seen.has(reference.uid)) {
      seen.add(reference.uid);
      const scale = scaleOf(reference, pod);
      if (typeof scale === "string") return scale;
      scales.set(scale.uid, scale.replicas);
    }
  }
  let expectedPods = 0;
  for (const replicas of scales.values()) expectedPods += replicas;
  const part = roundedUp(maxUnavailable ?? minAvailable ?? 0, expectedPods);
  if (part === undefined)
    return `expected a number or a percentage, got ${JSON.stringify(maxUnavailable ?? minAvailable)}`;
  return {
    expectedPods,
    desiredHealthy: maxUnavailable === undefined ? part : Math.max(0, expectedPods - part),
    unmanaged,
  };
}

/** A number, or a percentage of a total, rounded up; undefined for other texts. */
function roundedUp(value: number | string, total: number): number | undefined {
  if (typeof value === "number") return value;
  const percent = value.endsWith("%") ? Number(value.slice(0, -1)) : Number.NaN;
  return Number.isInteger(percent) ? Math.ceil((percent * total) / 100) : undefined;
}

/** The message is that of kube-controller-manager, since users search for it. */
const unmanagedNote = ({ spec: { selector } }: PodDisruptionBudget): string =>
  `Pods selected by this PodDisruptionBudget (selector: ${goTextOfSelector(selector)}) were found to be unmanaged. ` +
  `As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. ` +
  `To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;

interface Disruptions {
  readonly kept: Readonly<Record<string, string>>;
  /** Pods that were not deleted in time. */
  readonly overdue: readonly Pod[];
  readonly againMillis: number | undefined;
}

/** The evictions of Pods whose deletion was not seen yet (WL-PDB-10). */
function keptDisruptions({ budget, pods, now }: BudgetInput): Disruptions {
  const { disruptedPods = {} } = budget.status;
  const kept: Record<string, string> = {};
  const overdue: Pod[] = [];
  let againMillis: number | undefined;
  if (Object.keys(disruptedPods).length === 0) return { kept, overdue, againMillis };
  for (const pod of pods) {
    const { name, creationTimestamp } = pod.metadata;
    if (isTerminating(pod) || !Object.hasOwn(disruptedPods, name)) continue;
    const time = disruptedPods[name]!;
    const since = Date.parse(time);
    const left = since + DISRUPTION_TIMEOUT_MS - now;
    if (left < 0) overdue.push(pod);
    // Otherwise it may be another Pod with the name of the evicted one.
    else if (!creationTimestamp || Date.parse(creationTimestamp) <= since) {
      kept[name] = time;
      againMillis = Math.min(againMillis ?? Infinity, left + 1);
    }
  }
  return { kept, overdue, againMillis };
}

/** Allows no disruption where the expected number of Pods is not known. */
function planFailure(
  { budget, now, isNews }: BudgetInput,
  message: string,
  noPods: readonly PlannedWrite[],
): BudgetPlan {
  const { status } = budget;
  const observedGeneration = status.observedGeneration ?? 0;
  const conditions = withStatus(
    status.conditions,
    { type: CONDITION, status: "False", reason: "SyncFailed", message, observedGeneration },
    now,
  );
  const note = `Failed to calculate the number of expected pods: ${message}`;
  const event = tells("Warning", "CalculateExpectedPodCountFailed", note);
  const before = status.conditions?.find(({ type }) => type === CONDITION);
  const isKnown = before?.reason === "SyncFailed" && before.message === message && status.disruptionsAllowed === 0;
  if (isKnown) return { stages: [isNews ? [...noPods, event] : []], overdue: [] };
  const failed = { ...budget, status: { ...status, disruptionsAllowed: 0, conditions } };
  return { stages: [[...noPods, event, updatesStatus(BudgetKind, failed)]], overdue: [] };
}

const CONDITION = "DisruptionAllowed";

type Counted = Omit<Required<Status>, "conditions">;

function isUpToDate(status: Status, wanted: Counted): boolean {
  const { disruptedPods = {}, conditions = [], observedGeneration = 0 } = status;
  const condition = conditions.find(({ type }) => type === CONDITION);
  const isAllowed = wanted.disruptionsAllowed > 0;
  const names = Object.keys(disruptedPods);
  return (
    status.currentHealthy === wanted.currentHealthy &&
    status.desiredHealthy === wanted.desiredHealthy &&
    status.expectedPods === wanted.expectedPods &&
    status.disruptionsAllowed === wanted.disruptionsAllowed &&
    observedGeneration === wanted.observedGeneration &&
    names.length === Object.keys(wanted.disruptedPods).length &&
    names.every((name) => disruptedPods[name] === wanted.disruptedPods[name]) &&
    condition?.status === (isAllowed ? "True" : "False") &&
    condition.reason === (isAllowed ? "SufficientPods" : "InsufficientPods")
  );
}

function withCondition({ status }: PodDisruptionBudget, counted: Counted, now: number): Status {
  const isAllowed = counted.disruptionsAllowed > 0;
  const { disruptedPods, observedGeneration, ...numbers } = counted;
  const condition = {
    type: CONDITION,
    status: isAllowed ? "True" : "False",
    observedGeneration,
    reason: isAllowed ? "SufficientPods" : "InsufficientPods",
    message: "",
  };
  return {
    ...numbers,
    observedGeneration,
    ...(Object.keys(disruptedPods).length > 0 ? { disruptedPods } : {}),
    conditions: withStatus(status.conditions, condition, now),
  };
}

/** Sets a condition; its time changes only with its status. */
function withStatus(
  conditions: readonly Condition[] = [],
  condition: Omit<Condition, "lastTransitionTime">,
  now: number,
): readonly Condition[] {
  const before = conditions.find(({ type }) => type === condition.type);
  const time = transitionTime(before, condition.status, formatTime(now));
  const next: Condition = { ...condition, lastTransitionTime: time } as Condition;
  return before ? conditions.map((one) => (one === before ? next : one)) : [...conditions, next];
}
