/**
 * The data that autoscaling/v1 has in annotations, because it has no members for it (KIND-HorizontalPodAutoscaler-3,
 * KIND-HorizontalPodAutoscaler-4): metrics and their current values, conditions, the scaling behavior.
 * Each text is JSON of an older form, with the members in the order in which programs in Go write them. An unreadable annotation counts as
 * absent.
 *
 * @module
 */
import type { Dialect } from "../../meta/dialect.ts";
import type { ObjectMeta } from "../../meta/object-meta.ts";
import { quantitySign } from "../../meta/quantity.ts";
import { DecodeReport, walkerOf } from "../../schema/walker.ts";
import { htmlSafe } from "../../value/html-safe.ts";
import { type Value, isObject } from "../../value/value.ts";
import { type Autoscaler, type CurrentMetric, type Metric, type Rules, schema } from "./v2/schema.ts";

type Behavior = NonNullable<Autoscaler["spec"]["behavior"]>;
type Condition = NonNullable<Autoscaler["status"]["conditions"]>[number];

/** The content of the annotations, in the form of v2. */
export interface Annotated {
  readonly metrics?: readonly Metric[] | undefined;
  readonly behavior?: Behavior | undefined;
  readonly currentMetrics?: readonly CurrentMetric[] | undefined;
  readonly conditions?: readonly Condition[] | undefined;
}

/** The annotations of a dialect by their content. */
export interface OldForms {
  readonly dialect: Dialect;
  /** Annotations of the spec, and those of the status. */
  readonly ofSpec: readonly string[];
  readonly ofStatus: readonly string[];
  read(annotations: ObjectMeta["annotations"]): Annotated;
  /** The annotations with this content. */
  write(said: Annotated): Record<string, string>;
  /** Annotations without those of this form; undefined where none are left. */
  without(annotations: ObjectMeta["annotations"]): Record<string, string> | undefined;
}

/** The annotations of a dialect. */
export function oldForms(dialect: Dialect): OldForms {
  const key = (name: string): string => `autoscaling.alpha.${dialect.labelDomain}/${name}`;
  const keys = {
    metrics: key("metrics"),
    behavior: key("behavior"),
    currentMetrics: key("current-metrics"),
    conditions: key("conditions"),
  };
  // These are not used any more.
  const gone = [key("scale-down-tolerance"), key("scale-up-tolerance")];
  const all = new Set([...Object.values(keys), ...gone]);
  return {
    dialect,
    ofSpec: [keys.metrics, keys.behavior],
    ofStatus: [keys.currentMetrics, keys.conditions],
    read: (annotations) => ({
      metrics: listOf(annotations?.[keys.metrics], (list) => asSpec({ metrics: list.map(metricOf) }, dialect)?.metrics),
      behavior: behaviorOf(annotations?.[keys.behavior], dialect),
      currentMetrics: listOf(
        annotations?.[keys.currentMetrics],
        (list) => asStatus({ currentMetrics: list.map(currentOf) }, dialect)?.currentMetrics ?? undefined,
      ),
      conditions: listOf(
        annotations?.[keys.conditions],
        (list) => asStatus({ conditions: list.map(conditionOf) }, dialect)?.conditions,
      ),
    }),
    write: ({ metrics = [], behavior, currentMetrics = [], conditions = [] }) => ({
      ...(metrics.length > 0 ? { [keys.metrics]: textOf(metrics.map(oldMetric)) } : {}),
      ...(behavior ? { [keys.behavior]: textOf(oldBehavior(behavior)) } : {}),
      ...(currentMetrics.length > 0 ? { [keys.currentMetrics]: textOf(currentMetrics.map(oldCurrent)) } : {}),
      ...(conditions.length > 0 ? { [keys.conditions]: textOf(conditions.map(oldCondition)) } : {}),
    }),
    without(annotations) {
      const kept = Object.entries(annotations ?? {}).filter(([name]) => !all.has(name));
      return kept.length > 0 ? Object.fromEntries(kept) : undefined;
    },
  };
}

const textOf = (value: object): string => htmlSafe(JSON.stringify(value));

// --- From v2 to the old form. A member that is undefined is not written.

const oldMetric = ({ type, object, pods, resource, containerResource, external }: Metric): object => ({
  type,
  object: object && {
    target: oldReference(object.describedObject),
    metricName: object.metric.name,
    targetValue: object.target.value ?? "0",
    selector: oldSelector(object.metric),
    averageValue: object.target.averageValue,
  },
  pods: pods && {
    metricName: pods.metric.name,
    targetAverageValue: pods.target.averageValue ?? "0",
    selector: oldSelector(pods.metric),
  },
  resource: resource && {
    name: resource.name,
    targetAverageUtilization: resource.target.averageUtilization,
    targetAverageValue: resource.target.averageValue,
  },
  containerResource: containerResource && {
    name: containerResource.name,
    targetAverageUtilization: containerResource.target.averageUtilization,
    targetAverageValue: containerResource.target.averageValue,
    container: containerResource.container,
  },
  external: external && {
    metricName: external.metric.name,
    metricSelector: oldSelector(external.metric),
    targetValue: external.target.value,
    targetAverageValue: external.target.averageValue,
  },
});

