/**
 * Eviction: a delete of a Pod that its budget must allow. It is created below the Pod; `actions/eviction.ts` carries it out.
 *
 * @module
 */
import { DeleteOptionsSchema } from "../../../meta/delete-options.ts";
import * as t from "../../../meta/types.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import { objectSchema } from "../../../schema/object-schema.ts";

const schema = objectSchema("Deletes a Pod, if the PodDisruptionBudget that selects it allows it.", {
  deleteOptions: t.pointer(DeleteOptionsSchema),
});

/** The definition of Eviction. */
export const eviction = defineResource(schema, {
  group: "policy",
  version: "v1",
  kind: "Eviction",
  plural: "evictions",
  scope: "Namespaced",
  verbs: ["create"],
  asked: true,
  // It is a subresource of a Pod, and has no path of its own.
  served: false,
});
