/**
 * ResourceQuota: the limits of all objects of a namespace together (KIND-ResourceQuota-1..8). Admission charges the status and enforces it;
 * a controller corrects the status.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { compareQuantities } from "../../../meta/quantity.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, Column, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import {
  type Resources,
  checkAmount,
  checkResourceName,
  isCountedByQuotas,
  roundResources,
} from "../../rules/quantities.ts";
import { same } from "../../rules/same.ts";
import { keepStatus, statusPath } from "../../rules/status.ts";

const ScopeRequirement = t.struct("Which objects a quota is about.", {
  scopeName: t.required(t.text("The scope, such as PriorityClass.")),
  operator: t.required(t.text("In, NotIn, Exists or DoesNotExist.")),
  values: t.optional(t.atomicList(t.text(), "The names that are meant, with In and NotIn.")),
});

const Spec = t.struct("The limits of the quota.", {
  hard: t.optional(t.map(t.quantity(), "The most of each resource, or the greatest number of objects.")),
  scopes: t.optional(
    t.atomicList(t.text(), "Which objects it is about: those that all of these hold for; all objects without any."),
  ),
  scopeSelector: t.pointer(
    t.struct(
      "Selects objects, in addition to scopes.",
      { matchExpressions: t.optional(t.atomicList(ScopeRequirement, "Requirements, all of which must hold.")) },
      { atomic: true },
    ),
  ),
});

const Status = t.struct("The enforced limits, and the usage.", {
  hard: t.optional(t.map(t.quantity(), "The amounts that are enforced.")),
  used: t.optional(t.map(t.quantity(), "The usage.")),
});

const schema = objectSchema("The limits of the total usage of all objects of a namespace.", {
  spec: t.always(Spec),
  status: t.always(Status),
});

/** The limits of a quota, and the objects to which they apply. */
export type QuotaSpec = t.Static<typeof Spec>;

/** A scope of a quota with a selector. */
export type ScopeRequirement = t.Static<typeof ScopeRequirement>;

/** A ResourceQuota. */
export type ResourceQuota = ObjectOf<typeof schema>;

/** The resources that can be counted for a part of the Pods, or of the claims. */
const OF_PODS = ["pods", ...["cpu", "memory"].flatMap((name) => [name, `limits.${name}`, `requests.${name}`])];
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  BestEffort: ["pods"],
  CrossNamespacePodAffinity: OF_PODS,
  NotBestEffort: OF_PODS,
  NotTerminating: OF_PODS,
  PriorityClass: OF_PODS,
  Terminating: OF_PODS,
  VolumeAttributesClass: ["persistentvolumeclaims", "requests.storage"],
};

/** Scopes that exclude each other. */
const OPPOSITES = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

/** The scopes that support operators besides Exists. */
const NAMED = ["PriorityClass", "VolumeAttributesClass"];

function checkAmounts(amounts: Resources | undefined, at: string, errors: FieldErrors, { dialect }: ApiContext): void {
  for (const name in amounts) {
    const field = `${at}[${name}]`;
    const isResource = checkResourceName(field, name, errors);
    if (isResource && !name.includes("/") && !isCountedByQuotas(name)) {
      errors.invalid(
        field,
        name,
        "expected a resource that quotas count, such as requests.cpu, or count/RESOURCE.GROUP",
      );
    }
    checkAmount(field, name, amounts[name]!, errors, dialect);
  }
}

/** Reports a scope that does not apply to a counted resource; `at` replaces the path of the resource. */
function checkCounted(scope: string, hard: Resources, at: string, got: unknown, errors: FieldErrors): void {
  const fitting = SCOPES[scope];
  const strange = Object.keys(hard).find((name) => isCountedByQuotas(name) && fitting && !fitting.includes(name));
  if (strange !== undefined)
    errors.invalid(at, got, `expected no ${scope} with ${strange}: it is about ${fitting!.join(", ")}`);
}

function checkOpposites(scopes: ReadonlySet<string>, at: string, got: unknown, errors: FieldErrors): void {
  for (const [one, other] of OPPOSITES) {
    if (scopes.has(one) && scopes.has(other))
      errors.invalid(at, got, `expected one of ${one} and ${other}, no object is both`);
  }
}

function checkScopes({ scopes = [], hard = {} }: QuotaSpec, errors: FieldErrors): void {
  const at = "spec.scopes";
  for (const scope of scopes) {
    if (!SCOPES[scope])
      errors.invalid(at, scopes, `expected known scopes (${Object.keys(SCOPES).join(", ")}), got ${scope}`);
    checkCounted(scope, hard, at, scopes, errors);
  }
  checkOpposites(new Set(scopes), at, scopes, errors);
}

