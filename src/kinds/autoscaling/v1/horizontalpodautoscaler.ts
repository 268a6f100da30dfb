/**
 * HorizontalPodAutoscaler in `v1`, a view of the form in `../v2/`, which is stored. It has members for one metric, the utilization of cpu;
 * all else is in annotations (KIND-HorizontalPodAutoscaler-3, KIND-HorizontalPodAutoscaler-4).
 *
 * Its rules are those of the stored form, with causes at paths of v2.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import type {
  ApiContext,
  ApiObject,
  ResourceDefinition,
  WriteContext,
  WriteRules,
} from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { type OldForms, oldForms } from "../old-forms.ts";
import { cpuMetric, currentMetrics, fillBehavior, horizontalPodAutoscalerV2 } from "../v2/horizontalpodautoscaler.ts";
import { AtomicObjectReference, type Autoscaler, type CurrentMetric, type Metric, description } from "../v2/schema.ts";
import { same } from "../../rules/same.ts";

const Spec = t.struct("The desired state.", {
  scaleTargetRef: t.required(AtomicObjectReference),
  minReplicas: t.pointer(t.int32("The least number of Pods; 1 by default.")),
  maxReplicas: t.required(t.int32("The greatest number of Pods.")),
  targetCPUUtilizationPercentage: t.pointer(
    t.int32("The share of the cpu that the Pods ask for, on average; 80 by default where there is no other metric."),
  ),
});

const Status = t.struct("How it is.", {
  observedGeneration: t.pointer(t.int64("The generation of the object that the status speaks of.")),
  lastScaleTime: t.pointer(t.time("When the number of Pods was last changed.")),
  currentReplicas: t.required(t.int32("How many Pods there were.")),
  desiredReplicas: t.required(t.int32("How many Pods there are to be.")),
  currentCPUUtilizationPercentage: t.pointer(t.int32("The share of the cpu that the Pods used, on average.")),
});

const schema = objectSchema(description, { spec: t.always(Spec), status: t.always(Status) });

/** A HorizontalPodAutoscaler in v1; in the intent of an apply any part may be missing. */
type View = ApiObject & Partial<t.Static<typeof schema>>;

/** Leaves out undefined members. */
const present = <T extends object>(members: { [K in keyof T]: T[K] | undefined }): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;

/** The target utilization of a cpu metric; undefined for other metrics. */
const cpuOf = ({ type, resource }: Metric): number | undefined =>
  type === "Resource" && resource?.name === "cpu" ? resource.target.averageUtilization : undefined;

/** The object with other annotations, in another version. */
function withAnnotations(
  { metadata, kind }: ApiObject,
  apiVersion: string,
  annotations: Record<string, string> | undefined,
): ApiObject {
  const { annotations: _, ...rest } = metadata;
  const hasAny = annotations !== undefined && Object.keys(annotations).length > 0;
  return { kind, apiVersion, metadata: hasAny ? { ...rest, annotations } : rest };
}

const [V1, V2] = ["autoscaling/v1", "autoscaling/v2"];

/** From the stored form to this one. */
function shown(object: ApiObject, forms: OldForms): View {
  const { spec, status } = object as Partial<Autoscaler>;
  const metrics = spec?.metrics ?? [];
  const current = status?.currentMetrics ?? [];
  const said = forms.write({
    metrics: metrics.filter((metric) => cpuOf(metric) === undefined),
    behavior: spec?.behavior,
    currentMetrics: current,
    conditions: status?.conditions,
  });
  const view: View = withAnnotations(object, V1, { ...forms.without(object.metadata.annotations), ...said });
  if (spec) {
    const { scaleTargetRef, minReplicas, maxReplicas } = spec;
    const targetCPUUtilizationPercentage = metrics.map(cpuOf).find((share) => share !== undefined);
    view.spec = present({ scaleTargetRef, minReplicas, maxReplicas, targetCPUUtilizationPercentage });
  }
  if (status) {
    const { observedGeneration, lastScaleTime, currentReplicas = 0, desiredReplicas } = status;
    const currentCPUUtilizationPercentage = current
      .map(({ type, resource }) =>
        type === "Resource" && resource?.name === "cpu" ? resource.current.averageUtilization : undefined,
      )
      .findLast((share) => share !== undefined);
    view.status = present({
      observedGeneration,
      lastScaleTime,
      currentReplicas,
      desiredReplicas,
      currentCPUUtilizationPercentage,
    });
  }
  return view;
}

type CurrentCpu = NonNullable<CurrentMetric["resource"]>["current"];

