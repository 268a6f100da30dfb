/**
 * Gathers the rules of ClusterRoles into those that ask for them (RBAC-56): `edit` has what all roles with the label
 * `rbac.authorization.k8s.io/aggregate-to-edit: "true"` have. What somebody writes into a role that gathers is overwritten.
 *
 * @module
 */
import type { Key } from "../client/index.ts";
import { ClusterRole } from "../client/kinds/index.ts";
import { type Controller, type GetInformer, defineController, sharedInformer, watches } from "../runtime/index.ts";
import { selectorOf } from "./label-selector.ts";

type Rule = NonNullable<ClusterRole["rules"]>[number];

const GATHERS = "gathers";

const selectorsOf = ({ aggregationRule }: ClusterRole) => aggregationRule?.clusterRoleSelectors ?? [];

const roles = sharedInformer(ClusterRole, {
  indexes: { gathers: (role: ClusterRole) => (role.aggregationRule ? [GATHERS] : []) },
});

/** The controller named `clusterrole-aggregation-controller`, which is also the manager of what it writes. */
export const roleAggregation: Controller = defineController({
  name: "clusterrole-aggregation-controller",
  for: roles,
  predicate: ({ object }) => object.aggregationRule !== undefined,
  sources: [watches(roles, rolesThatGather)],
  async reconcile({ object: role, informer, apply }) {
    if (!role.aggregationRule) return;
    const rules = gathered(role, informer(roles).list());
    if (textOf(rules) === textOf(role.rules ?? [])) return;
    await apply(ClusterRole, { metadata: { name: role.metadata.name }, rules });
  },
});

/** The roles that gather the rules of another one. */
function rolesThatGather({ metadata }: ClusterRole, informer: GetInformer): Key<"Cluster">[] {
  return informer(roles)
    .by("gathers", GATHERS)
    .filter((role) => selectorsOf(role).some((selector) => selectorOf(selector).matches(metadata.labels)))
    .map((role) => ({ name: role.metadata.name }));
}

/** The rules of all others that a role selects: selector by selector, by name, equal ones once. */
function gathered(role: ClusterRole, all: readonly ClusterRole[]): readonly Rule[] {
  const others = all.filter(({ metadata }) => metadata.name !== role.metadata.name).toSorted(byName);
  const found = new Map<string, Rule>();
  for (const selector of selectorsOf(role)) {
    const selected = selectorOf(selector);
    for (const { metadata, rules } of others) {
      if (!selected.matches(metadata.labels)) continue;
      for (const rule of rules ?? []) if (!found.has(ruleText(rule))) found.set(ruleText(rule), rule);
    }
  }
  return [...found.values()];
}

const byName = (a: ClusterRole, b: ClusterRole): number => (a.metadata.name < b.metadata.name ? -1 : 1);

/** The same text for equal rules, whatever the order of their members; an empty list is none. */
const ruleText = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): string =>
  JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs].map((list) => list ?? []));

const textOf = (rules: readonly Rule[]): string => rules.map(ruleText).join("\n");
