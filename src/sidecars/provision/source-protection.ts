/**
 * Removes the finalizer of the source of claims, a claim or a snapshot, when no claim waits for its content any more.
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
import { type Sidecar, changesOf } from "../sidecar.ts";
import { snapshotKinds } from "../snapshot/kinds.ts";
import { sourceKey, sourceOf } from "./data-source.ts";

interface ProtectedKind<T extends ApiObject> {
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

function protection<T extends ApiObject>({ specs }: Sidecar, protectedKind: ProtectedKind<T>): Controller {
  const { name, spec, kind, group, finalizer } = protectedKind;
  // A claim that gets its content, or is deleted, may be the last one.
  const claims: Source<Key<"Namespaced">> = watches(
    specs.claims,
    (claim) => {
      const source = sourceOf(claim);
      const isIt = source?.kind === kind.kind && source.group === group;
      return isIt ? [{ namespace: source.namespace, name: source.name }] : [];
    },
    changesOf(({ status }) => status.phase),
  );
  return defineController({
    name,
    for: spec,
    predicate: changesOf<T>((object) => hasFinalizer(object, finalizer)),
    sources: [claims],
    async reconcile({ object, informer, client }: Context<T, "Namespaced">) {
      if (!hasFinalizer(object, finalizer)) return;
      const { namespace = "", name: own } = object.metadata;
      const source = sourceKey({ group, kind: kind.kind, namespace, name: own });
      if (informer(specs.claims).by("source", source).length > 0) return;
      await removeFinalizer(client, kind, object, finalizer);
    },
  });
}
