/**
 * The verbs of a kind over cache, storage and apply, as the server calls them.
 *
 * It is one generic store for all kinds. What differs between kinds is in their definitions; what differs between
 * dialects is in switches that the definitions and the verbs ask by name.
 *
 * @module
 */
import type { Value } from "../value/value.ts";
import type { Resource } from "./contract.ts";
import { headOf } from "./codec.ts";
import { historyOf } from "./history.ts";
import type { Kind } from "./kind.ts";
import { LensEntry } from "./lens.ts";
import { blameReport } from "./ownership-reports.ts";
import { create } from "./verbs/create.ts";
import { deleteCollection } from "./verbs/delete-collection.ts";
import { deleteObject } from "./verbs/delete.ts";
import { get, present } from "./verbs/get.ts";
import { list } from "./verbs/list.ts";
import { patch } from "./verbs/patch.ts";
import { update } from "./verbs/update.ts";
import { watch } from "./verbs/watch.ts";
import { objectOf, viewOf } from "./versions/view.ts";
import { type Actions, createBelow } from "./virtual/asked.ts";

/** The resource of a kind. */
export function resourceOf(kind: Kind, actions: Actions): Resource {
  const { definition, house } = kind;
  // A write starts from the present: what it decides without the store must not rest on what another server has replaced.
  const fromPresent = async <T>(write: () => Promise<T>): Promise<T> => {
    await present(kind);
    return write();
  };
  const skipped = headOf(definition.kind, kind.apiVersion).length - '"metadata":{'.length;
  let bookmark: Readonly<Record<string, Value>> | undefined;
  return {
    definition,
    storage: kind.stored.versions.get(kind.stored.storageVersion)?.definition,
    get: (target, options) => get(kind, target, options),
    list: (namespace, options) => list(kind, namespace, options),
    watch: (namespace, options, sink) => watch(kind, namespace, options, sink),
    create: (target, body, options, caller) =>
      fromPresent(() =>
        target.subresource
          ? createBelow(kind, actions, target, body, options, caller)
          : create(kind, target, body, options, caller),
      ),
    update: (target, body, options, caller) => fromPresent(() => update(kind, target, body, options, caller)),
    patch: (target, body, options, caller) => fromPresent(() => patch(kind, target, body, options, caller)),
    delete: (target, options, caller) => fromPresent(() => deleteObject(kind, target, options, caller)),
    deleteCollection: (namespace, options, how, caller) => deleteCollection(kind, namespace, options, how, caller),
    view: (entry) => (entry instanceof LensEntry ? entry.bytes : viewOf(kind, entry)),
    itemOffset: house.api.dialect.rules.itemsCarryKind ? 0 : skipped,
    get blank() {
      return (bookmark ??= house.api.dialect.rules.fullBookmarks ? alwaysPrinted(kind) : {});
    },
    object: (entry) => (entry instanceof LensEntry ? entry.object : objectOf(kind, entry)),
    history: (target, options) => historyOf(kind, target, options),
    blame: (entry) => blameReport(kind, objectOf(kind, entry)),
  };
}

/** What every object of a kind prints, beside what all kinds have. */
function alwaysPrinted({ walker }: Kind): Record<string, Value> {
  const { apiVersion: _, kind: __, metadata: ___, ...rest } = walker.zero();
  return rest as unknown as Record<string, Value>;
}
