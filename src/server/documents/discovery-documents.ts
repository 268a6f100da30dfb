/**
 * Discovery as values: which groups, versions and resources there are, in the plain and the aggregated form
 * (DEC-37).
 *
 * @module
 */
import { hash } from "node:crypto";
import { ALL_VERBS, type ResourceDefinition } from "../../schema/definition.ts";
import { apiVersionOf } from "../../meta/versions.ts";
import type { GroupResources, Resource, VersionResources } from "../../registry/contract.ts";

/** The document of `/api`. */
export const apiVersions = (groups: readonly GroupResources[]): object => ({
  kind: "APIVersions",
  versions: groups.find(({ group }) => group === "")?.versions.map(({ version }) => version) ?? [],
  serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "" }],
});

const groupMembers = ({ group, versions }: GroupResources): object => {
  const all = versions.map(({ version }) => ({ groupVersion: apiVersionOf(group, version), version }));
  return { name: group, versions: all, preferredVersion: all[0] };
};

/** The document of `/apis`. */
export const apiGroupList = (groups: readonly GroupResources[]): object => ({
  kind: "APIGroupList",
  apiVersion: "v1",
  groups: groups.filter(({ group }) => group !== "").map(groupMembers),
});

/** The document of `/apis/GROUP`. */
export const apiGroup = (group: GroupResources): object => ({
  kind: "APIGroup",
  apiVersion: "v1",
  ...groupMembers(group),
});

/** The document of `/api/v1` or `/apis/GROUP/VERSION`. */
export const apiResourceList = (group: string, { version, resources }: VersionResources): object => ({
  kind: "APIResourceList",
  ...(group === "" ? {} : { apiVersion: "v1" }),
  groupVersion: apiVersionOf(group, version),
  resources: resources.flatMap(plainResources),
});

function plainResources({ definition, storage }: Resource): object[] {
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
      ...(storage ? { storageVersionHash: storageVersionHash(storage) } : {}),
    },
    ...belowOf(definition).map((below) => ({
      name: `${plural}/${below.name}`,
      singularName: "",
      namespaced,
      ...elsewhere(below.takes, definition),
      kind: below.kind,
      verbs: below.verbs,
    })),
  ];
}

/** Group and version of the kind that a subresource takes, where they are not those of the resource. */
function elsewhere(taken: Below["takes"], { group, version }: ResourceDefinition): object {
  if (!taken || (taken.group === group && taken.version === version)) return {};
  return { group: taken.group, version: taken.version };
}

/** What tells those who migrate stored objects that the form in which they are stored has changed. */
function storageVersionHash({ group, version, kind }: NonNullable<Resource["storage"]>): string {
  return hash("sha256", `${group}/${version}/${kind}`, "buffer").subarray(0, 8).toString("base64");
}

const kindOf = ({ group, version, kind }: Pick<ResourceDefinition, "group" | "version" | "kind">): object => ({
  group,
  version,
  kind,
});

const verbsOf = ({ verbs }: ResourceDefinition): readonly string[] => verbs ?? ALL_VERBS;

/** What lies below an object: its name, its kind where that is not the object's, and its verbs. */
interface Below {
  readonly name: string;
  readonly takes?: Pick<ResourceDefinition, "group" | "version" | "kind"> | undefined;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** All that lies below the objects of a kind; of built-in kinds by name. */
function belowOf({ subresources = {}, ways = {}, kind, untyped }: ResourceDefinition): readonly Below[] {
  const below: Below[] = [
    ...Object.entries(subresources).map(([name, { takes, verbs }]) => ({
      name,
      takes,
      kind: takes?.kind ?? kind,
      verbs,
    })),
    ...Object.entries(ways).map(([name, way]) => ({ name, kind: way.kind, verbs: way.verbs })),
  ];
  return untyped ? below : below.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The text of the aggregated document with these groups: `/api` has the core group, `/apis` all others.
 *
 * @param textOf the text of what {@link aggregatedVersion} says of a version
 */
export function aggregated(
  groups: readonly GroupResources[],
  textOf: (group: string, version: VersionResources) => string,
): string {
  const items = groups.map(({ group, versions }) => {
    const metadata = group === "" ? { creationTimestamp: null } : { name: group, creationTimestamp: null };
    return `{"metadata":${JSON.stringify(metadata)},"versions":[${versions.map((one) => textOf(group, one)).join(",")}]}`;
  });
  return `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[${items.join(",")}]}`;
}

/** What the aggregated document says of a version of a group. */
export const aggregatedVersion = ({ version, resources }: VersionResources): object => ({
  version,
  resources: resources.map(({ definition }) => aggregatedResource(definition)),
  freshness: "Current",
});

function aggregatedResource(definition: ResourceDefinition): object {
  const { group, version, plural, singular, scope, shortNames, categories } = definition;
  const subresources = belowOf(definition).map(({ name, takes, kind, verbs }) => ({
    subresource: name,
    responseKind: kindOf(takes ?? { group, version, kind }),
    verbs,
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
