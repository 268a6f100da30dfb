/**
 * Scale (`autoscaling/v1`): how many replicas are wanted of something, and how many there are. It is what the `scale` path
 * of other kinds takes and answers, and is never stored itself.
 *
 * @module
 */
import { always, int32, optional, struct, text } from "../../../meta/types.ts";
import { ageColumn, numberColumn } from "../../../schema/columns.ts";
import type { ApiObject, ResourceDefinition, SubresourceRules } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";

interface Scale extends ApiObject {
  spec: { replicas?: number };
  status: { replicas?: number };
}

/** The kind of the bodies of `scale`. */
export const scale: ResourceDefinition = {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  plural: "scales",
  singular: "scale",
  scope: "Namespaced",
  description: "How many replicas of something are wanted, and how many there are.",
  schema: objectSchema("How many replicas of something are wanted, and how many there are.", {
    spec: always(struct("What is wanted.", { replicas: optional(int32("How many replicas are wanted.")) })),
    status: always(
      struct("What there is.", {
        replicas: always(int32("How many replicas there are.")),
        selector: optional(text("The label selector of the replicas, as a text.")),
      }),
    ),
  }),
  deleteAnswers: "status",
  columns: [
    numberColumn("Desired", "How many replicas are wanted.", (object) => (object as Scale).spec.replicas),
    numberColumn("Available", "How many replicas there are.", (object) => (object as Scale).status.replicas),
    ageColumn,
  ],
};

interface Replicated extends ApiObject {
  spec: { replicas?: number };
  status?: { replicas?: number };
}

/** The scale path of a kind with `spec.replicas` (KIND-All-17..20); `selectorOf` says which Pods are counted, as a query. */
export const scaleOf = (selectorOf: (object: ApiObject) => string): SubresourceRules => ({
  verbs: ["get", "patch", "update"],
  takes: scale,
  lens: {
    read(object) {
      const { spec, status } = object as Replicated;
      const selector = selectorOf(object);
      return {
        spec: spec.replicas ? { replicas: spec.replicas } : {},
        status: { replicas: status?.replicas ?? 0, ...(selector === "" ? {} : { selector }) },
      };
    },
    write(object, value) {
      const { replicas = 0 } = value["spec"] as { replicas?: number };
      (object as Replicated).spec.replicas = replicas;
      const { resourceVersion } = value.metadata;
      if (resourceVersion) object.metadata.resourceVersion = resourceVersion;
    },
    fields: { "spec.replicas": "spec.replicas" },
  },
});
