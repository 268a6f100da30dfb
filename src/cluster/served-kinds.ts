/**
 * The served kinds, for clients of the same process: the content of discovery without its documents.
 *
 * @module
 */
import type { ServedKind } from "../client/index.ts";
import type { Registry, Resource } from "../registry/contract.ts";
import { ALL_VERBS } from "../schema/definition.ts";

/** The properties of definitions, which forks share. */
const known = new WeakMap<Resource["definition"], ServedKind>();

/** Returns the kinds of a registry in the order of discovery: the same values as long as nothing changes. */
export function servedKindsOf(registry: Pick<Registry, "resources">): () => readonly ServedKind[] {
  const kindOf = ({ definition }: Resource): ServedKind => {
    let kind = known.get(definition);
    if (!kind) known.set(definition, (kind = servedKind(definition)));
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

function servedKind(definition: Resource["definition"]): ServedKind {
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
