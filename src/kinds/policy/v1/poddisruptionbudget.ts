/**
 * PodDisruptionBudget: how many Pods of a selection may be missing (KIND-PodDisruptionBudget-1..6). A controller counts them; an eviction
 * reads the result, see `actions/eviction.ts`.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { pathSegmentName } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, numberColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { Column } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { LabelSelector, validateLabelSelector } from "../../../schema/validation/label-selector.ts";
import { Condition, validateConditions } from "../../rules/condition.ts";
import { type Share, validateAtMostAll, validateNotNegative, validateShare } from "../../rules/counts.ts";
import { keepStatus, statusPath } from "../../rules/status.ts";

const Status = t.struct("The counts of the Pods, by the disruption controller.", {
  observedGeneration: t.optional(
    t.int64("The generation that was counted by; an eviction waits for that of the present spec."),
  ),
  disruptedPods: t.optional(
    t.map(t.time(), "Pods whose eviction was granted, and when; each counts as missing until it is seen to be."),
  ),
  disruptionsAllowed: t.required(t.int32("How many Pods may be evicted now.")),
  currentHealthy: t.required(t.int32("How many Pods are healthy.")),
  desiredHealthy: t.required(t.int32("How many Pods must be healthy.")),
  expectedPods: t.required(t.int32("How many Pods there are to be.")),
  conditions: t.optional(t.keyedList(Condition, ["type"], "The conditions of the budget, such as DisruptionAllowed.")),
});

const schema = objectSchema("How many Pods of a selection may be missing at a time because of evictions.", {
  spec: t.always(
    t.struct("Which Pods, and how many of them.", {
      minAvailable: t.pointer(t.intOrString("How many Pods must be healthy, as a number or a percentage.")),
      selector: t.pointer(t.patchedBy("replace", LabelSelector)),
      maxUnavailable: t.pointer(t.intOrString("How many Pods may be missing, as a number or a percentage.")),
      unhealthyPodEvictionPolicy: t.pointer(
        t.text("Whether Pods that are not Ready may be evicted: IfHealthyBudget (the default), or AlwaysAllow."),
      ),
    }),
  ),
  status: t.always(Status),
});

/** A PodDisruptionBudget in the view of its rules. */
export type PodDisruptionBudget = ObjectOf<typeof schema>;

const POLICIES = ["AlwaysAllow", "IfHealthyBudget"];

function validate(object: PodDisruptionBudget, errors: FieldErrors): void {
  const { spec } = object;
  const { selector, unhealthyPodEvictionPolicy: policy } = spec;
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    errors.invalid("spec", spec, "expected only one of minAvailable and maxUnavailable");
  }
  for (const member of ["minAvailable", "maxUnavailable"] as const) {
    validateShare(spec[member], `spec.${member}`, errors);
    validateAtMostAll(spec[member], `spec.${member}`, errors);
  }
  if (selector) validateLabelSelector(selector, "spec.selector", errors);
  if (policy !== undefined && !POLICIES.includes(policy)) {
    errors.notSupported("spec.unhealthyPodEvictionPolicy", policy, POLICIES);
  }
}

const COUNTS = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const;

function validateStatus(object: PodDisruptionBudget, errors: FieldErrors): void {
  const { status } = object;
  validateConditions(status.conditions ?? [], "status.conditions", errors);
  validateNotNegative(status, COUNTS, "status", errors);
}

/** A number or percentage as a table shows it. */
const shown = (share: Share | undefined): string => (share === undefined ? "N/A" : String(share));

const columns: readonly Column<PodDisruptionBudget>[] = [
  textColumn("Min Available", "How many Pods must be healthy.", (object) => shown(object.spec?.minAvailable)),
  textColumn("Max Unavailable", "How many Pods may be missing.", (object) => shown(object.spec?.maxUnavailable)),
  numberColumn(
    "Allowed Disruptions",
    "How many Pods may be evicted now.",
    (object) => object.status?.disruptionsAllowed,
  ),
  ageColumn,
];

/** The definition of PodDisruptionBudget. */
export const podDisruptionBudget = defineResource(schema, {
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  shortNames: ["pdb"],
  scope: "Namespaced",
  bareFinalizers: true,
  nameRule: pathSegmentName,
  metadataLast: true,
  versionedUpdate: true,
  generation: "fromOne",
  resetFields: ["status"],
  prepareForCreate(object) {
    object.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  },
  prepareForUpdate: keepStatus,
  validate,
  validateUpdate: (object, _old, errors) => validate(object, errors),
  subresources: {
    status: statusPath({
      uncounted: true,
      validateUpdate: (object, _old, errors) => validateStatus(object, errors),
    }),
  },
  columns,
});
