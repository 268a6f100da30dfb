/**
 * Aggregates the rules of ClusterRoles (RBAC-56): `edit` has the rules of all roles with the label
 * `rbac.authorization.k8s.io/aggregate-to-edit: "true"`. Rules that a user writes into an aggregated role are
 * overwritten.
 */
import type { Key } from "../../client/index.ts";
import { ClusterRole } from "../../client/kinds/index.ts";
import { type Controller, type GetInformer, defineController, sharedInformer, watches } from "../../runtime/index.ts";
import { type Steps, inSlices } from "../../util/steps.ts";
import { selectorOf } from "../../meta/label-selector.ts";

type Rule = NonNullable<ClusterRole["rules"]>[number];

const AGGREGATES = "aggregates";

const roles = sharedInformer(ClusterRole, {
  indexes: { aggregates: (role: ClusterRole) => (role.aggregationRule ? [AGGREGATES] : []) },
});

/** The controller named `clusterrole-aggregation-controller`, which is also its field manager. */
export const roleAggregation: Controller = defineController({
  name: "clusterrole-aggregation-controller",
  for: roles,
  predicate: ({ object }) => object.aggregationRule !== undefined,
  sources: [watches(roles, aggregatingRoles)],
  async reconcile({ object: role, clock, informer, apply }) {
    if (!role.aggregationRule) return;
    const rules = await inSlices(aggregatedRules(role, informer(roles).list()), clock.loop.slice());
    if (rules) await apply(ClusterRole, { metadata: { name: role.metadata.name }, rules });
  },
});

/** All aggregating roles: which of them select the changed role is found out in their reconcile. */
function aggregatingRoles(_changed: ClusterRole, informer: GetInformer): Key<"Cluster">[] {
  const gathering = informer(roles).by("aggregates", AGGREGATES);
  return gathering.map(({ metadata }) => ({ name: metadata.name }));
}

/**
 * Collects the rules of the selected roles by selector and name, without duplicates; undefined where the role has them.
 */
function* aggregatedRules(role: ClusterRole, all: readonly ClusterRole[]): Steps<readonly Rule[] | undefined> {
  const others = new Set(all.filter(({ metadata }) => metadata.name !== role.metadata.name).toSorted(byName));
  const found = new Map<string, Rule>();
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    yield;
    const selected = selectorOf(selector);
    for (const other of others) {
      if (!selected.matches(other.metadata.labels)) continue;
      // A role counts once, however many selectors match it.
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

function* haveTexts(rules: readonly Rule[], texts: Iterator<string>): Steps<boolean> {
  for (const rule of rules) {
    yield;
    if (ruleText(rule) !== texts.next().value) return false;
  }
  return texts.next().done === true;
}

const byName = (a: ClusterRole, b: ClusterRole): number => (a.metadata.name < b.metadata.name ? -1 : 1);

/** Equal text for equal rules; an empty list equals a missing one. */
const ruleText = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): string =>
  JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs].map((list) => list ?? []));
