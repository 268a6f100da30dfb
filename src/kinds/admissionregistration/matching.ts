/**
 * The requests that a webhook or a policy matches: rules, selectors and match conditions (HOOK-1, HOOK-2, POL-A-1, POL-A-7).
 *
 * @module
 */
import * as t from "../../meta/types.ts";
import { LabelSelector } from "../../schema/validation/label-selector.ts";

const ruleMembers = {
  operations: t.optional(
    t.atomicList(t.text(), "The operations: CREATE, UPDATE, DELETE and CONNECT, or * alone for all of them."),
  ),
  apiGroups: t.optional(
    t.atomicList(t.text(), "The API groups, empty for the core group, or * alone for all of them."),
  ),
  apiVersions: t.optional(t.atomicList(t.text(), "The API versions, or * alone for all of them.")),
  resources: t.optional(
    t.atomicList(
      t.text(),
      "The resources: `pods` is the resource alone, `pods/log` one subresource, `pods/*` the resource and all of its subresources, `*` all resources, `*/scale` the subresource of all resources, `*/*` everything.",
    ),
  ),
  scope: t.pointer(t.text("Cluster, Namespaced, or * for both; * by default. A Namespace is cluster-scoped.")),
};

/** The schema of a rule: operations on resources. */
export const RuleWithOperations = t.struct("Operations on resources.", ruleMembers);

const NamedRule = t.struct(
  "Operations on resources, or on the objects of some names.",
  {
    resourceNames: t.optional(t.atomicList(t.text(), "The names of the objects; all of them without names.")),
    ...ruleMembers,
  },
  { atomic: true },
);

const selectorMembers = {
  namespaceSelector: t.pointer({
    ...LabelSelector,
    description:
      "Selects namespaces: it matches requests for objects in such a namespace, and for such a Namespace. Other cluster-scoped objects always match. Everything by default.",
  }),
  objectSelector: t.pointer({
    ...LabelSelector,
    description: "Selects objects by their labels: the old or the new state must match. Everything by default.",
  }),
};

const matchPolicy = t.pointer(
  t.text(
    "Exact: requests in the versions of the rules alone. Equivalent: requests for the same objects in other versions and groups as well, which is the default.",
  ),
);

/** The members of a webhook that select its requests. */
export const webhookMatching = {
  rules: t.optional(
    t.atomicList(RuleWithOperations, "The requests of the webhook: those that one of the rules matches."),
  ),
  matchPolicy,
  ...selectorMembers,
};

/** The schema of the requests of a policy or a binding. */
export const MatchResources = t.struct(
  "The requests that a policy or a binding is about.",
  {
    ...selectorMembers,
    resourceRules: t.optional(
      t.atomicList(NamedRule, "The operations on resources; a request has to match one of the rules."),
    ),
    excludeResourceRules: t.optional(
      t.atomicList(NamedRule, "Operations on resources that are left out, also where a rule of resourceRules matches."),
    ),
    matchPolicy,
  },
  { atomic: true },
);

const MatchCondition = t.struct("A condition on a request.", {
  name: t.required(t.text("The name of the condition: a qualified name, unique in the list.")),
  expression: t.required(
    t.text(
      "The expression in CEL, of type bool, over object, oldObject, request and authorizer; params where a policy has them.",
    ),
  ),
});

/** The schema of match conditions. */
export const matchConditions = t.optional(
  t.keyedList(
    MatchCondition,
    ["name"],
    "Conditions on a request that rules and selectors match: all of them must be true; at most 64.",
  ),
);

/** A rule in wire form. */
export type RuleValue = t.Static<typeof NamedRule>;

/** The requests of a policy or a binding in wire form. */
export type MatchResourcesValue = t.Static<typeof MatchResources>;

/** A match condition in wire form. */
export type MatchConditionValue = t.Static<typeof MatchCondition>;

/** The members that both a webhook and the requests of a policy have. */
type Selection = Pick<MatchResourcesValue, "matchPolicy" | "namespaceSelector" | "objectSelector">;

/** Sets the defaults of the members that select requests. Changes `selection` and `rules`. */
export function defaultSelection(selection: Selection, rules: readonly RuleValue[]): void {
  selection.matchPolicy ??= "Equivalent";
  selection.namespaceSelector ??= {};
  selection.objectSelector ??= {};
  for (const rule of rules) rule.scope ??= "*";
}

/** Sets the defaults of the requests of a policy or a binding. Changes `resources`. */
export function defaultMatchResources(resources: MatchResourcesValue | undefined): void {
  if (!resources) return;
  const { resourceRules = [], excludeResourceRules = [] } = resources;
  defaultSelection(resources, [...resourceRules, ...excludeResourceRules]);
}