const oldCurrent = ({ type, object, pods, resource, containerResource, external }: CurrentMetric): object => ({
  type,
  object: object && {
    target: oldReference(object.describedObject),
    metricName: object.metric.name,
    currentValue: object.current.value ?? "0",
    selector: oldSelector(object.metric),
    averageValue: object.current.averageValue,
  },
  pods: pods && {
    metricName: pods.metric.name,
    currentAverageValue: pods.current.averageValue ?? "0",
    selector: oldSelector(pods.metric),
  },
  resource: resource && {
    name: resource.name,
    currentAverageUtilization: resource.current.averageUtilization,
    currentAverageValue: resource.current.averageValue ?? "0",
  },
  containerResource: containerResource && {
    name: containerResource.name,
    currentAverageUtilization: containerResource.current.averageUtilization,
    currentAverageValue: containerResource.current.averageValue ?? "0",
    container: containerResource.container,
  },
  external: external && {
    metricName: external.metric.name,
    metricSelector: oldSelector(external.metric),
    currentValue: external.current.value ?? "0",
    currentAverageValue: external.current.averageValue,
  },
});

const oldReference = ({ kind, name, apiVersion }: Autoscaler["spec"]["scaleTargetRef"]): object => ({
  kind,
  name,
  apiVersion,
});

/** The selector of a metric, its labels in the order of their keys. */
function oldSelector({ selector }: NonNullable<Metric["pods"]>["metric"]): object | undefined {
  if (!selector) return undefined;
  const { matchLabels, matchExpressions } = selector;
  const labels = matchLabels && Object.entries(matchLabels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    matchLabels: labels?.length ? Object.fromEntries(labels) : undefined,
    matchExpressions: matchExpressions?.map(({ key, operator, values }) => ({ key, operator, values })),
  };
}

const oldCondition = ({ type, status, lastTransitionTime, reason, message }: Condition): object => ({
  type,
  status,
  lastTransitionTime: lastTransitionTime ?? null,
  reason,
  message,
});

const oldBehavior = ({ scaleUp, scaleDown }: Behavior): object => ({
  ScaleUp: oldRules(scaleUp),
  ScaleDown: oldRules(scaleDown),
});

const oldRules = (rules: Rules | undefined): object | null =>
  rules
    ? {
        StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
        SelectPolicy: rules.selectPolicy ?? null,
        Policies:
          rules.policies?.map(({ type, value, periodSeconds }) => ({
            Type: type,
            Value: value,
            PeriodSeconds: periodSeconds,
          })) ?? null,
        Tolerance: rules.tolerance ?? null,
      }
    : null;

// --- From the old form to v2. Whatever is of another type stays as it is, and is found out by the schema.

