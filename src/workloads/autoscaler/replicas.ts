/** How many replicas a metric asks for (WL-HPA-5). Pure arithmetic from metrics and Pods. */
import type { Pod } from "../../client/kinds/index.ts";
import { conditionOfPod, isReady, isTerminating } from "../common/pods.ts";
import { type PodValues, milliOf } from "./readings.ts";

/** The times and the tolerance of an autoscaler that sets none. */
export const AUTOSCALER_DEFAULTS = {
  tolerance: 0.1,
  /** The stabilization window for shrinking where the autoscaler sets none. */
  downscaleWindowMillis: 300_000,
  /** Within this time after the start of a Pod, its cpu counts only when the Pod is ready and the cpu was measured since. */
  cpuInitializationMillis: 300_000,
  /** A Pod that became unready within this time after its start has never been ready. */
  initialReadinessMillis: 30_000,
} as const;

/** The deviation from the target that changes nothing, as a part of the target. */
export interface Tolerances {
  readonly up: number;
  readonly down: number;
}

/** The replicas that a metric asks for. */
export interface Proposal {
  readonly replicas: number;
  /** The metric, in thousandths: of each Pod on average, or as a whole. */
  readonly usage: number;
  /** The metric in percent of the requests. */
  readonly utilization?: number;
}

