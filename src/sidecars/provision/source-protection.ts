/**
 * Lets go of what claims were filled from: a claim or a snapshot is held only while a claim waits that is to be filled from it.
 *
 * @module
 */
import type { ApiObject, Key, Kind } from "../../client/index.ts";
import { PersistentVolumeClaim } from "../../client/kinds/index.ts";
import {
  type Context,
  type Controller,
  type InformerSpec,
  type Source,
  defineController,
  sharedInformer,
  watches,
} from "../../runtime/index.ts";
import { hasFinalizer, removeFinalizer } from "../finalizers.ts";
import type { Sidecar } from "../sidecar.ts";
import { snapshotKinds } from "../snapshot/kinds.ts";
import { sourceKey, sourceOf } from "./data-source.ts";

/** What is held. */
interface Held<T extends ApiObject> {
  readonly name: string;
  readonly spec: InformerSpec<T, "Namespaced">;
  readonly kind: Kind<T, "Namespaced">;
  readonly group: string;
  readonly finalizer: string;
}

/** The controllers named `keelson-clone-protection` and `keelson-restore-protection`. */
export function sourceProtection(sidecar: Sidecar): readonly Controller[] {
  const { specs, names } = sidecar;
  const { snapshot } = snapshotKinds(names.snapshotGroup);
  return [
    protection(sidecar, {
      name: "keelson-clone-protection",
      spec: specs.claims,
      kind: PersistentVolumeClaim,
      group: "",
      finalizer: names.cloning,
    }),
    protection(sidecar, {
      name: "keelson-restore-protection",
      spec: sharedInformer(snapshot),
      kind: snapshot,
      group: names.snapshotGroup,
      finalizer: names.restoring,
    }),
  ];
}

function protection<T extends ApiObject>({ specs }: Sidecar, held: Held<T>): Controller {
  const { name, spec, kind, group, finalizer } = held;
  // A claim that is filled, or that has gone, may have been the last.
  const filled: Source<Key<"Namespaced">> = watches(
    specs.claims,
    (claim) => {
      const source = sourceOf(claim);
      const isIt = source?.kind === kind.kind && source.group === group;
      return isIt ? [{ namespace: source.namespace, name: source.name }] : [];
    },
    (event) => event.type !== "changed" || event.object.status.phase !== event.old.status.phase,
  );
  return defineController({
    name,
    for: spec,
    predicate: (event) =>
      event.type !== "changed" || hasFinalizer(event.object, finalizer) !== hasFinalizer(event.old, finalizer),
    sources: [filled],
    async reconcile({ object, informer, client }: Context<T, "Namespaced">) {
      if (!hasFinalizer(object, finalizer)) return;
      const { namespace = "", name: own } = object.metadata;
      const source = sourceKey({ group, kind: kind.kind, namespace, name: own });
      if (informer(specs.claims).by("source", source).length > 0) return;
      await removeFinalizer(client, kind, object, finalizer);
    },
  });
}
