import type { PathRule, ResourceRule, Rights } from "../contract.ts";
import { type RoleCell, missingRoles } from "./role-cells.ts";
import type { RuleForm } from "./rule.ts";

/** All that roles give, as they say it (RBAC-53). */
export function rightsBy(cells: readonly RoleCell[]): Rights {
  const rules = cells.flatMap(({ role }) => role?.forms ?? []);
  const error = missingRoles(cells);
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
