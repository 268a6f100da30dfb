/**
 * Eviction: a delete of a Pod that its budget must allow. It is asked for below the Pod; what comes of it is in
 * `actions/eviction.ts`.
 *
 * @module
 */
import { DeleteOptionsSchema } from "../../../meta/delete-options.ts";
import { pointer } from "../../../meta/types.ts";
import type { ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";

const description = "Asks that a Pod is deleted, as far as the PodDisruptionBudget that selects it allows that.";

/** The definition of Eviction. */
export const eviction: ResourceDefinition = {
  group: "policy",
  version: "v1",
  kind: "Eviction",
  plural: "evictions",
  singular: "eviction",
  scope: "Namespaced",
  description,
  schema: objectSchema(description, { deleteOptions: pointer(DeleteOptionsSchema) }),
  verbs: ["create"],
  asked: true,
  // It is asked for below a Pod, and has no path of its own.
  served: false,
  deleteAnswers: "status",
};