/** A member of a decoded object; case is ignored where no member has the exact name. */
function member(value: unknown, name: string): unknown {
  if (!isObject(value)) return undefined;
  const key = Object.hasOwn(value, name)
    ? name
    : Object.keys(value).find((one) => one.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : (value[key] ?? undefined);
}

/** The members that are set. */
const present = (members: object): Record<string, Value> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Record<string, Value>;

/** The result of `make` for an object. */
const of = (value: unknown, make: (value: object) => object): unknown => (isObject(value) ? make(value) : value);

const metricOf = (old: unknown): unknown =>
  of(old, () =>
    present({
      type: member(old, "type"),
      object: of(member(old, "object"), objectMetric),
      pods: of(member(old, "pods"), (pods) => ({
        metric: identifierOf(pods, "selector"),
        target: { type: "AverageValue", averageValue: member(pods, "targetAverageValue") ?? "0" },
      })),
      resource: of(member(old, "resource"), useMetric),
      containerResource: of(member(old, "containerResource"), (use) => ({
        ...present({ container: member(use, "container") }),
        ...useMetric(use),
      })),
      external: of(member(old, "external"), (external) => {
        const [value, averageValue] = [member(external, "targetValue"), member(external, "targetAverageValue")];
        const type = value === undefined ? "AverageValue" : "Value";
        return { metric: identifierOf(external, "metricSelector"), target: present({ type, value, averageValue }) };
      }),
    }),
  );

function objectMetric(object: object): object {
  const averageValue = member(object, "averageValue");
  const sent = member(object, "targetValue") ?? "0";
  // The old form has 0 where there is none; 0 is not a valid request.
  const isNone = averageValue !== undefined && typeof sent === "string" && quantitySign(sent) === 0;
  const type = averageValue === undefined ? "Value" : "AverageValue";
  return {
    describedObject: referenceOf(member(object, "target")),
    metric: identifierOf(object, "selector"),
    target: present({ type, value: isNone ? undefined : sent, averageValue }),
  };
}

function useMetric(use: object): object {
  const averageUtilization = member(use, "targetAverageUtilization");
  const averageValue = member(use, "targetAverageValue");
  const type = averageUtilization === undefined ? "AverageValue" : "Utilization";
  return present({ name: member(use, "name"), target: present({ type, averageUtilization, averageValue }) });
}

const currentOf = (old: unknown): unknown =>
  of(old, () =>
    present({
      type: member(old, "type"),
      object: of(member(old, "object"), (object) => ({
        describedObject: referenceOf(member(object, "target")),
        metric: identifierOf(object, "selector"),
        current: present({
          value: member(object, "currentValue") ?? "0",
          averageValue: member(object, "averageValue"),
        }),
      })),
      pods: of(member(old, "pods"), (pods) => ({
        metric: identifierOf(pods, "selector"),
        current: { averageValue: member(pods, "currentAverageValue") ?? "0" },
      })),
      resource: of(member(old, "resource"), currentUse),
      containerResource: of(member(old, "containerResource"), (use) => ({
        ...present({ container: member(use, "container") }),
        ...currentUse(use),
      })),
      external: of(member(old, "external"), (external) => ({
        metric: identifierOf(external, "metricSelector"),
        current: present({
          value: member(external, "currentValue") ?? "0",
          averageValue: member(external, "currentAverageValue"),
        }),
      })),
    }),
  );

const currentUse = (use: object): object =>
  present({
    name: member(use, "name"),
    current: present({
      averageValue: member(use, "currentAverageValue") ?? "0",
      averageUtilization: member(use, "currentAverageUtilization"),
    }),
  });

const identifierOf = (metric: object, selector: string): object =>
  present({ name: member(metric, "metricName"), selector: member(metric, selector) });

const referenceOf = (target: unknown): unknown =>
  of(target ?? {}, () =>
    present({ kind: member(target, "kind"), name: member(target, "name"), apiVersion: member(target, "apiVersion") }),
  );

const conditionOf = (old: unknown): unknown =>
  of(old, () =>
    present(
      Object.fromEntries(
        ["type", "status", "lastTransitionTime", "reason", "message"].map((name) => [name, member(old, name)]),
      ),
    ),
  );

/** The scaling behavior; undefined where neither direction is set. */
function behaviorOf(text: string | undefined, dialect: Dialect): Behavior | undefined {
  const old = parsed(text);
  if (!isObject(old)) return undefined;
  const behavior = present({ scaleUp: rulesOf(member(old, "ScaleUp")), scaleDown: rulesOf(member(old, "ScaleDown")) });
  return Object.keys(behavior).length === 0 ? undefined : asSpec({ behavior }, dialect)?.behavior;
}

const rulesOf = (old: unknown): unknown =>
  of(old, () => {
    const policies = member(old, "Policies");
    return present({
      stabilizationWindowSeconds: member(old, "StabilizationWindowSeconds"),
      selectPolicy: member(old, "SelectPolicy"),
      policies: Array.isArray(policies) ? policies.map(policyOf) : policies,
      tolerance: member(old, "Tolerance"),
    });
  });

const policyOf = (old: unknown): unknown =>
  of(old, () =>
    present({
      type: member(old, "Type"),
      value: member(old, "Value"),
      periodSeconds: member(old, "PeriodSeconds"),
    }),
  );

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** The mapped items of a list; undefined where it is no list. */
function listOf<T>(
  text: string | undefined,
  make: (list: readonly unknown[]) => readonly T[] | undefined,
): readonly T[] | undefined {
  const list = parsed(text);
  if (list === null) return [];
  return Array.isArray(list) ? make(list) : undefined;
}

const asSpec = (spec: object, dialect: Dialect): Autoscaler["spec"] | undefined => decoded({ spec }, dialect)?.spec;

const asStatus = (status: object, dialect: Dialect): Autoscaler["status"] | undefined =>
  decoded({ status }, dialect)?.status;

/** An object with members of this form; undefined where one has another type than in v2. */
function decoded(value: object, dialect: Dialect): Autoscaler | undefined {
  const report = new DecodeReport();
  const object = walkerOf(schema, { dialect }).decode(value as Value, report);
  return report.mismatches.length > 0 || report.excess !== undefined ? undefined : (object as Autoscaler);
}
