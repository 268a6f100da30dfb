/**
 * The kinds that are served, for clients of the same process: what discovery says of them, without its documents.
 *
 * @module
 */
import type { ServedKind } from "../client/index.ts";
import type { Registry, Resource } from "../registry/contract.ts";
import { ALL_VERBS } from "../schema/definition.ts";

/** Returns the kinds of a registry in the order of discovery: the same values as long as nothing changes. */
export function servedKindsOf(registry: Pick<Registry, "resources">): () => readonly ServedKind[] {
  const known = new WeakMap<Resource, ServedKind>();
  const kindOf = (resource: Resource): ServedKind => {
    let kind = known.get(resource);
    if (!kind) known.set(resource, (kind = servedKind(resource)));
    return kind;
  };
  let kinds: readonly ServedKind[] = [];
  let from: readonly Resource[] = [];
  return () => {
    const { resources } = registry;
    if (resources !== from) [from, kinds] = [resources, resources.map(kindOf)];
    return kinds;
  };
}

function servedKind({ definition }: Resource): ServedKind {
  const { group, version, kind, plural, scope, singular, shortNames = [], categories = [] } = definition;
  const { verbs = ALL_VERBS, subresources = {}, connectors = {} } = definition;
  const below = Object.entries({ ...subresources, ...connectors }).map(([name, one]) => [name, one.verbs] as const);
  return {
    group,
    version,
    kind,
    plural,
    scope: scope === "Namespaced" ? "Namespaced" : "Cluster",
    singular,
    shortNames,
    categories,
    verbs,
    subresources: new Map(below),
  };
}
