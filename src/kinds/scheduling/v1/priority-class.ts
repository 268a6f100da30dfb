/**
 * PriorityClass: the priority of Pods that name it (KIND-PriorityClass-1..4). Admission copies its number to Pods.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, numberColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { Column, DefinitionFactory } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";

const description = "A priority of Pods, by the name of the class.";

/** The preemption policy of a class, and of a Pod. */
const POLICIES = ["Never", "PreemptLowerPriority"];

const schema = objectSchema(description, {
  value: t.required(t.int32("The priority of its Pods: the greater, the more important.")),
  globalDefault: t.optional(t.bool("Whether Pods that name no class have this one.")),
  description: t.optional(t.text("When to use it.")),
  preemptionPolicy: t.pointer(
    t.text("Whether its Pods preempt Pods of lower priority: PreemptLowerPriority, or Never.", {
      default: "PreemptLowerPriority",
    }),
  ),
});

/** A PriorityClass. */
export type PriorityClass = ObjectOf<typeof schema>;

const HIGHEST = 1_000_000_000;
const RESERVED = "system-";

/** The classes of the start; no other name may begin with their prefix. */
export const SYSTEM_PRIORITIES: Readonly<Record<string, { readonly value: number; readonly description: string }>> = {
  "system-node-critical": {
    value: 2 * HIGHEST + 1000,
    description: "For Pods without which their node does not work: they stay where they are.",
  },
  "system-cluster-critical": {
    value: 2 * HIGHEST,
    description: "For Pods without which the cluster does not work, and that may move to another node.",
  },
};

function validateNew(object: PriorityClass, errors: FieldErrors): void {
  const { metadata, value, preemptionPolicy, globalDefault } = object;
  const { name = "" } = metadata;
  if (name.startsWith(RESERVED)) {
    const system = SYSTEM_PRIORITIES[name];
    if (system?.value !== value || globalDefault === true) {
      const names = Object.keys(SYSTEM_PRIORITIES).join(" and ");
      errors.forbidden("metadata.name", `expected a name that does not begin with ${RESERVED}: ${names} are reserved`);
    }
  } else if (value > HIGHEST) errors.forbidden("value", `expected at most ${HIGHEST}, what is above is reserved`);
  if (preemptionPolicy === "") errors.required("preemptionPolicy");
  else if (preemptionPolicy !== undefined && !POLICIES.includes(preemptionPolicy)) {
    errors.notSupported("preemptionPolicy", preemptionPolicy, POLICIES);
  }
}

function validateUpdate(object: PriorityClass, old: PriorityClass, errors: FieldErrors): void {
  const [now, before] = [object, old];
  if (now.value !== before.value) errors.forbidden("value", "expected it as it was: Pods have got it already");
  if (now.preemptionPolicy !== before.preemptionPolicy) {
    errors.invalid("preemptionPolicy", now.preemptionPolicy, "expected it as it was: Pods have got it already");
  }
}

const columns: readonly Column<PriorityClass>[] = [
  numberColumn("Value", "The priority of its Pods.", (object) => object.value),
  {
    name: "Global-Default",
    type: "boolean",
    description: "Whether Pods that name no class have this one.",
    cell: (object) => object.globalDefault ?? false,
  },
  ageColumn,
  textColumn(
    "PreemptionPolicy",
    "Whether its Pods preempt Pods of lower priority.",
    (object) => object.preemptionPolicy ?? "",
  ),
];

/** The scheduling group: one kind. */
export const schedulingGroup: DefinitionFactory = () => [
  defineResource(schema, {
    group: "scheduling.k8s.io",
    version: "v1",
    kind: "PriorityClass",
    plural: "priorityclasses",
    shortNames: ["pc"],
    scope: "Cluster",
    generation: "fromOne",
    validate: validateNew,
    validateUpdate,
    columns,
  }),
];
