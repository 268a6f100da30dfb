/**
 * The rules of the spec of a HorizontalPodAutoscaler (KIND-HorizontalPodAutoscaler-6..11).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsLabel, pathSegment } from "../../../meta/names.ts";
import type { WriteContext } from "../../../schema/definition.ts";
import { checkContainerResourceName, checkNotNegative, checkPositive } from "../../rules/quantities.ts";
import type { Autoscaler, Metric, Rules } from "./schema.ts";

type Spec = Autoscaler["spec"];
type Reference = Spec["scaleTargetRef"];
type Target = NonNullable<Metric["resource"]>["target"];

/** Rules that do not apply, because the stored object violates them. */
interface Leniency {
  /** The smallest allowed number of Pods. */
  readonly least: 0 | 1;
  /** How the version of the target is validated: `core` where it may have no group, `any` where it is not validated. */
  readonly target: "group" | "core" | "any";
  readonly described: "core" | "any";
}

/** All faults of a spec; `old` is the previous one. */
export function validateSpec(spec: Spec, old: Spec | undefined, errors: FieldErrors, ctx: WriteContext): void {
  const leniency = leniencyOf(spec, old, ctx);
  const { minReplicas: least, maxReplicas: most } = spec;
  if (least !== undefined && least < leniency.least) {
    errors.invalid("spec.minReplicas", least, `expected ${leniency.least} or more`);
  }
  if (most < 1) errors.invalid("spec.maxReplicas", most, "expected 1 or more");
  if (least !== undefined && most < least) {
    errors.invalid("spec.maxReplicas", most, "expected no less than minReplicas");
  }
  validateReference(spec.scaleTargetRef, leniency.target, "spec.scaleTargetRef", errors);
  const metrics = spec.metrics ?? [];
  for (const [i, metric] of metrics.entries()) {
    validateMetric(metric, leniency.described, `spec.metrics[${i}]`, errors, ctx);
  }
  if (least === 0 && !metrics.some(({ type }) => type === "Object" || type === "External")) {
    errors.forbidden("spec.metrics", "expected an Object or External metric together with minReplicas 0");
  }
  for (const half of ["scaleUp", "scaleDown"] as const) {
    const rules = spec.behavior?.[half];
    if (rules) validateRules(rules, `spec.behavior.${half}`, errors);
  }
}

function leniencyOf({ scaleTargetRef: ref }: Spec, old: Spec | undefined, { gates }: WriteContext): Leniency {
  const before = old?.scaleTargetRef;
  const isSame = before !== undefined && before.kind === ref.kind && before.apiVersion === ref.apiVersion;
  const described = (old?.metrics ?? []).flatMap(({ type, object }) =>
    type === "Object" && object ? [object.describedObject] : [],
  );
  return {
    least: gates.HPAScaleToZero || old?.minReplicas === 0 ? 0 : 1,
    // The only kind of the core group that can be scaled.
    target: isSame ? "any" : ref.kind === "ReplicationController" ? "core" : "group",
    described: described.some(({ apiVersion }) => versionFault(apiVersion, "core") !== undefined) ? "any" : "core",
  };
}

function versionFault(apiVersion = "", how: Leniency["target"]): string | undefined {
  if (how === "any") return undefined;
  const parts = apiVersion === "/" ? [] : apiVersion.split("/");
  if (parts.length > 2) return "expected a group and a version, such as apps/v1";
  return how === "core" || (parts.length === 2 && parts[0] !== "") ? undefined : "expected a group and a version";
}

function validateReference(ref: Reference, how: Leniency["target"], at: string, errors: FieldErrors): void {
  for (const member of ["kind", "name"] as const) validateSegment(ref[member], `${at}.${member}`, errors);
  const wrong = versionFault(ref.apiVersion, how);
  if (wrong !== undefined) errors.invalid(`${at}.apiVersion`, ref.apiVersion ?? "", wrong);
}

function validateSegment(value: string, field: string, errors: FieldErrors): void {
  const wrong = value === "" ? undefined : pathSegment(value);
  if (value === "") errors.required(field, "expected a name");
  else if (wrong !== undefined) errors.invalid(field, value, wrong);
}

/** The member of a metric by its type. */
const MEMBERS = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
} as const;

/** The order of metric sources: the first one that is set is validated, whatever the type. */
const LOOKED_AT = ["object", "external", "pods", "resource", "containerResource"] as const;

function validateMetric(
  metric: Metric,
  described: Leniency["described"],
  at: string,
  errors: FieldErrors,
  ctx: WriteContext,
): void {
  const types = Object.keys(MEMBERS);
  const { type } = metric;
  if (type === "") errors.required(`${at}.type`, `expected one of ${types.join(", ")}`);
  if (!types.includes(type)) errors.notSupported(`${at}.type`, type, types);
  const present = LOOKED_AT.filter((member) => metric[member] !== undefined);
  const first = present[0];
  if (first) SOURCES[first](metric, described, `${at}.${first}`, errors, ctx);
  const wanted = types.includes(type) ? MEMBERS[type as keyof typeof MEMBERS] : undefined;
  if (wanted && !present.includes(wanted))
    errors.required(`${at}.${wanted}`, `expected it together with the type ${type}`);
  // If only one is set, the fault names the missing one.
  if (present.length < 2) return;
  for (const member of present) {
    if (member !== wanted) errors.forbidden(`${at}.${member}`, `expected none together with the type ${type}`);
  }
}

