/**
 * Binding: the node of a Pod. It is created below the Pod, or with its name alone (KIND-Pod-8); `actions/binding.ts` carries it out.
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { ObjectReference } from "../../rules/references.ts";

const schema = objectSchema("Binds a Pod to a node, with the labels and annotations of this object.", {
  target: t.required(ObjectReference),
});

/** The definition of Binding. */
export const binding = defineResource(schema, {
  group: "",
  version: "v1",
  kind: "Binding",
  plural: "bindings",
  scope: "Namespaced",
  verbs: ["create"],
  asked: true,
});
