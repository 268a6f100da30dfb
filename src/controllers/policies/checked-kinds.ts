/** The kinds against which the expressions of a policy are checked. */
import type { ServedKind } from "../../client/index.ts";
import type { KindName } from "./published-schema.ts";

/** A rule of a policy, as far as it names resources. */
export interface NamingRule {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
}

/** A kind with its resource. */
export type CheckedKind = KindName & { readonly plural: string };

/** The most types of one policy. */
const MAX_TYPES = 10;

/**
 * The kinds that rules name, sorted by group, version and kind: at most ten. A rule with a wildcard for groups or versions
 * names none; wildcards for resources, and subresources, are left out.
 */
export function checkedKinds(rules: readonly NamingRule[], served: readonly ServedKind[]): readonly CheckedKind[] {
  const found = new Map<string, CheckedKind>();
  for (const rule of rules) {
    const named = kindsOf(rule, served).slice(0, MAX_TYPES);
    for (const kind of named) found.set(textOf(kind), kind);
    if (named.length === MAX_TYPES) break;
  }
  return [...found.values()].toSorted(
    (a, b) => compare(a.group, b.group) || compare(a.version, b.version) || compare(a.kind, b.kind),
  );
}

function kindsOf(
  { apiGroups = [], apiVersions = [], resources = [] }: NamingRule,
  served: readonly ServedKind[],
): CheckedKind[] {
  const [groups, versions] = [new Set(apiGroups), new Set(apiVersions)];
  if ([...groups, ...versions].some((name) => name.includes("*"))) return [];
  const names = new Set(resources.filter((name) => !/[*/]/.test(name)));
  return served
    .filter(({ group, version, plural }) => groups.has(group) && versions.has(version) && names.has(plural))
    .toSorted((a, b) => compare(a.group, b.group) || compare(a.version, b.version) || compare(a.plural, b.plural))
    .map(({ group, version, kind, plural }) => ({ group, version, kind, plural }));
}

/** A kind as kube-apiserver writes it: `apps/v1, Kind=Deployment`. */
export const textOf = ({ group, version, kind }: KindName): string => `${group}/${version}, Kind=${kind}`;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