function checkSelector({ scopeSelector, hard = {} }: QuotaSpec, errors: FieldErrors): void {
  const at = "spec.scopeSelector.matchExpressions";
  const expressions = scopeSelector?.matchExpressions ?? [];
  for (const { scopeName, operator, values = [] } of expressions) {
    if (!SCOPES[scopeName]) {
      errors.invalid(`${at}.scopeName`, scopeName, `expected one of ${Object.keys(SCOPES).join(", ")}`);
    } else if (!NAMED.includes(scopeName) && operator !== "Exists") {
      errors.invalid(`${at}.operator`, operator, `expected Exists: ${scopeName} has no names`);
    }
    checkCounted(scopeName, hard, at, expressions, errors);
    checkValues(operator, values, at, errors);
  }
  checkOpposites(new Set(expressions.map(({ scopeName }) => scopeName)), at, expressions, errors);
}

function checkValues(operator: string, values: readonly string[], at: string, errors: FieldErrors): void {
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) errors.required(`${at}.values`, `expected at least one value with ${operator}`);
  } else if (operator !== "Exists" && operator !== "DoesNotExist") {
    errors.invalid(`${at}.operator`, operator, "expected In, NotIn, Exists or DoesNotExist");
  } else if (values.length > 0) errors.invalid(`${at}.values`, values, `expected no values with ${operator}`);
}

function validate(object: ResourceQuota, errors: FieldErrors, ctx: ApiContext): void {
  const { spec } = object;
  checkAmounts(spec.hard, "spec.hard", errors, ctx);
  checkScopes(spec, errors);
  checkSelector(spec, errors);
}

function validateUpdate(object: ResourceQuota, old: ResourceQuota, errors: FieldErrors, ctx: ApiContext): void {
  validate(object, errors, ctx);
  const [{ spec: now }, { spec: before }] = [object, old];
  const stays = "expected the scopes as they were: what is counted already was counted for them";
  if (new Set(now.scopes).symmetricDifference(new Set(before.scopes)).size > 0) {
    errors.invalid("spec.scopes", now.scopes, stays);
  }
  const isSame = same(now.scopeSelector ?? null, before.scopeSelector ?? null);
  if (!isSame && ctx.dialect.rules.enforceDocumented) errors.invalid("spec.scopes", now.scopeSelector, stays);
}

function validateStatus(object: ResourceQuota, errors: FieldErrors, ctx: ApiContext): void {
  const { status } = object;
  checkAmounts(status.hard, "status.hard", errors, ctx);
  checkAmounts(status.used, "status.used", errors, ctx);
}

/** Requests that may exceed the limits, which those of a Pod cannot. */
function* warnings(object: ResourceQuota, old: ResourceQuota | undefined, _ctx: WriteContext): Generator<string> {
  const { hard = {} } = object.spec;
  if (old) return;
  for (const name of ["cpu", "memory", "storage", "ephemeral-storage"]) {
    const short = name === "cpu" || name === "memory" ? name : undefined;
    const request = [`requests.${name}`, short].find((one) => one !== undefined && hard[one] !== undefined);
    const limit = hard[`limits.${name}`];
    if (request === undefined || limit === undefined || compareQuantities(hard[request]!, limit) <= 0) continue;
    yield `spec.hard: ${request} (${hard[request]}) is more than limits.${name} (${limit}), which no Pods can reach`;
  }
}

/** The usage of enforced resources: `name: used/hard`, limits separately. */
function usage(object: ResourceQuota, ofLimits: boolean): string {
  const { hard = {}, used = {} } = object.status ?? {};
  return Object.keys(hard)
    .filter((name) => name.startsWith("limits.") === ofLimits)
    .toSorted()
    .map((name) => `${name}: ${used[name] ?? "0"}/${hard[name]}`)
    .join(", ");
}

const columns: readonly Column<ResourceQuota>[] = [
  textColumn("Request", "The usage of requests and counts.", (object) => usage(object, false)),
  textColumn("Limit", "The usage of limits.", (object) => usage(object, true)),
  ageColumn,
];

/** The definition of ResourceQuota. */
export const resourceQuota = defineResource(schema, {
  group: "",
  version: "v1",
  kind: "ResourceQuota",
  plural: "resourcequotas",
  shortNames: ["quota"],
  scope: "Namespaced",
  deleteReturns: "object",
  resetFields: ["status"],
  defaults(object) {
    const { spec, status } = object;
    for (const amounts of [spec.hard, status?.hard, status?.used]) roundResources(amounts);
  },
  prepareForCreate(object) {
    object["status"] = {};
  },
  prepareForUpdate: keepStatus,
  validate,
  validateUpdate,
  warnings,
  subresources: {
    status: statusPath({ validateUpdate: (object, _old, errors, ctx) => validateStatus(object, errors, ctx) }),
  },
  columns,
});
