/**
 * Gathers the rules of ClusterRoles into those that ask for them (RBAC-56): `edit` has what all roles with the label
 * `rbac.authorization.k8s.io/aggregate-to-edit: "true"` have. What somebody writes into a role that aggregates is overwritten.
 *
 * @module
 */
import type { Key } from "../../client/index.ts";
import { ClusterRole } from "../../client/kinds/index.ts";
import { type Controller, type GetInformer, defineController, sharedInformer, watches } from "../../runtime/index.ts";
import { type Steps, inTurns } from "../../util/steps.ts";
import { TurnLimit } from "../../util/turn-limit.ts";
import { selectorOf } from "../../meta/label-selector.ts";

type Rule = NonNullable<ClusterRole["rules"]>[number];

const AGGREGATES = "aggregates";

const roles = sharedInformer(ClusterRole, {
  indexes: { aggregates: (role: ClusterRole) => (role.aggregationRule ? [AGGREGATES] : []) },
});

/** The controller named `clusterrole-aggregation-controller`, which is also the manager of what it writes. */
export const roleAggregation: Controller = defineController({
  name: "clusterrole-aggregation-controller",
  for: roles,
  predicate: ({ object }) => object.aggregationRule !== undefined,
  sources: [watches(roles, aggregatingRoles)],
  async reconcile({ object: role, informer, apply }) {
    if (!role.aggregationRule) return;
    const rules = await inTurns(aggregatedRules(role, informer(roles).list()), new TurnLimit());
    if (rules) await apply(ClusterRole, { metadata: { name: role.metadata.name }, rules });
  },
});

/** All roles that gather: which of them selected the changed role before, or do now, is found out in turns. */
function aggregatingRoles(_changed: ClusterRole, informer: GetInformer): Key<"Cluster">[] {
  const gathering = informer(roles).by("aggregates", AGGREGATES);
  return gathering.map(({ metadata }) => ({ name: metadata.name }));
}

/** The rules of all others that a role selects: selector by selector, by name, equal ones once; nothing if it has them. */
function* aggregatedRules(role: ClusterRole, all: readonly ClusterRole[]): Steps<readonly Rule[] | undefined> {
  const others = new Set(all.filter(({ metadata }) => metadata.name !== role.metadata.name).toSorted(byName));
  const found = new Map<string, Rule>();
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    yield;
    const selected = selectorOf(selector);
    for (const other of others) {
      if (!selected.matches(other.metadata.labels)) continue;
      // A role gives its rules once, however many selectors find it.
      others.delete(other);
      for (const rule of other.rules ?? []) {
        yield;
        const text = ruleText(rule);
        if (!found.has(text)) found.set(text, rule);
      }
    }
  }
  const isSame = yield* haveTexts(role.rules ?? [], found.keys());
  return isSame ? undefined : [...found.values()];
}

/** Whether rules have these texts, in their order. */
function* haveTexts(rules: readonly Rule[], texts: Iterator<string>): Steps<boolean> {
  for (const rule of rules) {
    yield;
    if (ruleText(rule) !== texts.next().value) return false;
  }
  return texts.next().done === true;
}

const byName = (a: ClusterRole, b: ClusterRole): number => (a.metadata.name < b.metadata.name ? -1 : 1);

/** The same text for equal rules, whatever the order of their members; an empty list is none. */
const ruleText = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): string =>
  JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs].map((list) => list ?? []));
