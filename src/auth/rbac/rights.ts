import type { PathRule, ResourceRule, Rights } from "../contract.ts";
import { type CachedRole, missingRoles } from "./role-cache.ts";
import type { RuleForm } from "./rule.ts";

/** The rights of roles, rule by rule (RBAC-53). */
export function rightsBy(roles: readonly CachedRole[]): Rights {
  const rules = roles.flatMap(({ role }) => role?.forms ?? []);
  const error = missingRoles(roles);
  return {
    resourceRules: rules.filter(({ resources }) => resources?.length).map(resourceRule),
    pathRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs?.length).map(pathRule),
    incomplete: false,
    ...(error === "" ? {} : { error }),
  };
}

const resourceRule = ({ verbs, apiGroups, resources, resourceNames }: RuleForm): ResourceRule => ({
  verbs: verbs ?? [],
  ...(apiGroups?.length ? { apiGroups } : {}),
  ...(resources?.length ? { resources } : {}),
  ...(resourceNames?.length ? { resourceNames } : {}),
});

const pathRule = ({ verbs, nonResourceURLs }: RuleForm): PathRule => ({
  verbs: verbs ?? [],
  ...(nonResourceURLs?.length ? { nonResourceURLs } : {}),
});