type Source = (
  metric: Metric,
  described: Leniency["described"],
  at: string,
  errors: FieldErrors,
  ctx: WriteContext,
) => void;

const SOURCES: Readonly<Record<(typeof LOOKED_AT)[number], Source>> = {
  object({ object }, described, at, errors) {
    const { describedObject, metric, target } = object!;
    validateReference(describedObject, described, `${at}.describedObject`, errors);
    validateSegment(metric.name, `${at}.metric.name`, errors);
    validateTarget(target, `${at}.target`, errors);
    if (target.value === undefined && target.averageValue === undefined) demand("averageValue", at, errors);
  },
  external({ external }, _described, at, errors) {
    const { metric, target } = external!;
    validateSegment(metric.name, `${at}.metric.name`, errors);
    validateTarget(target, `${at}.target`, errors);
    if (target.value === undefined && target.averageValue === undefined) demand("averageValue", at, errors);
    if (target.value !== undefined && target.averageValue !== undefined) {
      errors.forbidden(`${at}.target.value`, "expected none together with averageValue");
    }
  },
  pods({ pods }, _described, at, errors) {
    const { metric, target } = pods!;
    validateSegment(metric.name, `${at}.metric.name`, errors);
    validateTarget(target, `${at}.target`, errors);
    if (target.averageValue === undefined) demand("averageValue", at, errors);
  },
  resource({ resource }, _described, at, errors) {
    const { name, target } = resource!;
    if (name === "") errors.required(`${at}.name`, "expected the name of a resource");
    validateUse(target, at, errors);
  },
  containerResource({ containerResource }, _described, at, errors, { dialect }) {
    const { name, container, target } = containerResource!;
    if (name === "") errors.required(`${at}.name`, "expected the name of a resource");
    else checkContainerResourceName(`${at}.name`, name, errors, dialect);
    const wrong = container === "" ? undefined : dnsLabel(container);
    if (container === "") errors.required(`${at}.container`, "expected the name of a container");
    else if (wrong !== undefined) errors.invalid(`${at}.container`, container, wrong);
    validateUse(target, at, errors);
  },
};

const demand = (member: keyof Target, at: string, errors: FieldErrors): void =>
  errors.required(`${at}.target.${member}`, "expected a value to reach");

/** The target of the usage of Pods: a share of their requests, or an amount. */
function validateUse(target: Target, at: string, errors: FieldErrors): void {
  validateTarget(target, `${at}.target`, errors);
  const { averageUtilization, averageValue } = target;
  if (averageUtilization === undefined && averageValue === undefined) demand("averageUtilization", at, errors);
  if (averageUtilization !== undefined && averageValue !== undefined) {
    errors.forbidden(`${at}.target.averageValue`, "expected none together with averageUtilization");
  }
}

const TARGETS = ["AverageValue", "Utilization", "Value"];

function validateTarget(target: Target, at: string, errors: FieldErrors): void {
  const { type, averageUtilization } = target;
  if (type === "") errors.required(`${at}.type`, `expected one of ${TARGETS.join(", ")}`);
  if (!TARGETS.includes(type)) errors.invalid(`${at}.type`, type, `expected one of ${TARGETS.join(", ")}`);
  for (const member of ["value", "averageValue"] as const) {
    if (target[member] !== undefined) checkPositive(`${at}.${member}`, target[member], errors);
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    errors.invalid(`${at}.averageUtilization`, averageUtilization, "expected 1 or more");
  }
}

const SELECTS = ["Disabled", "Max", "Min"];
const COUNTED = ["Percent", "Pods"];
const MAX_WINDOW = 3600;
const MAX_PERIOD = 1800;

function validateRules(rules: Rules, at: string, errors: FieldErrors): void {
  const { stabilizationWindowSeconds: window, selectPolicy, tolerance } = rules;
  if (window !== undefined && (window < 0 || window > MAX_WINDOW)) {
    errors.invalid(`${at}.stabilizationWindowSeconds`, window, `expected 0 to ${MAX_WINDOW}`);
  }
  if (selectPolicy !== undefined && !SELECTS.includes(selectPolicy)) {
    errors.notSupported(`${at}.selectPolicy`, selectPolicy, SELECTS);
  }
  const policies = rules.policies ?? [];
  if (policies.length === 0) errors.required(`${at}.policies`, "expected at least one policy");
  for (const [i, { type, value, periodSeconds }] of policies.entries()) {
    const field = `${at}.policies[${i}]`;
    if (!COUNTED.includes(type)) errors.notSupported(`${field}.type`, type, COUNTED);
    if (value < 1) errors.invalid(`${field}.value`, value, "expected 1 or more");
    if (periodSeconds < 1 || periodSeconds > MAX_PERIOD) {
      errors.invalid(`${field}.periodSeconds`, periodSeconds, `expected 1 to ${MAX_PERIOD}`);
    }
  }
  if (tolerance !== undefined) checkNotNegative(`${at}.tolerance`, tolerance, errors);
}
