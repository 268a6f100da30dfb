/**
 * ClusterRole: rights in the whole cluster where a ClusterRoleBinding grants it, and in one namespace where a RoleBinding does
 * (RBAC-14..18).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { pathSegmentName } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import {
  LabelSelector,
  type LabelSelectorValue,
  validateLabelSelector,
} from "../../../schema/validation/label-selector.ts";
import { RBAC_GROUP } from "./group.ts";
import { PolicyRule, validateRules } from "./rule.ts";

const AggregationRule = t.struct("Selects the roles whose rules are aggregated.", {
  clusterRoleSelectors: t.optional(
    t.atomicList(LabelSelector, "Which ClusterRoles give their rules: each that one of the selectors finds."),
  ),
});

/** A ClusterRole in the view of its rules. */
export type ClusterRoleObject = ObjectOf<typeof schema>;

function validate(object: ClusterRoleObject, errors: FieldErrors): void {
  validateRules(object, true, errors);
  const { aggregationRule } = object;
  if (!aggregationRule) return;
  const { clusterRoleSelectors = [] } = aggregationRule;
  const field = "aggregationRule.clusterRoleSelectors";
  if (clusterRoleSelectors.length === 0) errors.required(field, "expected at least one selector, got none");
  clusterRoleSelectors.forEach((selector, i) => validateSelector(selector, `${field}[${i}]`, errors));
}

/** Reports the faults of a selector, and once that the selector is invalid (RBAC-18). */
function validateSelector(selector: LabelSelectorValue, field: string, errors: FieldErrors): void {
  const before = errors.causes.length;
  validateLabelSelector(selector, field, errors);
  if (errors.causes.length > before) errors.invalid(field, selector, "expected a label selector");
}

const schema = objectSchema(
  "Rights to objects of all namespaces, of the cluster and to paths, for the users of its ClusterRoleBindings. A RoleBinding gives only the rights to the objects of its namespace.",
  {
    rules: t.nullable(t.atomicList(PolicyRule, "The rules; rights of all rules add up, and no rule denies anything.")),
    aggregationRule: t.pointer(AggregationRule),
  },
);

/** The definition of ClusterRole. */
export const clusterRole = defineResource(schema, {
  group: RBAC_GROUP,
  version: "v1",
  kind: "ClusterRole",
  plural: "clusterroles",
  scope: "Cluster",
  createOnUpdate: true,
  nameRule: pathSegmentName,
  validate,
  validateUpdate: (object, _old, errors) => validate(object, errors),
});
