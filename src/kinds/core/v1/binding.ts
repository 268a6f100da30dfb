/**
 * Binding: which node a Pod runs on. It is asked for below the Pod, or by its name alone (KIND-Pod-8); what comes of it is in
 * `actions/binding.ts`.
 *
 * @module
 */
import { required } from "../../../meta/types.ts";
import type { ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { ObjectReference } from "../../rules/references.ts";

const description = "Asks that a Pod runs on a node, with the labels and annotations of this object.";

/** The definition of Binding. */
export const binding: ResourceDefinition = {
  group: "",
  version: "v1",
  kind: "Binding",
  plural: "bindings",
  singular: "binding",
  scope: "Namespaced",
  description,
  schema: objectSchema(description, { target: required(ObjectReference) }),
  verbs: ["create"],
  asked: true,
  deleteAnswers: "status",
};
