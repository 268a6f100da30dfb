/**
 * How much is written of a request: the rules of a policy as a function (AUDIT-2..8).
 *
 * @module
 */
import type { Identity } from "../auth/contract.ts";
import type { RequestInfo } from "../meta/request-info.ts";
import type { Level, Policy, PolicyResources, PolicyRule, Stage } from "./policy.ts";

/** What is written of a request. */
export interface Verdict {
  readonly level: Level;
  readonly omitStages: ReadonlySet<Stage>;
  /** Whether objects lose `metadata.managedFields` (AUDIT-8). */
  readonly omitManagedFields: boolean;
}

/** Judges a request; `sender` is undefined where nobody is known to ask. */
export type Rules = (info: RequestInfo, sender: Identity | undefined) => Verdict;

/** A rule as it is asked; what is undefined asks nothing. */
interface CompiledRule {
  readonly verdict: Verdict;
  readonly verbs: ReadonlySet<string> | undefined;
  readonly users: ReadonlySet<string> | undefined;
  readonly groups: ReadonlySet<string> | undefined;
  /** Whether it is for objects alone, for paths alone, or for all. */
  readonly isFor: "objects" | "paths" | "all";
  readonly namespaces: ReadonlySet<string> | undefined;
  readonly resources: ReadonlyMap<string, readonly ResourceTest[]> | undefined;
  readonly paths: PathTest | undefined;
}

/** Makes the function of a policy. It looks at the rules in their order: a rule costs some nanoseconds. */
export function compileRules(policy: Policy): Rules {
  const compiled = policy.rules.map((rule) => compiledRule(rule, verdictOf(policy, rule)));
  const nothing = verdictOf(policy, { level: "None", omitStages: [], omitManagedFields: undefined });
  return (info, sender) => {
    for (const rule of compiled) if (fits(rule, info, sender)) return rule.verdict;
    return nothing;
  };
}

function compiledRule(rule: PolicyRule, verdict: Verdict): CompiledRule {
  const { resources, namespaces, nonResourceURLs } = rule;
  const isForObjects = resources.length > 0 || namespaces.length > 0;
  return {
    verdict,
    verbs: setOf(rule.verbs),
    users: setOf(rule.users),
    groups: setOf(rule.userGroups),
    isFor: isForObjects ? "objects" : nonResourceURLs.length > 0 ? "paths" : "all",
    namespaces: setOf(namespaces),
    resources: resources.length > 0 ? byGroup(resources) : undefined,
    paths: isForObjects || nonResourceURLs.length === 0 ? undefined : pathTest(nonResourceURLs),
  };
}

const setOf = (names: readonly string[]): ReadonlySet<string> | undefined =>
  names.length === 0 ? undefined : new Set(names);

/** Whether a rule fits; what is cheap and fails often is asked first. */
function fits(rule: CompiledRule, info: RequestInfo, sender: Identity | undefined): boolean {
  const { verbs, users, groups, isFor, namespaces, resources, paths } = rule;
  if (isFor !== "all" && (isFor === "objects") !== info.isResource) return false;
  if (verbs && !verbs.has(info.verb)) return false;
  if (users && !(sender && users.has(sender.user))) return false;
  if (namespaces && !namespaces.has(info.namespace)) return false;
  if (resources && !isAny(resources, info)) return false;
  if (paths && !isPath(paths, info.path)) return false;
  return !groups || (sender !== undefined && sender.groups.some((group) => groups.has(group)));
}

const verdictOf = (policy: Policy, rule: Pick<PolicyRule, "level" | "omitStages" | "omitManagedFields">): Verdict => ({
  level: rule.level,
  omitStages: new Set([...policy.omitStages, ...rule.omitStages]),
  omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields,
});

/** Paths as they are, or all that begin with what stands before a star (AUDIT-7). */
interface PathTest {
  readonly exact: ReadonlySet<string>;
  readonly beginnings: readonly string[];
}

const pathTest = (urls: readonly string[]): PathTest => ({
  exact: new Set(urls),
  beginnings: urls.filter((url) => url.endsWith("*")).map((url) => url.slice(0, -1)),
});

const isPath = ({ exact, beginnings }: PathTest, path: string): boolean =>
  exact.has(path) || beginnings.some((beginning) => path.startsWith(beginning));

/** One entry for resources of a group. */
interface ResourceTest {
  /** `pods`, `pods/log`; undefined for all of the group. */
  readonly exact: ReadonlySet<string> | undefined;
  /** `pods` of `pods/*`. */
  readonly withAllBelow: ReadonlySet<string>;
  /** `status` of `*``/status`. */
  readonly belowAll: ReadonlySet<string>;
  /** Undefined for any name. */
  readonly names: ReadonlySet<string> | undefined;
}

function byGroup(entries: readonly PolicyResources[]): ReadonlyMap<string, readonly ResourceTest[]> {
  const tests = new Map<string, ResourceTest[]>();
  for (const entry of entries) tests.set(entry.group, [...(tests.get(entry.group) ?? []), testOf(entry)]);
  return tests;
}

function isAny(resources: ReadonlyMap<string, readonly ResourceTest[]>, info: RequestInfo): boolean {
  const tests = resources.get(info.group);
  return tests !== undefined && tests.some((test) => isMeant(test, info));
}

function testOf({ resources, resourceNames }: PolicyResources): ResourceTest {
  const all = resources.length === 0 || resources.includes("*");
  return {
    exact: all ? undefined : new Set(resources),
    withAllBelow: new Set(resources.filter((one) => one.endsWith("/*")).map((one) => one.slice(0, -2))),
    belowAll: new Set(resources.filter((one) => one.startsWith("*/")).map((one) => one.slice(2))),
    names: resourceNames.length === 0 ? undefined : new Set(resourceNames),
  };
}

function isMeant({ exact, withAllBelow, belowAll, names }: ResourceTest, info: RequestInfo): boolean {
  if (names && !names.has(info.name)) return false;
  if (!exact) return true;
  const { resource, subresource } = info;
  if (withAllBelow.has(resource)) return true;
  if (subresource === "") return exact.has(resource);
  return exact.has(`${resource}/${subresource}`) || belowAll.has(subresource);
}
