/**
 * LimitRange: the limits of one Pod, container or claim of a namespace, and the defaults of those without a request (KIND-LimitRange-1..9).
 * Admission enforces it.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { qualifiedName } from "../../../meta/names.ts";
import { compareQuantities, multiplyQuantities } from "../../../meta/quantity.ts";
import * as t from "../../../meta/types.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, Column } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import {
  type Resources,
  checkContainerResourceName,
  checkResourceName,
  isOvercommitted,
  roundResources,
} from "../../rules/quantities.ts";

const description = "How much one Pod, container or claim of a namespace may request.";

const amounts = (about: string) => t.optional(t.map(t.quantity(), about));

const Limit = t.struct("The limits of one type.", {
  type: t.required(t.text("`Container`, `Pod`, `PersistentVolumeClaim`, or a name with a domain.")),
  max: amounts("The most of a resource that one may ask for."),
  min: amounts("The least of a resource that one may ask for."),
  default: amounts("The limit of a container that has none."),
  defaultRequest: amounts("The request of a container that has none."),
  maxLimitRequestRatio: amounts("By how much a limit may exceed its request."),
});

const schema = objectSchema(description, {
  spec: t.always(
    t.struct("The limits of the namespace.", { limits: t.requiredOrNull(t.atomicList(Limit, "The limits, by type.")) }),
  ),
});

/** The limits of one type. */
export type Limit = t.Static<typeof Limit>;

/** A LimitRange. */
export type LimitRange = ObjectOf<typeof schema>;

const limitsOf = (object: LimitRange): Limit[] => object.spec?.limits ?? [];

/** The defaults of containers (KIND-LimitRange-1). */
function setDefaults(limit: Limit): void {
  if (limit.type !== "Container") return;
  const { max, min } = limit;
  const limits = { ...max, ...limit.default };
  const requests = { ...min, ...limits, ...limit.defaultRequest };
  if (Object.keys(limits).length > 0) limit.default = limits;
  if (Object.keys(requests).length > 0) limit.defaultRequest = requests;
}

const TYPES = ["Pod", "Container", "PersistentVolumeClaim"];

function checkType(type: string, field: string, errors: FieldErrors): void {
  const wrong = qualifiedName(type);
  if (wrong !== undefined) errors.invalid(field, type, wrong);
  else if (!type.includes("/") && !TYPES.includes(type)) {
    errors.invalid(field, type, `expected one of ${TYPES.join(", ")}, or a name with a domain`);
  }
}

const MEMBERS = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

/** Members of a limit, by their names in its rules. */
type Amounts = Partial<Record<(typeof MEMBERS)[number], Resources>>;

/** The amounts of a limit that apply to its type; reports those that it cannot have. */
function amountsOf(limit: Limit, at: string, errors: FieldErrors, ctx: ApiContext): Amounts {
  const amountsThere: Amounts = {};
  for (const member of MEMBERS) {
    const amount = limit[member];
    if (!amount) continue;
    if (limit.type === "Pod" && member.startsWith("default")) {
      if (Object.keys(amount).length > 0) errors.forbidden(`${at}.${member}`, "expected none: a Pod has no default");
      continue;
    }
    for (const name in amount) {
      const field = `${at}.${member}[${name}]`;
      if (limit.type === "Pod" || limit.type === "Container") {
        checkContainerResourceName(field, name, errors, ctx.dialect);
      } else checkResourceName(field, name, errors);
    }
    amountsThere[member] = amount;
  }
  return amountsThere;
}

/** Pairs of which the first is at most the second, and the member at which a fault is reported. */
const ORDERED = [
  ["min", "max", "min"],
  ["min", "defaultRequest", "defaultRequest"],
  ["defaultRequest", "max", "defaultRequest"],
  ["defaultRequest", "default", "defaultRequest"],
  ["min", "default", "default"],
  ["default", "max", "default"],
] as const;

function checkOrder(name: string, there: Amounts, at: string, errors: FieldErrors): void {
  for (const [less, more, told] of ORDERED) {
    const [least, most] = [there[less]?.[name], there[more]?.[name]];
    if (least === undefined || most === undefined || compareQuantities(least, most) <= 0) continue;
    errors.invalid(
      `${at}.${told}[${name}]`,
      there[told]?.[name],
      `expected ${less} ${least} to be at most ${more} ${most}`,
    );
  }
}

function checkRatio(name: string, { maxLimitRequestRatio, min, max }: Amounts, at: string, errors: FieldErrors): void {
  const ratio = maxLimitRequestRatio?.[name];
  if (ratio === undefined) return;
  const field = `${at}.maxLimitRequestRatio[${name}]`;
  if (compareQuantities(ratio, "1") < 0) errors.invalid(field, ratio, "expected at least 1");
  const [least, most] = [min?.[name], max?.[name]];
  if (least === undefined || most === undefined) return;
  if (compareQuantities(multiplyQuantities(ratio, least), most) > 0) {
    errors.invalid(field, ratio, `expected at most max/min, ${most}/${least}`);
  }
}

function checkLimit(limit: Limit, at: string, errors: FieldErrors, ctx: ApiContext): void {
  checkType(limit.type, `${at}.type`, errors);
  const there = amountsOf(limit, at, errors, ctx);
  if (limit.type === "PersistentVolumeClaim" && (limit.min?.["storage"] ?? limit.max?.["storage"]) === undefined) {
    errors.required(`${at}.limits`, "expected min or max of storage");
  }
  for (const name of new Set(Object.values(there).flatMap((amount) => Object.keys(amount)))) {
    checkOrder(name, there, at, errors);
    checkRatio(name, there, at, errors);
    const [limited, requested] = [there.default?.[name], there.defaultRequest?.[name]];
    if (limited === undefined || requested === undefined || isOvercommitted(name, ctx.dialect)) continue;
    if (compareQuantities(limited, requested) === 0) continue;
    errors.invalid(`${at}.defaultRequest[${name}]`, requested, `expected just the default, ${limited}`);
  }
}

function validate(object: LimitRange, errors: FieldErrors, ctx: ApiContext): void {
  const types = new Set<string>();
  for (const [i, limit] of limitsOf(object).entries()) {
    const at = `spec.limits[${i}]`;
    checkLimit(limit, at, errors, ctx);
    if (types.has(limit.type)) errors.duplicate(`${at}.type`, limit.type);
    types.add(limit.type);
  }
}

const columns: readonly Column<LimitRange>[] = [
  {
    name: "Created At",
    type: "date",
    description: "When it was created.",
    cell: ({ metadata }) => metadata.creationTimestamp ?? null,
  },
];

/** The definition of LimitRange. */
export const limitRange = defineResource(schema, {
  group: "",
  version: "v1",
  kind: "LimitRange",
  plural: "limitranges",
  shortNames: ["limits"],
  scope: "Namespaced",
  createOnUpdate: true,
  defaults(object) {
    for (const limit of limitsOf(object)) {
      setDefaults(limit);
      for (const member of MEMBERS) roundResources(limit[member]);
    }
  },
  validate,
  validateUpdate: (object, _old, errors, ctx) => validate(object, errors, ctx),
  columns,
});
