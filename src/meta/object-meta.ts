/**
 * ObjectMeta: the metadata of every object (META-1..11, DEC-1).
 *
 * @module
 */
import {
  type Static,
  anything,
  atomicList,
  bool,
  int64,
  keyedList,
  map,
  optional,
  pointer,
  required,
  setList,
  struct,
  text,
  time,
} from "./types.ts";

const OwnerReference = struct(
  "Refers from an object to its owner, which must be in the same namespace or cluster-scoped.",
  {
    apiVersion: required(text("Group and version of the owner.")),
    kind: required(text("Kind of the owner.")),
    name: required(text("Name of the owner.")),
    uid: required(text("UID of the owner, so that a later object of the same name is not taken for it.")),
    controller: pointer(bool("Whether the owner is the one controller that manages this object.")),
    blockOwnerDeletion: pointer(bool("Whether a foreground deletion of the owner waits until this object is gone.")),
  },
  { atomic: true },
);

const ManagedFieldsEntry = struct("Which fields of the object a manager owns, and since when.", {
  manager: optional(text("Name of the manager.")),
  operation: optional(text("`Apply` when the last write to the fields was an apply patch, `Update` otherwise.")),
  apiVersion: optional(text("The API version that the field names belong to.")),
  time: optional(time("When the manager last changed something.")),
  fieldsType: optional(text("The form of the field set; always `FieldsV1`.")),
  fieldsV1: optional(
    anything("The owned fields as a tree: `f:` for members, `k:` for keyed entries, `v:` for set elements."),
  ),
  subresource: optional(text("The subresource through which the manager wrote, empty for the object itself.")),
});

const members = {
  name: optional(text("Name of the object, unique among objects of its kind in its namespace; it cannot change.")),
  generateName: optional(
    text("A prefix from which the server makes a unique name when `name` is empty; five characters are added."),
  ),
  namespace: optional(text("The namespace of the object, empty for objects of the cluster; it cannot change.")),
  selfLink: optional(text("No longer filled.")),
  uid: optional(text("Identifies this object in time and space; given by the server, never used again.")),
  resourceVersion: optional(
    text("The version of the stored object: it changes with every write. Send it back to change that version only."),
  ),
  generation: optional(int64("Counts the changes of the desired state; given by the server.")),
  creationTimestamp: optional(time("When the object was created; given by the server.")),
  deletionTimestamp: optional(time("When the object was deleted; it goes when its finalizers are done.")),
  deletionGracePeriodSeconds: pointer(int64("Seconds that the object is given to end before it is removed.")),
  labels: optional(map(text(), "Keys and values by which objects are found and grouped.")),
  annotations: optional(map(text(), "Keys and values that tools keep with the object; not for selection.")),
  ownerReferences: optional(
    keyedList(OwnerReference, ["uid"], "The owners of this object; when all are deleted, it is deleted too."),
  ),
  finalizers: optional(
    setList(text(), "Names of those who must act before the object may go; each removes its own.", {
      "x-kubernetes-patch-strategy": "merge",
    }),
  ),
};

const owners = atomicList(ManagedFieldsEntry, "Who owns which field; kept by the server.");

/** The schema of `metadata`. */
export const ObjectMetaSchema = struct(
  "What every object has: its identity, its versions, its owners and its labels.",
  // An empty list differs from none: it may clear all owners (AMB-45).
  { ...members, managedFields: pointer(owners) },
);

/** The schema of the `metadata` of a template; an empty `managedFields` has no meaning in it. */
export const TemplateMetaSchema: typeof ObjectMetaSchema = struct(
  "What each object has that is made of the template: its labels and annotations.",
  { ...members, managedFields: optional(owners) },
);

/** `metadata` of an object. */
export type ObjectMeta = Static<typeof ObjectMetaSchema>;

/** A reference to an owner. */
export type OwnerRef = Static<typeof OwnerReference>;

/** An entry of `metadata.managedFields`. */
export type ManagedFields = Static<typeof ManagedFieldsEntry>;
