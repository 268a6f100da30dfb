/**
 * References to objects, as members of kinds hold them (doc 3 "Common referenced types", PVS-1, PVS-2, DEC-6).
 *
 * @module
 */
import { optional, struct, text } from "../../meta/types.ts";

/** A Secret anywhere in the cluster: `name` and `namespace` (PVS-1). */
export const SecretReference = struct(
  "A Secret in a namespace.",
  {
    name: optional(text("Name of the Secret.")),
    namespace: optional(text("Namespace of the Secret.")),
  },
  { atomic: true },
);

/** An object in the namespace of the Pod: `name` only (PVS-2). */
export const LocalObjectReference = struct(
  "An object in the namespace of the one that refers to it.",
  { name: optional(text("Name of the object.", { default: "" })) },
  { atomic: true },
);

const objectReferenceMembers = {
  kind: optional(text("Kind of the object.")),
  namespace: optional(text("Namespace of the object.")),
  name: optional(text("Name of the object.")),
  uid: optional(text("UID of the object.")),
  apiVersion: optional(text("Group and version of the object.")),
  resourceVersion: optional(text("Version of the object that is meant.")),
  fieldPath: optional(text("A part of the object, such as `spec.containers{name}`.")),
};

/** A reference to any object, with one owner (DEC-6). */
export const ObjectReference = struct("Any object, or a part of it.", objectReferenceMembers, { atomic: true });

/** A reference to any object whose members have owners of their own: the claimRef of a PersistentVolume (DEC-6). */
export const GranularObjectReference = struct("Any object, or a part of it.", objectReferenceMembers);
