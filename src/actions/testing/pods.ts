import { binding } from "../../kinds/core/v1/binding.ts";
import { anything, optional, pointer, struct, text } from "../../meta/types.ts";
import type { ResourceDefinition } from "../../schema/definition.ts";
import { objectSchema } from "../../schema/object-schema.ts";

const about = "A kind of the test.";

/** Pods, as far as actions need them, with the kinds that their subresources take. */
export const pods = (scope: ResourceDefinition["scope"], eviction: ResourceDefinition): ResourceDefinition => ({
  group: "",
  version: "v1",
  kind: "Pod",
  plural: "pods",
  singular: "pod",
  scope,
  description: about,
  schema: objectSchema(about, {
    spec: pointer(anything("The spec.")),
    status: optional(
      struct("The status.", { phase: optional(text("The phase.")), conditions: optional(anything("Conditions.")) }),
    ),
  }),
  subresources: {
    status: { verbs: ["update"] },
    binding: { verbs: ["create"], takes: binding },
    eviction: { verbs: ["create"], takes: eviction },
  },
  deleteReturns: "object",
});
