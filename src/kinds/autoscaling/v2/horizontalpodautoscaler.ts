/**
 * HorizontalPodAutoscaler: scales a workload by metrics (KIND-HorizontalPodAutoscaler-1..16). Nothing here
 * changes a workload. It is stored in this version; `../v1/` is a view of it.
 *
 * @module
 */
import type { Dialect } from "../../../meta/dialect.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { isObject } from "../../../value/value.ts";
import { validateNotNegative } from "../../rules/counts.ts";
import { dropGated } from "../../rules/gated-field.ts";
import { columns } from "./columns.ts";
import { oldForms } from "../old-forms.ts";
import { validateSpec } from "./rules.ts";
import { type Autoscaler, type CurrentMetric, type Metric, type Rules, description, schema } from "./schema.ts";
import { statusPath } from "../../rules/status.ts";

const DEFAULT_CPU = 80;
const PERIOD = 15;

/** A metric of the utilization of cpu by the Pods. */
export const cpuMetric = (averageUtilization: number = DEFAULT_CPU): Metric => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

const all = { type: "Percent", value: 100, periodSeconds: PERIOD };

function setDefaults({ spec }: Autoscaler): void {
  spec.minReplicas ??= 1;
  if ((spec.metrics ?? []).length === 0) spec.metrics = [cpuMetric()];
  fillBehavior(spec);
}

/** Sets the defaults of `behavior`, where it is set. Changes `spec`. */
export function fillBehavior({ behavior }: Autoscaler["spec"]): void {
  if (!behavior) return;
  const four = { type: "Pods", value: 4, periodSeconds: PERIOD };
  behavior.scaleUp = filled(behavior.scaleUp, { stabilizationWindowSeconds: 0, policies: [four, { ...all }] });
  behavior.scaleDown = filled(behavior.scaleDown, { policies: [{ ...all }] });
}

const filled = (sent: Rules | undefined, defaults: Rules): Rules => ({ selectPolicy: "Max", ...defaults, ...sent });

const HALVES = ["scaleDown", "scaleUp"] as const;

/** Drops tolerances where their feature is off, unless the object has one already. */
function dropTolerance({ spec }: Autoscaler, old: Autoscaler | undefined, ctx: WriteContext): void {
  const isInUse = HALVES.some((half) => old?.spec.behavior?.[half]?.tolerance !== undefined);
  for (const half of HALVES) {
    const rules = spec.behavior?.[half];
    dropGated(
      rules,
      isInUse ? rules : undefined,
      "tolerance",
      "HPAConfigurableTolerance",
      `spec.behavior.${half}`,
      ctx,
    );
  }
}

/** The current metrics of an object; without any, the dialect decides whether null is printed. */
export function currentMetrics(metrics: readonly CurrentMetric[], { rules }: Dialect): Pick<Status, "currentMetrics"> {
  if (metrics.length > 0) return { currentMetrics: [...metrics] };
  return rules.printUnsetAsNull ? { currentMetrics: null as never } : {};
}

type Status = Autoscaler["status"];

/** The definition of HorizontalPodAutoscaler in the version in which it is stored. */
export const horizontalPodAutoscalerV2 = ({ dialect }: ApiContext): ResourceDefinition =>
  defineResource(schema, {
    group: "autoscaling",
    version: "v2",
    kind: "HorizontalPodAutoscaler",
    plural: "horizontalpodautoscalers",
    shortNames: ["hpa"],
    categories: ["all"],
    scope: "Namespaced",
    description,
    resetFields: ["status"],
    // The annotations of v1 have no meaning here.
    convert({ metadata }) {
      if (!isObject(metadata?.annotations)) return;
      const kept = oldForms(dialect).without(metadata.annotations);
      if (kept) metadata.annotations = kept;
      else delete metadata.annotations;
    },
    defaults: setDefaults,
    prepareForCreate(object, ctx) {
      object["status"] = { desiredReplicas: 0, ...currentMetrics([], dialect) };
      dropTolerance(object, undefined, ctx);
    },
    prepareForUpdate(object, old, ctx) {
      object["status"] = old["status"];
      dropTolerance(object, old, ctx);
    },
    validate: (object, errors, ctx) => validateSpec(object.spec, undefined, errors, ctx),
    validateUpdate: (object, old, errors, ctx) => validateSpec(object.spec, old.spec, errors, ctx),
    subresources: {
      status: statusPath({
        validateUpdate: (object, _old, errors) =>
          validateNotNegative(object.status, ["currentReplicas", "desiredReplicas"], "status", errors),
      }),
    },
    columns,
  });
