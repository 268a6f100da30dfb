/**
 * The rules of roles: verbs on resources, or on paths. A rule grants every combination of its values, and denies nothing; `auth/rbac/`
 * evaluates it.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";

const texts = (description: string): ReturnType<typeof t.atomicList<ReturnType<typeof t.text>>> =>
  t.atomicList(t.text("One of them."), description);

/** The schema of one rule (RBAC-16). */
export const PolicyRule = t.struct("Verbs that are permitted on resources, or on paths.", {
  verbs: t.requiredOrNull(texts("The permitted verbs, or '*' for all.")),
  apiGroups: t.optional(texts("The API groups of the objects: '' is the core group, '*' is all.")),
  resources: t.optional(
    texts("The resources: 'pods', 'pods/log' for a subresource, '*/scale' for that of all, '*' for everything."),
  ),
  resourceNames: t.optional(texts("The names that the objects must have; any name, and none, where this is empty.")),
  nonResourceURLs: t.optional(
    texts("Paths that are no objects: '/healthz', or '/healthz/*' for all that begins so. In a ClusterRole only."),
  ),
});

/** One rule of a role. */
export type PolicyRuleValue = t.Static<typeof PolicyRule>;

const isEmpty = (list: readonly string[] | null | undefined): boolean => (list?.length ?? 0) === 0;

/**
 * Reports the faults of the rules of a role (RBAC-17): each has verbs, and either resources or paths. The content of the texts is not
 * validated.
 *
 * @param paths whether the role may have non-resource URLs
 */
export function validateRules(
  { rules }: { readonly rules?: readonly PolicyRuleValue[] | null },
  paths: boolean,
  errors: FieldErrors,
): void {
  rules?.forEach((rule, i) => validateRule(rule, paths, `rules[${i}]`, errors));
}

function validateRule(rule: PolicyRuleValue, paths: boolean, field: string, errors: FieldErrors): void {
  if (isEmpty(rule.verbs)) errors.required(`${field}.verbs`, "expected at least one verb, got none");
  if (!isEmpty(rule.nonResourceURLs)) return validatePaths(rule, paths, `${field}.nonResourceURLs`, errors);
  if (isEmpty(rule.apiGroups)) errors.required(`${field}.apiGroups`, "expected at least one group, got none");
  if (isEmpty(rule.resources)) errors.required(`${field}.resources`, "expected at least one resource, got none");
}

function validatePaths(rule: PolicyRuleValue, paths: boolean, field: string, errors: FieldErrors): void {
  const { nonResourceURLs, apiGroups, resources, resourceNames } = rule;
  if (!paths) errors.invalid(field, nonResourceURLs, "expected no paths in a role of a namespace");
  if (![apiGroups, resources, resourceNames].every(isEmpty)) {
    errors.invalid(field, nonResourceURLs, "expected no paths together with groups, resources and names");
  }
}
