/**
 * The columns of a HorizontalPodAutoscaler (KIND-HorizontalPodAutoscaler-16).
 *
 * @module
 */
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import type { Column } from "../../../schema/definition.ts";
import type { Autoscaler, CurrentMetric, Metric } from "./schema.ts";

const UNKNOWN = "<unknown>";
const MAX_SHOWN = 2;

/** The current usage of Pods and its target, as a utilization or an amount. */
function use(
  { name, target }: NonNullable<Metric["resource"]>,
  current: NonNullable<CurrentMetric["resource"]>["current"] | undefined,
): string {
  const percent = (share: number | undefined, none: string): string => (share === undefined ? none : `${share}%`);
  return target.averageValue === undefined
    ? `${name}: ${percent(current?.averageUtilization, UNKNOWN)}/${percent(target.averageUtilization, "<auto>")}`
    : `${name}: ${current?.averageValue ?? UNKNOWN}/${target.averageValue}`;
}

/** A value and its target, or their averages. */
function value(
  { target }: NonNullable<Metric["external"]>,
  current: NonNullable<CurrentMetric["external"]>["current"] | undefined,
): string {
  return target.averageValue === undefined
    ? `${current?.value ?? UNKNOWN}/${target.value ?? UNKNOWN}`
    : `${current?.averageValue ?? UNKNOWN}/${target.averageValue} (avg)`;
}

function shown(metric: Metric, current: CurrentMetric | undefined): string {
  const { type, object, pods, resource, containerResource, external } = metric;
  if (type === "Resource" && resource) return use(resource, current?.resource?.current);
  if (type === "ContainerResource" && containerResource) {
    return use(containerResource, current?.containerResource?.current);
  }
  if (type === "Object" && object) return value(object, current?.object?.current);
  if (type === "External" && external) return value(external, current?.external?.current);
  if (type === "Pods" && pods) {
    return `${current?.pods?.current.averageValue ?? UNKNOWN}/${pods.target.averageValue ?? UNKNOWN}`;
  }
  return "<unknown type>";
}

function targets({ spec, status }: Autoscaler): string {
  const metrics = spec.metrics ?? [];
  if (metrics.length === 0) return "<none>";
  const current = status.currentMetrics ?? [];
  const text = metrics
    .slice(0, MAX_SHOWN)
    .map((metric, i) => shown(metric, current[i]))
    .join(", ");
  return metrics.length > MAX_SHOWN ? `${text} + ${metrics.length - MAX_SHOWN} more...` : text;
}

/** The columns, of an object in the form in which it is stored. */
export const columns: readonly Column<Autoscaler>[] = [
  textColumn(
    "Reference",
    "The scaled object.",
    ({ spec }) => `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
  ),
  textColumn("Targets", "The current and the target values of the metrics.", targets),
  textColumn("MinPods", "The least number of Pods.", ({ spec }) => String(spec.minReplicas ?? "<unset>")),
  textColumn("MaxPods", "The greatest number of Pods.", ({ spec }) => spec.maxReplicas),
  textColumn("Replicas", "How many Pods there were.", ({ status }) => status.currentReplicas ?? 0),
  ageColumn,
];
