/**
 * Compiles a policy to a function that decides how a request is audited (AUDIT-2..8).
 *
 * @module
 */
import type { Identity } from "../auth/contract.ts";
import type { RequestInfo } from "../meta/request-info.ts";
import type { Level, Policy, PolicyResources, PolicyRule, Stage } from "./policy.ts";

/** How a request is audited. */
export interface RequestAuditConfig {
  readonly level: Level;
  readonly omitStages: ReadonlySet<Stage>;
  /** Whether objects are logged without `metadata.managedFields` (AUDIT-8). */
  readonly omitManagedFields: boolean;
}

/** Decides how a request is audited; `user` is undefined where it is not known. */
export type PolicyRuleEvaluator = (info: RequestInfo, user: Identity | undefined) => RequestAuditConfig;

/** A compiled rule; an undefined condition matches every request. */
interface CompiledRule {
  readonly config: RequestAuditConfig;
  readonly verbs: ReadonlySet<string> | undefined;
  readonly users: ReadonlySet<string> | undefined;
  readonly groups: ReadonlySet<string> | undefined;
  readonly isFor: "objects" | "paths" | "all";
  readonly namespaces: ReadonlySet<string> | undefined;
  readonly resources: ReadonlyMap<string, readonly ResourceTest[]> | undefined;
  readonly paths: PathTest | undefined;
}

/** Compiles a policy. The function tests its rules in order, some nanoseconds each. */
export function compileRules(policy: Policy): PolicyRuleEvaluator {
  const compiled = policy.rules.map((rule) => compiledRule(rule, configOf(policy, rule)));
  const none = configOf(policy, { level: "None", omitStages: [], omitManagedFields: undefined });
  return (info, user) => {
    for (const rule of compiled) if (matches(rule, info, user)) return rule.config;
    return none;
  };
}

function compiledRule(rule: PolicyRule, config: RequestAuditConfig): CompiledRule {
  const { resources, namespaces, nonResourceURLs } = rule;
  const isForObjects = resources.length > 0 || namespaces.length > 0;
  return {
    config,
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

/** Whether a rule matches a request; cheap tests that fail often come first. */
function matches(rule: CompiledRule, info: RequestInfo, user: Identity | undefined): boolean {
  const { verbs, users, groups, isFor, namespaces, resources, paths } = rule;
  if (isFor !== "all" && (isFor === "objects") !== info.isResource) return false;
  if (verbs && !verbs.has(info.verb)) return false;
  if (users && !(user && users.has(user.user))) return false;
  if (namespaces && !namespaces.has(info.namespace)) return false;
  if (resources && !resources.get(info.group)?.some((test) => matchesResource(test, info))) return false;
  if (paths && !matchesPath(paths, info.path)) return false;
  return !groups || (user !== undefined && user.groups.some((group) => groups.has(group)));
}

const configOf = (
  policy: Policy,
  rule: Pick<PolicyRule, "level" | "omitStages" | "omitManagedFields">,
): RequestAuditConfig => ({
  level: rule.level,
  omitStages: new Set([...policy.omitStages, ...rule.omitStages]),
  omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields,
});

/** Exact paths, and the prefixes of those that end with a star (AUDIT-7). */
interface PathTest {
  readonly exact: ReadonlySet<string>;
  readonly prefixes: readonly string[];
}

const pathTest = (urls: readonly string[]): PathTest => ({
  exact: new Set(urls),
  prefixes: urls.filter((url) => url.endsWith("*")).map((url) => url.slice(0, -1)),
});

const matchesPath = ({ exact, prefixes }: PathTest, path: string): boolean =>
  exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix));

/** One entry of a rule for resources of a group. */
interface ResourceTest {
  /** `pods`, `pods/log`; undefined for all of the group. */
  readonly exact: ReadonlySet<string> | undefined;
  /** `pods` of `pods/*`. */
  readonly withSubresources: ReadonlySet<string>;
  /** `status` of `*``/status`. */
  readonly subresources: ReadonlySet<string>;
  /** Undefined for any name. */
  readonly names: ReadonlySet<string> | undefined;
}

function byGroup(entries: readonly PolicyResources[]): ReadonlyMap<string, readonly ResourceTest[]> {
  const tests = new Map<string, ResourceTest[]>();
  for (const entry of entries) tests.set(entry.group, [...(tests.get(entry.group) ?? []), testOf(entry)]);
  return tests;
}

function testOf({ resources, resourceNames }: PolicyResources): ResourceTest {
  const all = resources.length === 0 || resources.includes("*");
  return {
    exact: all ? undefined : new Set(resources),
    withSubresources: new Set(resources.filter((one) => one.endsWith("/*")).map((one) => one.slice(0, -2))),
    subresources: new Set(resources.filter((one) => one.startsWith("*/")).map((one) => one.slice(2))),
    names: resourceNames.length === 0 ? undefined : new Set(resourceNames),
  };
}

function matchesResource({ exact, withSubresources, subresources, names }: ResourceTest, info: RequestInfo): boolean {
  if (names && !names.has(info.name)) return false;
  if (!exact) return true;
  const { resource, subresource } = info;
  if (withSubresources.has(resource)) return true;
  if (subresource === "") return exact.has(resource);
  return exact.has(`${resource}/${subresource}`) || subresources.has(subresource);
}
