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

/** Whether a part of a rule fits a request. */
type Test = (info: RequestInfo, sender: Identity | undefined) => boolean;

/** Makes the function of a policy. It looks at the rules in their order: a rule costs some nanoseconds. */
export function compileRules(policy: Policy): Rules {
  const compiled = policy.rules.map((rule) => ({ tests: testsOf(rule), verdict: verdictOf(policy, rule) }));
  const nothing = verdictOf(policy, { level: "None", omitStages: [], omitManagedFields: undefined });
  return (info, sender) => {
    for (const { tests, verdict } of compiled) if (fits(tests, info, sender)) return verdict;
    return nothing;
  };
}

function fits(tests: readonly Test[], info: RequestInfo, sender: Identity | undefined): boolean {
  for (const test of tests) if (!test(info, sender)) return false;
  return true;
}

const verdictOf = (policy: Policy, rule: Pick<PolicyRule, "level" | "omitStages" | "omitManagedFields">): Verdict => ({
  level: rule.level,
  omitStages: new Set([...policy.omitStages, ...rule.omitStages]),
  omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields,
});

/** What a rule asks, the cheapest first. */
function testsOf({ users, userGroups, verbs, resources, namespaces, nonResourceURLs }: PolicyRule): Test[] {
  const tests: Test[] = [];
  if (verbs.length > 0) tests.push(isIn(verbs, (info) => info.verb));
  if (users.length > 0) {
    const names = new Set(users);
    tests.push((_, sender) => sender !== undefined && names.has(sender.user));
  }
  if (resources.length > 0 || namespaces.length > 0) {
    tests.push((info) => info.isResource);
    if (namespaces.length > 0) tests.push(isIn(namespaces, (info) => info.namespace));
    if (resources.length > 0) tests.push(resourceTest(resources));
  } else if (nonResourceURLs.length > 0) {
    tests.push(pathTest(nonResourceURLs));
  }
  if (userGroups.length > 0) {
    const names = new Set(userGroups);
    tests.push((_, sender) => sender !== undefined && sender.groups.some((group) => names.has(group)));
  }
  return tests;
}

function isIn(names: readonly string[], of: (info: RequestInfo) => string): Test {
  const known = new Set(names);
  return (info) => known.has(of(info));
}

/** Paths as they are, or all that begin with what stands before a star (AUDIT-7). */
function pathTest(urls: readonly string[]): Test {
  const exact = new Set(urls);
  if (exact.has("*")) return (info) => !info.isResource;
  const beginnings = urls.filter((url) => url.endsWith("*")).map((url) => url.slice(0, -1));
  return ({ isResource, path }) =>
    !isResource && (exact.has(path) || beginnings.some((beginning) => path.startsWith(beginning)));
}

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

function resourceTest(entries: readonly PolicyResources[]): Test {
  const byGroup = new Map<string, ResourceTest[]>();
  for (const entry of entries) byGroup.set(entry.group, [...(byGroup.get(entry.group) ?? []), testOf(entry)]);
  return (info) => {
    const tests = byGroup.get(info.group);
    if (!tests) return false;
    for (const test of tests) if (isMeant(test, info)) return true;
    return false;
  };
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
