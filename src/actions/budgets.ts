/**
 * What the PodDisruptionBudget of a Pod decides about its eviction (KIND-PodDisruptionBudget-9..14).
 *
 * @module
 */
import { guardOf } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { LabelSelectorValue } from "../schema/validation/label-selector.ts";
import { selectionOf } from "../schema/validation/label-selection.ts";
import type { LabelSelector } from "../meta/selectors.ts";
import { ApiError, type ObjectRef, forbidden } from "../meta/status.ts";
import { transitionTime } from "../meta/conditions.ts";
import { formatTime } from "../meta/time.ts";
import { assert } from "../util/assert.ts";
import type { Clock } from "../util/clock.ts";
import { type Pod, isTrue } from "./pods.ts";

interface Condition {
  type?: string;
  status?: string;
  observedGeneration?: number;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
}

/** A PodDisruptionBudget, as far as evictions need it. */
export interface Budget extends ApiObject {
  spec: { selector?: LabelSelectorValue; unhealthyPodEvictionPolicy?: string };
  status?: {
    observedGeneration?: number;
    disruptionsAllowed?: number;
    currentHealthy?: number;
    desiredHealthy?: number;
    disruptedPods?: Record<string, string>;
    conditions?: Condition[];
  };
}

/** Whether an object is a PodDisruptionBudget. */
export const isBudget = guardOf<Budget>("PodDisruptionBudget");

/** The Pods of a budget, compiled. */
export interface Selecting {
  readonly name: string;
  readonly selector: LabelSelector;
}

/** Which Pods a budget selects; undefined for one that selects none. */
export function selectingOf(budget: ApiObject): Selecting | undefined {
  if (!isBudget(budget)) return undefined;
  const { metadata, spec } = budget;
  const selector = spec.selector && selectionOf(spec.selector);
  return selector && { name: metadata.name ?? "", selector };
}

const WITHOUT_BUDGET = ["Pending", "Succeeded", "Failed"];

/** Whether a Pod may be deleted without its budget: it does not run, or it is being deleted already. */
export const needsNoBudget = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined || WITHOUT_BUDGET.includes(status?.phase ?? "");

/** Whether a Pod may be deleted without being counted: it is not healthy, and its budget does not wait for it. */
export function needsNoCount(pod: Pod, { spec, status = {} }: Budget): boolean {
  if (isTrue(pod, "Ready")) return false;
  if (spec.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status;
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

const RETRY_SECONDS = 10;
const MAX_DISRUPTED_PODS = 2000;

/** 429: the budget does not allow it now; with a time where waiting may help. */
function refusal(why: string, retryAfterSeconds?: number): ApiError {
  const message = "the disruption budget of the pod does not allow its eviction now";
  return new ApiError("TooManyRequests", message, {
    details: {
      causes: [{ reason: "DisruptionBudget", message: why }],
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    },
  });
}

/** 429: the status of the budget is not up to date. */
export const notCounted = (name: string): ApiError =>
  refusal(`the pods of the disruption budget ${name} are still being counted`, RETRY_SECONDS);

/** Why a budget allows no disruption. */
function exhausted({ metadata: { name }, status = {} }: Budget): string {
  const { currentHealthy = 0, desiredHealthy = 0, conditions = [] } = status;
  const allowed = conditions.find(({ type }) => type === "DisruptionAllowed");
  const because = allowed?.status === "False" && allowed.message ? allowed : undefined;
  if (because?.reason === "SyncFailed") {
    return `the disruption budget ${name} allows none: its pods could not be counted: ${because.message}`;
  }
  if (currentHealthy <= desiredHealthy) {
    return `the disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy}`;
  }
  return `the disruption budget ${name} allows none${because ? ` (${because.reason}): ${because.message}` : ""}`;
}

/** Takes one disruption for a Pod. Throws 429 where there is none, and 403 where the status cannot be right. Changes `budget`. */
export function takeDisruption(ref: ObjectRef, budget: ApiObject, pod: string, clock: Clock): void {
  assert(isBudget(budget), "a stored object is of the kind of its resource");
  const { metadata } = budget;
  const { name = "" } = metadata;
  const status = (budget.status ??= {});
  const { observedGeneration = 0, disruptionsAllowed = 0, disruptedPods = {} } = status;
  if (observedGeneration < (metadata.generation ?? 0)) throw notCounted(name);
  if (disruptionsAllowed < 0) throw forbidden(ref, name, "expected status.disruptionsAllowed not to be negative");
  if (Object.keys(disruptedPods).length > MAX_DISRUPTED_PODS) {
    throw forbidden(
      ref,
      name,
      `expected at most ${MAX_DISRUPTED_PODS} pods in status.disruptedPods, of evictions not seen yet`,
    );
  }
  if (disruptionsAllowed === 0) throw refusal(exhausted(budget));
  const now = formatTime(clock.now());
  status.disruptionsAllowed = disruptionsAllowed - 1;
  status.disruptedPods = { ...disruptedPods, [pod]: now };
  if (status.disruptionsAllowed === 0) setExhausted(status, now);
}

/** Sets the condition that no disruption is left; one that is False already keeps its time. Changes `status`. */
function setExhausted(status: NonNullable<Budget["status"]>, now: string): void {
  const conditions = (status.conditions ??= []);
  const at = conditions.findIndex(({ type }) => type === "DisruptionAllowed");
  const before = conditions[at];
  const { observedGeneration } = status;
  const condition: Condition = {
    type: "DisruptionAllowed",
    status: "False",
    ...(observedGeneration ? { observedGeneration } : {}),
    lastTransitionTime: transitionTime(before, "False", now),
    reason: "InsufficientPods",
    message: "",
  };
  if (before) conditions[at] = condition;
  else conditions.push(condition);
}
