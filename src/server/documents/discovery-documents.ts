/**
 * Discovery as values: which groups, versions and resources there are, in the plain and the aggregated form
 * (clients.md 1.2, DEC-37).
 *
 * @module
 */
import { ALL_VERBS, type ResourceDefinition, type SubresourceRules } from "../../schema/definition.ts";

/** What is served under one group and version. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly definitions: readonly ResourceDefinition[];
}

/** What is served under one group: its versions, the preferred one first. */
export interface Group {
  readonly name: string;
  readonly versions: readonly GroupVersion[];
}

/** The groups of definitions in the order in which they come, each with its versions, stable ones first. */
export function groupsOf(definitions: readonly ResourceDefinition[]): readonly Group[] {
  const groups = new Map<string, Map<string, ResourceDefinition[]>>();
  for (const definition of definitions) {
    let versions = groups.get(definition.group);
    if (!versions) groups.set(definition.group, (versions = new Map()));
    const known = versions.get(definition.version);
    if (known) known.push(definition);
    else versions.set(definition.version, [definition]);
  }
  return [...groups].map(([name, versions]) => ({
    name,
    versions: [...versions]
      .map(([version, members]) => ({ group: name, version, definitions: members.toSorted(byPlural) }))
      .toSorted((a, b) => byStability(a.version, b.version)),
  }));
}

const byPlural = (a: ResourceDefinition, b: ResourceDefinition): number => (a.plural < b.plural ? -1 : 1);

const STAGES = ["alpha", "beta", ""];

/** Stable versions before beta before alpha, and higher numbers first: v2, v1, v2beta1, v1beta2, v1alpha1. */
function byStability(a: string, b: string): number {
  const [x, y] = [stability(a), stability(b)];
  for (let i = 0; i < x.length; i++) if (x[i] !== y[i]) return y[i]! - x[i]!;
  return a < b ? -1 : 1;
}

function stability(version: string): number[] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return [-1, 0, 0];
  return [STAGES.indexOf(match[2] ?? ""), Number(match[1]), Number(match[3] ?? 0)];
}

/** `group/version`, or the version alone for the core group. */
export const groupVersion = (group: string, version: string): string => (group ? `${group}/${version}` : version);

/** The document of `/api`. */
export const apiVersions = (groups: readonly Group[]): object => ({
  kind: "APIVersions",
  versions: groups.find(({ name }) => name === "")?.versions.map(({ version }) => version) ?? [],
  serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "" }],
});

const groupMembers = ({ name, versions }: Group): object => {
  const all = versions.map(({ version }) => ({ groupVersion: groupVersion(name, version), version }));
  return { name, versions: all, preferredVersion: all[0] };
};

/** The document of `/apis`. */
export const apiGroupList = (groups: readonly Group[]): object => ({
  kind: "APIGroupList",
  apiVersion: "v1",
  groups: groups.filter(({ name }) => name !== "").map(groupMembers),
});

/** The document of `/apis/GROUP`. */
export const apiGroup = (group: Group): object => ({ kind: "APIGroup", apiVersion: "v1", ...groupMembers(group) });

/** The document of `/api/v1` or `/apis/GROUP/VERSION`. */
export const apiResourceList = ({ group, version, definitions }: GroupVersion): object => ({
  kind: "APIResourceList",
  ...(group === "" ? {} : { apiVersion: "v1" }),
  groupVersion: groupVersion(group, version),
  resources: definitions.flatMap(plainResources),
});

function plainResources(definition: ResourceDefinition): object[] {
  const { plural, singular, kind, shortNames, categories } = definition;
  const namespaced = definition.scope === "Namespaced";
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs: verbsOf(definition),
      ...(shortNames?.length ? { shortNames } : {}),
      ...(categories?.length ? { categories } : {}),
    },
    ...subresourcesOf(definition).map(([name, rules]) => ({
      name: `${plural}/${name}`,
      singularName: "",
      namespaced,
      ...(rules.takes ? { group: rules.takes.group, version: rules.takes.version } : {}),
      kind: rules.takes?.kind ?? kind,
      verbs: rules.verbs.toSorted(),
    })),
  ];
}

const kindOf = ({ group, version, kind }: ResourceDefinition): object => ({ group, version, kind });

const verbsOf = ({ verbs }: ResourceDefinition): readonly string[] => (verbs ?? ALL_VERBS).toSorted();

const subresourcesOf = ({ subresources }: ResourceDefinition): [string, SubresourceRules][] =>
  Object.entries(subresources ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));

/** The aggregated document with these groups: `/api` has the core group, `/apis` all others. */
export const aggregated = (groups: readonly Group[]): object => ({
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  metadata: {},
  items: groups.map(({ name, versions }) => ({
    metadata: name === "" ? { creationTimestamp: null } : { name, creationTimestamp: null },
    versions: versions.map(({ version, definitions }) => ({
      version,
      resources: definitions.map(aggregatedResource),
      freshness: "Current",
    })),
  })),
});

function aggregatedResource(definition: ResourceDefinition): object {
  const { plural, singular, scope, shortNames, categories } = definition;
  const subresources = subresourcesOf(definition).map(([subresource, rules]) => ({
    subresource,
    responseKind: kindOf(rules.takes ?? definition),
    verbs: rules.verbs.toSorted(),
  }));
  return {
    resource: plural,
    responseKind: kindOf(definition),
    scope: scope === "Namespaced" ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs: verbsOf(definition),
    ...(shortNames?.length ? { shortNames } : {}),
    ...(categories?.length ? { categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}
