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

/** The text of a document in parts that are made one by one: there may be many of them. */
export type JsonParts = Iterable<string>;

/** A list of JSON whose elements are made one by one. */
function* listOf<T>(items: readonly T[], textOf: (item: T) => string | JsonParts): Generator<string> {
  yield "[";
  for (const [i, item] of items.entries()) {
    if (i > 0) yield ",";
    const text = textOf(item);
    if (typeof text === "string") yield text;
    else yield* text;
  }
  yield "]";
}

/** An object of JSON: members that are short, and one list. */
function* objectWith(before: object, name: string, members: JsonParts, after: object = {}): Generator<string> {
  const begin = JSON.stringify(before);
  yield `${begin.slice(0, -1)}${begin === "{}" ? "" : ","}"${name}":`;
  yield* members;
  const end = JSON.stringify(after);
  yield end === "{}" ? end.slice(1) : `,${end.slice(1)}`;
}

/** The document of `/api`. */
export const apiVersions = (groups: readonly GroupResources[]): JsonParts => [
  JSON.stringify({
    kind: "APIVersions",
    versions: groups.find(({ group }) => group === "")?.versions.map(({ version }) => version) ?? [],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "" }],
  }),
];

/** The entry of a group, with `before` in front. */
function groupWith(before: object, { group, versions }: GroupResources): JsonParts {
  const said = ({ version }: VersionResources) => ({ groupVersion: apiVersionOf(group, version), version });
  const all = listOf(versions, (one) => JSON.stringify(said(one)));
  return objectWith({ ...before, name: group }, "versions", all, {
    preferredVersion: versions.slice(0, 1).map(said)[0],
  });
}

/** The document of `/apis`. */
export function apiGroupList(groups: readonly GroupResources[]): JsonParts {
  const named = groups.filter(({ group }) => group !== "");
  return objectWith(
    { kind: "APIGroupList", apiVersion: "v1" },
    "groups",
    listOf(named, (group) => groupWith({}, group)),
  );
}

/** The document of `/apis/GROUP`. */
export const apiGroup = (group: GroupResources): JsonParts => groupWith({ kind: "APIGroup", apiVersion: "v1" }, group);

/** The document of `/api/v1` or `/apis/GROUP/VERSION`. */
export function apiResourceList(group: string, { version, resources }: VersionResources): JsonParts {
  const head = {
    kind: "APIResourceList",
    ...(group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: apiVersionOf(group, version),
  };
  const members = listOf(resources, (resource) => JSON.stringify(plainResources(resource)).slice(1, -1));
  return objectWith(head, "resources", members);
}

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

/** A hash that changes with the version in which objects are stored, for migrations of stored objects. */
function storageVersionHash({ group, version, kind }: NonNullable<Resource["storage"]>): string {
  return hash("sha256", `${group}/${version}/${kind}`, "buffer").subarray(0, 8).toString("base64");
}

/** The kind of a response. Built-in kinds leave group and version empty where they are those of the list; custom kinds never do. */
function responseKind(
  { group, version, kind }: Pick<ResourceDefinition, "group" | "version" | "kind">,
  list: ResourceDefinition,
): object {
  const isOfList = !list.untyped && group === list.group && version === list.version;
  return isOfList ? { group: "", version: "", kind } : { group, version, kind };
}

const verbsOf = ({ verbs }: ResourceDefinition): readonly string[] => verbs ?? ALL_VERBS;

/** A subresource: its name, its kind where that is not the object's, and its verbs. */
interface Below {
  readonly name: string;
  readonly takes?: Pick<ResourceDefinition, "group" | "version" | "kind"> | undefined;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** All subresources of a kind; those of built-in kinds by name. */
function belowOf({ subresources = {}, connectors = {}, kind, untyped }: ResourceDefinition): readonly Below[] {
  const below: Below[] = [
    ...Object.entries(subresources).map(([name, { takes, verbs }]) => ({
      name,
      takes,
      kind: takes?.kind ?? kind,
      verbs,
    })),
    ...Object.entries(connectors).map(([name, way]) => ({ name, kind: way.kind, verbs: way.verbs })),
  ];
  return untyped ? below : below.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The aggregated document with these groups: `/api` has the core group, `/apis` all others.
 *
 * @param textOf the text of the result of {@link aggregatedVersion} for a version
 */
export function aggregated(
  groups: readonly GroupResources[],
  textOf: (group: string, version: VersionResources) => string,
): JsonParts {
  const items = listOf(groups, ({ group, versions }) => {
    const metadata = group === "" ? { creationTimestamp: null } : { name: group, creationTimestamp: null };
    return objectWith(
      { metadata },
      "versions",
      listOf(versions, (one) => textOf(group, one)),
    );
  });
  return objectWith(
    { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {} },
    "items",
    items,
  );
}

/** The entry of a version of a group in the aggregated document. */
export function aggregatedVersion({ version, resources }: VersionResources): JsonParts {
  const all = listOf(resources, ({ definition }) => JSON.stringify(aggregatedResource(definition)));
  return objectWith({ version }, "resources", all, { freshness: "Current" });
}

function aggregatedResource(definition: ResourceDefinition): object {
  const { group, version, plural, singular, scope, shortNames, categories } = definition;
  const subresources = belowOf(definition).map(({ name, takes, kind, verbs }) => ({
    subresource: name,
    responseKind: responseKind(takes ?? { group, version, kind }, definition),
    verbs,
  }));
  return {
    resource: plural,
    responseKind: responseKind(definition, definition),
    scope: scope === "Namespaced" ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs: verbsOf(definition),
    ...(shortNames?.length ? { shortNames } : {}),
    ...(categories?.length ? { categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}
