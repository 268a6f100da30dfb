/**
 * The registry: every served resource, with the verbs over cache, storage and apply.
 *
 * It is one generic store for all kinds. What differs between kinds is in their definitions; what differs between
 * dialects is in switches that the definitions and the verbs ask by name.
 *
 * @module
 */
import type { ResourceDefinition } from "../schema/definition.ts";
import { compileWalker } from "../schema/walker.ts";
import { structOf } from "../apply/schema/schema.ts";
import type { ResourceCache } from "../cache/index.ts";
import type { Value } from "../value/value.ts";
import type { Registry, Resource } from "./contract.ts";
import { headOf } from "./codec.ts";
import { historyOf } from "./history.ts";
import { type House, type Kind, type StoredKind, apiVersionOf, kindKey, objectOf } from "./kind.ts";
import { blameReport } from "./ownership-reports.ts";
import { viewOf } from "./results.ts";
import { create } from "./verbs/create.ts";
import { deleteCollection } from "./verbs/delete-collection.ts";
import { deleteObject } from "./verbs/delete.ts";
import { get, present } from "./verbs/get.ts";
import { list } from "./verbs/list.ts";
import { patch } from "./verbs/patch.ts";
import { update } from "./verbs/update.ts";
import { watch } from "./verbs/watch.ts";

/** Compiles a definition into what the verbs work with. */
export function kindOf(definition: ResourceDefinition, stored: StoredKind, cache: ResourceCache, house: House): Kind {
  return {
    definition,
    ref: { group: definition.group, plural: definition.plural, kind: definition.kind },
    apiVersion: apiVersionOf(definition.group, definition.version),
    namespaced: definition.scope === "Namespaced",
    walker: compileWalker(definition.schema, { dialect: house.api.dialect }),
    type: structOf(definition.schema),
    stored,
    cache,
    house,
  };
}

/** What a POST to a subresource does, by name of the subresource (`token`). */
export type SubresourceCreates = Readonly<Record<string, Resource["create"]>>;

/** The verbs of a kind, as the server calls them. */
export function resourceOf(kind: Kind, subresourceCreates: SubresourceCreates = {}): Resource {
  const { definition, house } = kind;
  const createObject: Resource["create"] = (...request) => create(kind, ...request);
  // A write starts from the present: what it decides without the store must not rest on what another server has replaced.
  const fromPresent = async <T>(write: () => Promise<T>): Promise<T> => {
    await present(kind);
    return write();
  };
  const skipped = headOf(definition.kind, kind.apiVersion).length - '"metadata":{'.length;
  return {
    definition,
    get: (target, options) => get(kind, target, options),
    list: (namespace, options) => list(kind, namespace, options),
    watch: (namespace, options, sink) => watch(kind, namespace, options, sink),
    create: (target, body, options, caller) =>
      fromPresent(() => (subresourceCreates[target.subresource] ?? createObject)(target, body, options, caller)),
    update: (target, body, options, caller) => fromPresent(() => update(kind, target, body, options, caller)),
    patch: (target, body, options, caller) => fromPresent(() => patch(kind, target, body, options, caller)),
    delete: (target, options, caller) => fromPresent(() => deleteObject(kind, target, options, caller)),
    deleteCollection: (namespace, options, how, caller) => deleteCollection(kind, namespace, options, how, caller),
    view: (entry) => viewOf(kind, entry),
    itemOffset: house.api.dialect.rules.itemsCarryKind ? 0 : skipped,
    blank: house.api.dialect.rules.fullBookmarks ? blankOf(kind) : {},
    object: (entry) => objectOf(kind, entry),
    history: (target, options) => historyOf(kind, target, options),
    blame: (entry) => blameReport(kind, objectOf(kind, entry)),
  };
}

/** What every object of a kind prints, beside what all kinds have. */
function blankOf({ walker }: Kind): Record<string, Value> {
  const { apiVersion: _, kind: __, metadata: ___, ...rest } = walker.zero();
  return rest as unknown as Record<string, Value>;
}

/** The registry of a set of resources; `revision` is that of the cache. */
export function createRegistry(resources: readonly Resource[], revision: () => number): Registry {
  const sorted = resources.toSorted((a, b) => order(a.definition, b.definition));
  const byKey = new Map(sorted.map((r) => [kindKey(r.definition.group, r.definition.version, r.definition.plural), r]));
  return {
    resources: sorted,
    generation: 1,
    find: (group, version, plural) => byKey.get(kindKey(group, version, plural)),
    hasGroup: (group, version) =>
      sorted.some(({ definition: d }) => d.group === group && (version === undefined || d.version === version)),
    get revision() {
      return revision();
    },
  };
}

/** Core first, then by group, version (stable first) and plural: the order of discovery. */
function order(a: ResourceDefinition, b: ResourceDefinition): number {
  return (
    compare(a.group, b.group) || compare(stability(a.version), stability(b.version)) || compare(a.plural, b.plural)
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Stable versions before betas before alphas, newer before older, as text that sorts so. */
export function stability(version: string): string {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return `z${version}`;
  const [, major, stage, minor] = match;
  const newest = (n: string | undefined): string => String(1000 - Number(n ?? 0)).padStart(4, "0");
  return `${stage === undefined ? "a" : stage === "beta" ? "b" : "c"}${newest(major)}${newest(minor)}`;
}
