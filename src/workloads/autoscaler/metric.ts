/** The five sources of metrics: what each requests, and its entry in the status. */
import type { HorizontalPodAutoscaler } from "../../client/kinds/index.ts";
import { goTextOfSelector } from "../../meta/label-selector.ts";
import { type PodValues, type Reading, milliOf, quantityOf, resourceQuantity } from "./readings.ts";
import {
  MetricError,
  ReadingError,
  type Proposal,
  type Situation,
  byAverageValue,
  byShare,
  byUtilization,
  byValue,
} from "./replicas.ts";

/** A metric of an autoscaler. */
export type MetricSpec = NonNullable<HorizontalPodAutoscaler["spec"]["metrics"]>[number];

/** A metric in the status of an autoscaler; its type is empty where it could not be read. */
export type MetricStatus = NonNullable<HorizontalPodAutoscaler["status"]["currentMetrics"]>[number];

/** The replicas that a metric asks for. */
export interface Wanted {
  readonly replicas: number;
  /** The name of the metric, for messages. */
  readonly name: string;
  readonly status: MetricStatus;
}

/** Why a metric cannot be read. */
export interface MetricFailure {
  /** The reason of the Event and of the condition. */
  readonly reason: string;
  readonly message: string;
  /** The message with the name of the metric, for the Event about all metrics. */
  readonly what: string;
}

/** Describes why a metric cannot be read, with the message of kube-controller-manager. */
export function failureOf(metric: MetricSpec, error: MetricError, namespace: string): MetricFailure {
  const { type, resource, containerResource, pods, object, external } = metric;
  const message = error instanceof ReadingError ? `${readingOf(metric, namespace)}${error.message}` : error.message;
  if (type === "Resource" && resource) {
    const whole = `failed to get ${resource.name} ${usageOf(resource.target)}: ${message}`;
    const what = `failed to get ${resource.name} resource metric value: ${whole}`;
    return { reason: "FailedGetResourceMetric", message: whole, what };
  }
  if (type === "ContainerResource" && containerResource) {
    const { name, container, target } = containerResource;
    const whole = `failed to get ${name} ${usageOf(target)}: ${message}`;
    const what = `failed to get ${container} container metric value: ${whole}`;
    return { reason: "FailedGetContainerResourceMetric", message: whole, what };
  }
  if (type === "Pods" && pods) {
    return { reason: "FailedGetPodsMetric", message, what: `failed to get pods metric value: ${message}` };
  }
  if (type === "Object" && object) {
    const isShare = object.target.type === "AverageValue";
    const inner = isShare ? `failed to get ${object.metric.name} object metric: ${message}` : message;
    return { reason: "FailedGetObjectMetric", message, what: `failed to get object metric value: ${inner}` };
  }
  if (type === "External" && external) {
    const { name } = external.metric;
    const isShare = external.target.averageValue !== undefined;
    const inner = isShare ? `failed to get ${name} external metric` : `failed to get external metric ${name}`;
    const what = `failed to get ${name} external metric value: ${inner}: ${message}`;
    return { reason: "FailedGetExternalMetric", message, what };
  }
  return { reason: "InvalidMetricSourceType", message, what: message };
}

const usageOf = ({ averageValue }: Target): string => (averageValue === undefined ? "utilization" : "usage");

/** The error of a metric that could not be read. */
function readingOf(metric: MetricSpec, namespace: string): string {
  const { resource, containerResource, pods, object, external } = metric;
  if (resource ?? containerResource)
    return `unable to get metrics for resource ${(resource ?? containerResource)!.name}: `;
  if (pods) return `unable to get metric ${pods.metric.name}: `;
  if (object) {
    const { kind, name } = object.describedObject;
    return `unable to get metric ${object.metric.name}: ${kind} on ${namespace} ${name}/`;
  }
  if (!external) return "";
  return `unable to get external metric ${namespace}/${external.metric.name}/${goTextOfSelector(external.metric.selector)}: `;
}