/** The current metrics: those of the annotation, else the utilization of cpu. */
function metricsRead(said: readonly CurrentMetric[] | undefined, share: number | undefined): readonly CurrentMetric[] {
  if (share === undefined) return said ?? [];
  const cpu = (current: CurrentCpu): CurrentMetric[] => [{ type: "Resource", resource: { name: "cpu", current } }];
  // The old form has only the utilization then.
  const asWritten = cpu({ averageUtilization: share, averageValue: "0" });
  if (said && !same(said, asWritten)) return said;
  return cpu({ averageUtilization: share });
}

/** From this form to the stored one, with the members that this one has. */
function meant(object: ApiObject, forms: OldForms): Autoscaler {
  const { spec, status } = object as View;
  const { annotations } = object.metadata;
  const said = forms.read(annotations);
  const stored = withAnnotations(object, V2, forms.without(annotations)) as Autoscaler;
  if (spec) {
    const { targetCPUUtilizationPercentage: share, ...rest } = spec;
    const metrics = [...(said.metrics ?? []), ...(share === undefined ? [] : [cpuMetric(share)])];
    stored.spec = present({
      ...rest,
      metrics: metrics.length > 0 ? metrics : [cpuMetric()],
      behavior: said.behavior,
    });
  }
  if (status) {
    const { currentReplicas, currentCPUUtilizationPercentage: share, ...rest } = status;
    stored.status = present({
      ...rest,
      currentReplicas: currentReplicas || undefined,
      ...currentMetrics(metricsRead(said.currentMetrics, share), forms.dialect),
      conditions: said.conditions?.length ? [...said.conditions] : undefined,
    });
  }
  return stored;
}

/** Keeps stored values that this form does not show, where a write has not changed its view of them. */
function toStored(object: ApiObject, replaced: ApiObject | undefined, forms: OldForms): ApiObject {
  const stored = meant(object, forms);
  const before = replaced as Autoscaler | undefined;
  const seen = before && shown(before, forms);
  const isSame = (member: "spec" | "status", keys: readonly string[]): boolean =>
    seen !== undefined &&
    same(seen[member], object[member]) &&
    keys.every((key) => seen.metadata.annotations?.[key] === object.metadata.annotations?.[key]);
  if (before && isSame("spec", forms.ofSpec)) stored.spec = before.spec;
  else if (stored.spec) fillBehavior(stored.spec);
  if (before && isSame("status", forms.ofStatus)) stored.status = before.status;
  return stored;
}

/** The object keeps its identity, since callers hold it; it gets the members of the stored form. */
function become(object: ApiObject, stored: ApiObject, forms: OldForms): void {
  const { metadata, spec, status } = shown(stored, forms);
  object.metadata = metadata;
  object["spec"] = spec;
  object["status"] = status;
}

/** The definition of HorizontalPodAutoscaler in v1. */
export function horizontalPodAutoscalerV1(ctx: ApiContext): ResourceDefinition {
  const stored = horizontalPodAutoscalerV2(ctx);
  const forms = oldForms(ctx.dialect);
  const asStored = (object: ApiObject): Autoscaler => meant(object, forms);
  // All cells of a row are read from one form.
  const rows = new WeakMap<ApiObject, ApiObject>();
  const rowOf = (object: ApiObject): ApiObject => {
    let row = rows.get(object);
    if (!row) rows.set(object, (row = { ...asStored(object), metadata: object.metadata }));
    return row;
  };
  /** Rules of the stored form, of an object in this one. */
  const through = <T extends WriteRules>(rules: T): T => ({
    ...rules,
    prepareForUpdate(object: ApiObject, old: ApiObject, write: WriteContext) {
      const wanted = asStored(object);
      rules.prepareForUpdate?.(wanted, asStored(old), write);
      become(object, wanted, forms);
    },
    validateUpdate: (object: ApiObject, old: ApiObject, errors: FieldErrors, write: WriteContext) =>
      rules.validateUpdate?.(asStored(object), asStored(old), errors, write),
  });
  return {
    ...through(stored),
    version: "v1",
    schema,
    // Faults that only this form can have.
    convert() {},
    storedAs: {
      definition: `${stored.plural}.${V2}`,
      toStored: (object, replaced) => toStored(object, replaced, forms),
      fromStored: (object) => shown(object, forms),
    },
    defaults(object) {
      const { spec } = object as View;
      if (!spec) return;
      spec.minReplicas ??= 1;
      // Empty annotations are dropped before ownership is recorded.
      become(object, asStored(object), forms);
    },
    prepareForCreate(object, write) {
      const wanted = asStored(object);
      stored.prepareForCreate?.(wanted, write);
      become(object, wanted, forms);
    },
    validate: (object, errors, write) => stored.validate?.(asStored(object), errors, write),
    subresources: { status: through(stored.subresources!["status"]!) },
    columns: stored.columns!.map(({ cell, ...column }) => ({
      ...column,
      cell: (object, now) => cell(rowOf(object), now),
    })),
  };
}
