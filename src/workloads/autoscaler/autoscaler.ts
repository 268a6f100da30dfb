/**
 * Plans a sync of an autoscaler (WL-HPA-1..6): which metrics it needs, how many replicas they ask for, and its status.
 *
 *     scale ──► needsMetrics ──► planAutoscaler ──► the scale is written ──► statusAfter
 */
import type { HorizontalPodAutoscaler, Pod } from "../../client/kinds/index.ts";
import { transitionTime } from "../../meta/conditions.ts";
import { formatTime } from "../../meta/time.ts";
import type { Steps } from "../../util/steps.ts";
import { type PlannedWrite, tells } from "../common/plan.ts";
import { type Because, type History, limit, newHistory, withChange } from "./history.ts";
import { type MetricStatus, type Wanted, failureOf, proposalOf } from "./metric.ts";
import type { Reading } from "./readings.ts";
import { AUTOSCALER_DEFAULTS, MetricError, type Tolerances } from "./replicas.ts";
import { milliOf } from "./readings.ts";

type Autoscaler = HorizontalPodAutoscaler;
type Condition = NonNullable<Autoscaler["status"]["conditions"]>[number];

/** The scale of a target. */
export interface TargetScale {
  readonly replicas: number;
  readonly statusReplicas: number;
  /** The selector of its Pods, as text; empty where it has none. */
  readonly selector: string;
}

