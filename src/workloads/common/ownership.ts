/** Which objects a controller adopts and which it releases (WL-GEN-1). */
import type { ApiObject, Kind, NewObject, Scope } from "../../client/kind.ts";
import type { ObjectMetaOwnerReference } from "../../client/kinds/types.ts";
import { type PlannedWrite, updates } from "./plan.ts";

/** What to do with the objects that may belong to an owner. */
export interface Ownership<T extends ApiObject> {
  /** Controlled objects that stay. */
  readonly owned: readonly T[];
  /** Objects without a controller to adopt; they count from the next plan on. */
  readonly adopts: readonly T[];
  /** Controlled objects whose labels no longer match. */
  readonly releases: readonly T[];
}

/** Returns the reference to the controller of an object. */
export const controllerOf = ({ metadata }: ApiObject): ObjectMetaOwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller);

/** Creates the reference of a controlled object to its owner. */
export const referenceTo = ({ apiVersion, kind, metadata: { name, uid } }: ApiObject): ObjectMetaOwnerReference => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});

/**
 * Decides about the controlled objects and those without a controller in a namespace; objects of other controllers are left out. While the
 * owner is being deleted nothing is adopted or released, and an object that is being deleted is never adopted.
 *
 * @param fits whether the labels, and where it matters the name, match the owner
 */
export function planOwnership<T extends ApiObject>(
  owner: ApiObject,
  candidates: Iterable<T>,
  fits: (object: T) => boolean,
): Ownership<T> {
  const isGoing = owner.metadata.deletionTimestamp !== undefined;
  const owned: T[] = [];
  const adopts: T[] = [];
  const releases: T[] = [];
  for (const object of candidates) {
    const controller = controllerOf(object);
    if (controller) {
      if (controller.uid !== owner.metadata.uid) continue;
      if (fits(object)) owned.push(object);
      else if (!isGoing) releases.push(object);
    } else if (!isGoing && object.metadata.deletionTimestamp === undefined && fits(object)) {
      adopts.push(object);
    }
  }
  return { owned, adopts, releases };
}

/** Returns an object with an owner as its controller. */
export const adopted = <T extends ApiObject>(object: T, owner: ApiObject): T => ({
  ...object,
  metadata: {
    ...object.metadata,
    ownerReferences: [
      ...(object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid),
      referenceTo(owner),
    ],
  },
});

/** Returns an object without the reference to an owner. */
export const released = <T extends ApiObject>(object: T, owner: ApiObject): T => ({
  ...object,
  metadata: {
    ...object.metadata,
    ownerReferences: (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid),
  },
});

/** Adds the namespace of an owner and the reference to the owner to a new object. */
export const ownedBy = <O extends NewObject<ApiObject>>(object: O, owner: ApiObject): O => ({
  ...object,
  metadata: {
    ...object.metadata,
    namespace: owner.metadata.namespace,
    ownerReferences: [referenceTo(owner)],
  },
});

/** Plans the writes of adoptions and releases: each at the resourceVersion of its object. */
export const ownershipWrites = <T extends ApiObject, S extends Scope>(
  kind: Kind<T, S>,
  owner: ApiObject,
  { adopts, releases }: Ownership<T>,
): PlannedWrite[] => [
  ...adopts.map((object) => updates(kind, adopted(object, owner))),
  ...releases.map((object) => updates(kind, released(object, owner))),
];
