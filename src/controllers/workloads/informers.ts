/** Informers and triggers that the controllers of workloads share: one list, watch and copy for all of them. */
import { type ApiObject, type Key, type Kind, type Scope, keyOf } from "../../client/index.ts";
import { ControllerRevision, Pod, ReplicaSet, ReplicationController } from "../../client/kinds/index.ts";
import {
  type GetInformer,
  type Informer,
  type InformerSpec,
  type ObjectEvent,
  type Source,
  sharedInformer,
  watches,
} from "../../runtime/index.ts";
import { controllerUid, namespaceOf, ownerKey } from "../../runtime/owners.ts";
import { type SelectorValue, selectorOf } from "../../meta/label-selector.ts";
import { controllerOf } from "../../workloads/common/ownership.ts";
import { bucketOfLabels, bucketOfSelector, labelBuckets } from "../../workloads/common/selecting.ts";
import { nodeOfPod } from "../common/nodes.ts";

/** Indexes objects without a controller by their namespace and labels, so that an owner finds those that it may select. */
export const freeByLabels = (object: ApiObject): readonly string[] | undefined =>
  controllerOf(object) ? undefined : labelBuckets(object);

/** The Pods by their controller, by node, and those without a controller by namespace and labels. */
export const workloadPods = sharedInformer(Pod, {
  indexes: { controller: controllerUid, free: freeByLabels, node: nodeOfPod },
});

/** The ReplicaSets by their controller, those without one by namespace and labels, and all of them by namespace. */
export const workloadReplicaSets = sharedInformer(ReplicaSet, {
  indexes: { controller: controllerUid, free: freeByLabels, namespace: namespaceOf },
});

/** The ControllerRevisions by their controller, and those without a controller by namespace and labels. */
export const workloadRevisions = sharedInformer(ControllerRevision, {
  indexes: { controller: controllerUid, free: freeByLabels },
});

/** Returns the objects that an owner may control: its own, and those of its namespace without a controller that it may select. */
export const candidatesOf = <T extends ApiObject>(
  owner: SelectingOwner,
  informer: Pick<Informer<T, "Namespaced", "controller" | "free">, "by">,
): readonly T[] => {
  const own = ownedBy(owner, informer);
  const free = informer.by("free", bucketOfOwner(owner));
  return free.length === 0 ? own : [...own, ...free];
};

/** Leaves out objects of other namespaces: any user may write the uid of an owner in another namespace. */
export const inNamespace = <T extends ApiObject>(namespace: string, objects: readonly T[]): readonly T[] =>
  objects.every(({ metadata }) => metadata.namespace === namespace)
    ? objects
    : objects.filter(({ metadata }) => metadata.namespace === namespace);

/** Returns the objects of its namespace that an owner controls. */
export const ownedBy = <T extends ApiObject>(
  { metadata: { uid, namespace = "" } }: ApiObject,
  informer: Pick<Informer<T, "Namespaced", "controller">, "by">,
): readonly T[] => inNamespace(namespace, informer.by("controller", uid));

/** An owner with a selector: that of a ReplicationController is a map of labels. */
interface SelectingOwner extends ApiObject {
  readonly spec: { readonly selector?: unknown };
}

function bucketOfOwner({ kind, metadata: { namespace = "" }, spec: { selector = {} } }: SelectingOwner): string {
  return kind === ReplicationController.kind
    ? bucketOfLabels(namespace, selector as Readonly<Record<string, string>>)
    : bucketOfSelector(namespace, selectorOf(selector as SelectorValue));
}

/**
 * A source of the keys of owners: the controller of a changed object or, where it has none, each owner in its namespace that it may
 * belong to.
 *
 * @param fits whether a free object may belong to an owner
 */
export const ofOwners = <T extends ApiObject, O extends ApiObject, S extends Scope>(
  spec: InformerSpec<T, S>,
  owners: InformerSpec<O, "Namespaced", "namespace">,
  fits: (object: T, owner: O) => boolean,
): Source<Key<"Namespaced">> =>
  watches(
    spec,
    (object: T, informer: GetInformer) => {
      if (controllerOf(object))
        return [ownerKey(object, owners.kind as Kind)].flatMap((key) => (key as Key<"Namespaced">) ?? []);
      const all = informer(owners).by("namespace", object.metadata.namespace ?? "");
      return all.filter((owner) => fits(object, owner)).map((owner) => keyOf<"Namespaced">(owner));
    },
    mayMatter,
  );

/**
 * Whether an event may matter to owners: an object without a controller matters when it is created, and when its labels or its owners
 * change.
 */
const mayMatter = (event: ObjectEvent<ApiObject>): boolean => {
  if (event.type !== "changed" || controllerOf(event.object) || controllerOf(event.old)) return true;
  const { metadata } = event.object;
  const { metadata: old } = event.old;
  return (
    metadata.deletionTimestamp !== old.deletionTimestamp ||
    JSON.stringify([metadata.labels, metadata.ownerReferences]) !== JSON.stringify([old.labels, old.ownerReferences])
  );
};