/** The input of a sync. */
export interface AutoscalerInput {
  readonly autoscaler: Autoscaler;
  /** A text with the reason where the scale cannot be read. */
  readonly scale: TargetScale | string;
  /** Pods that match the selector of the target. */
  readonly pods: readonly Pod[];
  /** The readings of each metric of the spec, where {@link needsMetrics}. */
  readonly readings: readonly Reading[];
  /** Why the selector cannot be used; undefined where it can. */
  readonly selectorFault?: SelectorFault | undefined;
  /** The desired numbers and rescales so far; undefined at its first sync. */
  readonly history: History | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Why a selector cannot be used: the reason and the text of the Event, and those of the condition. */
export interface SelectorFault {
  readonly event: string;
  readonly note: string;
  readonly reason: string;
  readonly message: string;
}

/** The plan of a sync. */
export interface AutoscalerPlan {
  /** Events before all writes. */
  readonly events: readonly PlannedWrite[];
  /** The new number of replicas; undefined where it does not change. */
  readonly rescale?: { readonly from: number; readonly to: number; readonly reason: string };
  /** The status, without the members that a rescale changes. */
  readonly status: Autoscaler["status"];
  readonly history: History | undefined;
}

/** Whether an autoscaler computes its replicas from metrics, and not from its limits alone (WL-HPA-2). */
export function needsMetrics(
  { spec: { minReplicas = 1, maxReplicas } }: Autoscaler,
  { replicas }: TargetScale,
): boolean {
  return !(replicas === 0 && minReplicas !== 0) && replicas <= maxReplicas && replicas >= minReplicas;
}

/** Plans a sync in slices: each metric is computed over all Pods, and both may be many. */
export function* planAutoscaler(input: AutoscalerInput): Steps<AutoscalerPlan> {
  const { autoscaler, scale, now } = input;
  const conditions = new Conditions(autoscaler, now);
  if (typeof scale === "string") {
    conditions.set("AbleToScale", "False", {
      reason: "FailedGetScale",
      message: `the HPA controller was unable to get the target's current scale: ${scale}`,
    });
    const status = { ...autoscaler.status, conditions: conditions.all };
    return { events: [tells("Warning", "FailedGetScale", scale)], status, history: input.history };
  }
  conditions.set("AbleToScale", "True", {
    reason: "SucceededGetScale",
    message: "the HPA controller was able to get the target's current scale",
  });
  const history = input.history ?? newHistory(scale.replicas, now);
  const whole = { ...input, scale, history, conditions };
  return needsMetrics(autoscaler, scale) ? yield* planByMetrics(whole) : planByLimits(whole);
}

interface WholeInput extends AutoscalerInput {
  readonly scale: TargetScale;
  readonly history: History;
  readonly conditions: Conditions;
}

/** Without metrics: disabled at 0 replicas, else clamped to the limits (WL-HPA-2). */
function planByLimits({ autoscaler, scale, conditions, history }: WholeInput): AutoscalerPlan {
  const { minReplicas = 1, maxReplicas } = autoscaler.spec;
  const { replicas: from } = scale;
  if (from === 0) {
    conditions.set("ScalingActive", "False", {
      reason: "ScalingDisabled",
      message: "scaling is disabled since the replica count of the target is zero",
    });
    return { events: [], status: statusOf(autoscaler, { from, to: from, metrics: null, conditions }), history };
  }
  const [to, reason] =
    from > maxReplicas
      ? [maxReplicas, "Current number of replicas above Spec.MaxReplicas"]
      : [minReplicas, "Current number of replicas below Spec.MinReplicas"];
  const status = statusOf(autoscaler, { from, to, metrics: null, conditions });
  return { events: [], rescale: { from, to, reason }, status, history };
}

/** By metrics: the one with the highest number of replicas decides (WL-HPA-3, WL-HPA-5). */
function* planByMetrics(input: WholeInput): Steps<AutoscalerPlan> {
  const { autoscaler, scale, conditions, selectorFault, now } = input;
  const { replicas: from } = scale;
  if (selectorFault) {
    const { event, note, reason, message } = selectorFault;
    conditions.set("ScalingActive", "False", { reason, message });
    const events = [tells("Warning", event, note), tells("Warning", "FailedComputeMetricsReplicas", note)];
    return { events, status: statusOf(autoscaler, { from, metrics: null, conditions }), history: input.history };
  }
  const { best, statuses, failures } = yield* judgeAll(input);
  const events = failures.map(({ reason, message }) => tells("Warning", reason, message));
  const [first] = failures;
  if (!best || (first && best.replicas < from)) {
    const { reason, message, what } = first!;
    conditions.set("ScalingActive", "False", {
      reason,
      message: `the HPA was unable to compute the replica count: ${message}`,
    });
    const total = statuses.length;
    const note = `invalid metrics (${failures.length} invalid out of ${total}), first error is: ${what}`;
    events.push(tells("Warning", "FailedComputeMetricsReplicas", note));
    return { events, status: statusOf(autoscaler, { from, metrics: statuses, conditions }), history: input.history };
  }
  conditions.set("ScalingActive", "True", {
    reason: "ValidMetricFound",
    message: `the HPA was able to successfully calculate a replica count from ${best.name}`,
  });
  const limited = limit({ autoscaler, current: from, wanted: best.replicas, history: input.history, now });
  conditions.set("AbleToScale", "True", limited.able);
  conditions.set("ScalingLimited", limited.limited.isLimited ? "True" : "False", limited.limited);
  const { replicas: to, history } = limited;
  const status = statusOf(autoscaler, { from, to, metrics: statuses, conditions });
  if (to === from) return { events, status, history };
  const reason =
    best.replicas > from ? `${best.name} above target` : best.replicas < from ? "All metrics below target" : "";
  return { events, rescale: { from, to, reason }, status, history };
}

interface Failure {
  readonly reason: string;
  readonly message: string;
  /** The message with the name of the metric. */
  readonly what: string;
}

interface Judged {
  readonly best: Wanted | undefined;
  readonly statuses: readonly MetricStatus[];
  readonly failures: readonly Failure[];
}

function* judgeAll({ autoscaler, scale, pods, readings, now }: WholeInput): Steps<Judged> {
  const { metrics = [] } = autoscaler.spec;
  const situation = {
    replicas: scale.replicas,
    statusReplicas: scale.statusReplicas,
    pods,
    tolerances: tolerancesOf(autoscaler),
    now,
  };
  let best: Wanted | undefined;
  const failures: Failure[] = [];
  const statuses: MetricStatus[] = [];
  for (const [i, metric] of metrics.entries()) {
    yield;
    try {
      const wanted = proposalOf(metric, readings[i] ?? "the metric was not read", situation);
      if (!best || wanted.replicas > best.replicas) best = wanted;
      statuses.push(wanted.status);
    } catch (error) {
      if (!(error instanceof MetricError)) throw error;
      failures.push(failureOf(metric, error, autoscaler.metadata.namespace ?? ""));
      statuses.push({ type: "" });
    }
  }
  return { best, statuses, failures };
}

function tolerancesOf({ spec: { behavior } }: Autoscaler): Tolerances {
  const toleranceOf = (own: string | undefined): number =>
    own === undefined ? AUTOSCALER_DEFAULTS.tolerance : milliOf(own) / 1000;
  return { up: toleranceOf(behavior?.scaleUp?.tolerance), down: toleranceOf(behavior?.scaleDown?.tolerance) };
}

interface StatusParts {
  readonly from: number;
  /** The desired number; undefined where the number of replicas does not change. */
  readonly to?: number;
  readonly metrics: readonly MetricStatus[] | null;
  readonly conditions: Conditions;
}

const statusOf = ({ status }: Autoscaler, { from, to, metrics, conditions }: StatusParts): Autoscaler["status"] => ({
  currentReplicas: from,
  desiredReplicas: to ?? status.desiredReplicas,
  ...(status.lastScaleTime === undefined ? {} : { lastScaleTime: status.lastScaleTime }),
  currentMetrics: metrics,
  conditions: conditions.all,
});

/** The Event, the status and the history after a rescale; `failure` is the reason where it was refused. */
export function afterRescale(
  { autoscaler, now }: Pick<AutoscalerInput, "autoscaler" | "now">,
  { status, history, rescale }: AutoscalerPlan & { readonly rescale: NonNullable<AutoscalerPlan["rescale"]> },
  failure?: string,
): { readonly event: PlannedWrite; readonly status: Autoscaler["status"]; readonly history: History | undefined } {
  const { from, to, reason } = rescale;
  const conditions = new Conditions({ ...autoscaler, status }, now);
  if (failure !== undefined) {
    const message = `the HPA controller was unable to update the target scale: ${failure}`;
    conditions.set("AbleToScale", "False", { reason: "FailedUpdateScale", message });
    const event = tells("Warning", "FailedRescale", `New size: ${to}; reason: ${reason}; error: ${failure}`);
    const { desiredReplicas } = autoscaler.status;
    return { event, status: { ...status, desiredReplicas, conditions: conditions.all }, history };
  }
  conditions.set("AbleToScale", "True", {
    reason: "SucceededRescale",
    message: `the HPA controller was able to update the target scale to ${to}`,
  });
  return {
    event: tells("Normal", "SuccessfulRescale", `New size: ${to}; reason: ${reason}`),
    status: { ...status, lastScaleTime: formatTime(now), conditions: conditions.all },
    history: history && withChange(history, { autoscaler, from, to, now }),
  };
}

/** The conditions of an autoscaler; the time of a condition changes only with its status. */
class Conditions {
  #all: readonly Condition[];
  readonly #before: readonly Condition[];
  readonly #now: number;

  constructor({ status: { conditions = [] } }: Autoscaler, now: number) {
    this.#all = conditions;
    this.#before = conditions;
    this.#now = now;
  }

  get all(): readonly Condition[] {
    return this.#all;
  }

  set(type: string, status: "True" | "False", { reason, message }: Because): void {
    const before = this.#before.find((one) => one.type === type);
    const time = transitionTime(before, status, formatTime(this.#now));
    const next: Condition = { type, status, lastTransitionTime: time, reason, message };
    const at = this.#all.findIndex((one) => one.type === type);
    this.#all = at < 0 ? [...this.#all, next] : this.#all.with(at, next);
  }
}