/** Evaluates a metric. @throws MetricError where it cannot be read */
export function proposalOf(metric: MetricSpec, reading: Reading, situation: Situation): Wanted {
  if (typeof reading === "string") throw new ReadingError(reading);
  const { type, resource, containerResource, pods, object, external } = metric;
  if (type === "Resource" && resource) return byResource(metric, podsIn(reading), situation);
  if (type === "ContainerResource" && containerResource) return byResource(metric, podsIn(reading), situation);
  if (type === "Pods" && pods) {
    const { replicas, usage } = byAverageValue(situation, podsIn(reading), milliOf(pods.target.averageValue ?? "0"));
    const current = { averageValue: quantityOf(usage) };
    return {
      replicas,
      name: `pods metric ${pods.metric.name}`,
      status: { type, pods: { metric: pods.metric, current } },
    };
  }
  if (type === "Object" && object) {
    const { describedObject, target } = object;
    const isShare = target.type === "AverageValue";
    const { replicas, current } = byWhole(target, isShare, valueIn(reading), situation);
    const name = isShare
      ? `external metric ${object.metric.name}(${goTextOfSelector(object.metric.selector)})`
      : `${describedObject.kind} metric ${object.metric.name}`;
    return { replicas, name, status: { type, object: { describedObject, metric: object.metric, current } } };
  }
  if (type === "External" && external) {
    const isShare = external.target.averageValue !== undefined;
    const { replicas, current } = byWhole(external.target, isShare, valueIn(reading), situation);
    const name = `external metric ${external.metric.name}(${goTextOfSelector(external.metric.selector)})`;
    return { replicas, name, status: { type, external: { metric: external.metric, current } } };
  }
  throw new MetricError(`expected a known type of metric with its member, got ${JSON.stringify(type)}`);
}

function byResource(
  { type, resource, containerResource }: MetricSpec,
  values: PodValues,
  situation: Situation,
): Wanted {
  const { name, target } = (resource ?? containerResource)!;
  const container = type === "ContainerResource" ? containerResource?.container : undefined;
  let proposal: Proposal;
  if (target.averageValue !== undefined) {
    proposal = byAverageValue(situation, values, milliOf(target.averageValue), name);
  } else if (target.averageUtilization !== undefined) {
    const of = { resource: name, ...(container === undefined ? {} : { container }) };
    proposal = byUtilization(situation, values, target.averageUtilization, of);
  } else throw new MetricError("expected an average value or an average utilization as the target, got none");
  const { replicas, usage, utilization } = proposal;
  const current = {
    averageValue: resourceQuantity(name, usage),
    ...(utilization === undefined ? {} : { averageUtilization: utilization }),
  };
  const what = container === undefined ? "resource" : "container resource";
  const status: MetricStatus =
    container === undefined
      ? { type, resource: { name, current } }
      : { type, containerResource: { name, container, current } };
  const label = utilization === undefined ? `${name} resource` : `${name} ${what} utilization (percentage of request)`;
  return { replicas, name: label, status };
}

type Target = NonNullable<MetricSpec["external"]>["target"];

function byWhole(
  target: Target,
  isShare: boolean,
  value: number,
  situation: Situation,
): { readonly replicas: number; readonly current: { readonly value?: string; readonly averageValue?: string } } {
  const wanted = isShare ? target.averageValue : target.value;
  if (wanted === undefined) throw new MetricError("expected a value or an average value as the target, got none");
  const { replicas, usage } = (isShare ? byShare : byValue)(situation, value, milliOf(wanted));
  return { replicas, current: isShare ? { averageValue: quantityOf(usage) } : { value: quantityOf(usage) } };
}

function podsIn(reading: Exclude<Reading, string>): PodValues {
  if ("pods" in reading) return reading.pods;
  throw new MetricError("expected a metric of each Pod, got one value");
}

function valueIn(reading: Exclude<Reading, string>): number {
  if ("value" in reading) return reading.value;
  throw new MetricError("expected one value, got a metric of each Pod");
}
