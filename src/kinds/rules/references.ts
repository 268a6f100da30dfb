/**
 * References to objects in members of kinds (doc 3 "Common referenced types", PVS-1, PVS-2, DEC-6).
 *
 * @module
 */
import * as t from "../../meta/types.ts";

/** A Secret anywhere in the cluster: `name` and `namespace` (PVS-1). */
export const SecretReference = t.struct(
  "A Secret in a namespace.",
  {
    name: t.optional(t.text("Name of the Secret.")),
    namespace: t.optional(t.text("Namespace of the Secret.")),
  },
  { atomic: true },
);

/** An object in the namespace of the Pod: `name` only (PVS-2). */
export const LocalObjectReference = t.struct(
  "An object in the namespace of the one that refers to it.",
  { name: t.optional(t.text("Name of the object.", { default: "" })) },
  { atomic: true },
);

const objectReferenceMembers = {
  kind: t.optional(t.text("Kind of the object.")),
  namespace: t.optional(t.text("Namespace of the object.")),
  name: t.optional(t.text("Name of the object.")),
  uid: t.optional(t.text("UID of the object.")),
  apiVersion: t.optional(t.text("Group and version of the object.")),
  resourceVersion: t.optional(t.text("Version of the object that is meant.")),
  fieldPath: t.optional(t.text("A part of the object, such as `spec.containers{name}`.")),
};

/** A reference to any object, with one owner (DEC-6). */
export const ObjectReference = t.struct("Any object, or a part of it.", objectReferenceMembers, { atomic: true });

/** A reference to any object whose members have owners of their own: the claimRef of a PersistentVolume (DEC-6). */
export const GranularObjectReference = t.struct("Any object, or a part of it.", objectReferenceMembers);