/** The common input of all metrics. */
export interface Situation {
  /** The desired replicas of the target. */
  readonly replicas: number;
  /** The current replicas of the target. */
  readonly statusReplicas: number;
  /** Pods that match the selector of the target. */
  readonly pods: readonly Pod[];
  readonly tolerances: Tolerances;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The error of a metric that cannot be evaluated. */
export class MetricError extends Error {}

/** The error of a metric that could not be read. */
export class ReadingError extends MetricError {}

const isWithin = ({ up, down }: Tolerances, ratio: number): boolean => 1 - down <= ratio && ratio <= 1 + up;

const MAX_INT32 = 2 ** 31 - 1;

/** A number of replicas. @throws MetricError where metrics or requests are too large for one */
function ceil(value: number): number {
  if (Number.isNaN(value)) throw new MetricError("the metric and its target are too large to be compared");
  return Math.max(-MAX_INT32, Math.min(MAX_INT32, Math.ceil(value)));
}

interface Groups {
  readonly ready: number;
  readonly unready: ReadonlySet<string>;
  /** Pods without a metric. */
  readonly missing: ReadonlySet<string>;
  /** Pods that are terminating or have failed. */
  readonly ignored: ReadonlySet<string>;
}

function groupsOf({ pods, now }: Situation, values: PodValues, resource: string): Groups {
  const [unready, missing, ignored] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let ready = 0;
  for (const pod of pods) {
    const { name } = pod.metadata;
    const value = values.get(name);
    if (isTerminating(pod) || pod.status.phase === "Failed") ignored.add(name);
    else if (pod.status.phase === "Pending") unready.add(name);
    else if (!value) missing.add(name);
    else if (resource === "cpu" && isStarting(pod, value.at - value.window, now)) unready.add(name);
    else ready++;
  }
  return { ready, unready, missing, ignored };
}

/** Whether a Pod is still starting, so that its cpu does not count. */
function isStarting(pod: Pod, measuredSince: number, now: number): boolean {
  const condition = conditionOfPod(pod, "Ready");
  const { startTime } = pod.status;
  if (!condition || !startTime) return true;
  const started = Date.parse(startTime);
  const changed = condition.lastTransitionTime ? Date.parse(condition.lastTransitionTime) : 0;
  const isUnready = condition.status === "False";
  if (started + AUTOSCALER_DEFAULTS.cpuInitializationMillis > now) return isUnready || measuredSince < changed;
  return isUnready && started + AUTOSCALER_DEFAULTS.initialReadinessMillis > changed;
}

/** The values of the Pods that count, in thousandths. */
function counted(values: PodValues, { unready, ignored }: Groups): Map<string, number> {
  const all = new Map<string, number>();
  for (const [name, { value }] of values) if (!unready.has(name) && !ignored.has(name)) all.set(name, value);
  if (all.size === 0) throw new MetricError("did not receive metrics for targeted pods (pods might be unready)");
  return all;
}

interface Judging {
  readonly situation: Situation;
  readonly groups: Groups;
  readonly values: Map<string, number>;
  /** The assumed value of a Pod without a metric when the others ask for fewer replicas. */
  readonly whenShrinking: (name: string) => number;
  readonly ratioOf: (values: ReadonlyMap<string, number>) => number;
}

/**
 * The replicas that follow from the ratio of a metric to its target. Pods that have no metric or are not ready get assumed values that
 * make the change smaller; if they reverse its direction, nothing changes.
 */
function judge({ situation, groups, values, whenShrinking, ratioOf }: Judging): number {
  const { replicas, tolerances } = situation;
  const { ready, unready, missing } = groups;
  const ratio = ratioOf(values);
  const growsWithUnready = unready.size > 0 && ratio > 1;
  if (!growsWithUnready && missing.size === 0) return isWithin(tolerances, ratio) ? replicas : ceil(ratio * ready);
  if (ratio < 1) for (const name of missing) values.set(name, whenShrinking(name));
  else if (ratio > 1) for (const name of missing) values.set(name, 0);
  if (growsWithUnready) for (const name of unready) values.set(name, 0);
  const adjusted = ratioOf(values);
  const turns = (ratio < 1 && adjusted > 1) || (ratio > 1 && adjusted < 1);
  if (isWithin(tolerances, adjusted) || turns) return replicas;
  const wanted = ceil(adjusted * values.size);
  return (adjusted < 1 && wanted > replicas) || (adjusted > 1 && wanted < replicas) ? replicas : wanted;
}

function needPods({ pods }: Situation): void {
  if (pods.length === 0) throw new MetricError("no pods returned by selector while calculating replica count");
}

const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

/** By the average of a metric of Pods, in thousandths; `resource` is empty for other metrics. @throws MetricError */
export function byAverageValue(situation: Situation, values: PodValues, target: number, resource = ""): Proposal {
  needPods(situation);
  const groups = groupsOf(situation, values, resource);
  const all = counted(values, groups);
  const averageOf = (some: ReadonlyMap<string, number>): number => Math.trunc(sum(some.values()) / some.size);
  const usage = averageOf(all);
  const ratioOf = (some: ReadonlyMap<string, number>): number => averageOf(some) / target;
  return { usage, replicas: judge({ situation, groups, values: all, whenShrinking: () => target, ratioOf }) };
}

/** By a resource in percent of the requests. @throws MetricError */
export function byUtilization(
  situation: Situation,
  values: PodValues,
  target: number,
  { resource, container }: { readonly resource: string; readonly container?: string },
): Proposal {
  needPods(situation);
  const groups = groupsOf(situation, values, resource);
  const all = counted(values, groups);
  const requests = new Map(situation.pods.map((pod) => [pod.metadata.name, requestOf(pod, resource, container)]));
  const utilizationOf = (some: ReadonlyMap<string, number>): { utilization: number; usage: number } => {
    const known = [...some].filter(([name]) => requests.has(name));
    const requested = sum(known.map(([name]) => requests.get(name)!));
    if (requested === 0) throw new MetricError("no metrics returned matched known pods");
    const used = sum(known.map(([, value]) => value));
    return { utilization: Math.trunc((used * 100) / requested), usage: Math.trunc(used / known.length) };
  };
  const { utilization, usage } = utilizationOf(all);
  const replicas = judge({
    situation,
    groups,
    values: all,
    whenShrinking: (name) => Math.trunc(((requests.get(name) ?? 0) * Math.max(100, target)) / 100),
    ratioOf: (some) => utilizationOf(some).utilization / target,
  });
  return { replicas, usage, utilization };
}

/** The requests of a Pod for a resource, in thousandths: of the whole Pod, of its containers and sidecars, or of one container. */
function requestOf({ metadata: { name }, spec }: Pod, resource: string, container: string | undefined): number {
  const whole = spec.resources?.requests;
  if (container === undefined && whole && Object.keys(whole).length > 0) {
    const request = whole[resource];
    if (request === undefined) throw new MetricError(`missing pod-level request for ${resource} in Pod ${name}`);
    return milliOf(request);
  }
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const all = [...spec.containers, ...sidecars].filter((one) => container === undefined || one.name === container);
  if (all.length === 0) throw new MetricError(`container ${container ?? ""} not found in Pod ${name}`);
  let total = 0;
  for (const one of all) {
    const request = one.resources?.requests?.[resource];
    if (request === undefined)
      throw new MetricError(`missing request for ${resource} in container ${one.name} of Pod ${name}`);
    total += milliOf(request);
  }
  return total;
}

/** By the total value, in thousandths. @throws MetricError */
export function byValue(situation: Situation, value: number, target: number): Proposal {
  const { replicas, tolerances, pods } = situation;
  const ratio = value / target;
  if (replicas === 0) return { replicas: ceil(ratio), usage: value };
  if (isWithin(tolerances, ratio)) return { replicas, usage: value };
  needPods(situation);
  const ready = pods.filter((pod) => pod.status.phase === "Running" && isReady(pod)).length;
  return { replicas: ceil(ratio * ready), usage: value };
}

/** By a total value that all replicas share, in thousandths. @throws MetricError */
export function byShare({ statusReplicas, tolerances }: Situation, value: number, target: number): Proposal {
  const isFine = isWithin(tolerances, value / (target * statusReplicas));
  return {
    replicas: isFine ? statusReplicas : ceil(value / target),
    usage: statusReplicas === 0 ? 0 : Math.ceil(value / statusReplicas),
  };
}
