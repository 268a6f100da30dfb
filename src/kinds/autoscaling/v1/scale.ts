/**
 * Scale (`autoscaling/v1`): the desired and the actual number of replicas of an object. It is the body of requests and responses on the
 * `scale` path of other kinds, and is never stored itself.
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import { ageColumn, numberColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiObject, SubresourceRules } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";

const schema = objectSchema("The desired and the current number of replicas of an object.", {
  spec: t.always(t.struct("The desired state.", { replicas: t.optional(t.int32("The desired number of replicas.")) })),
  status: t.always(
    t.struct("The current state.", {
      replicas: t.always(t.int32("How many replicas there are.")),
      selector: t.optional(t.text("The label selector of the replicas, as a text.")),
    }),
  ),
});

/** The kind of the bodies of `scale`. */
export const scale = defineResource(schema, {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  plural: "scales",
  scope: "Namespaced",
  columns: [
    numberColumn("Desired", "The desired number of replicas.", (object) => object.spec.replicas),
    numberColumn("Available", "How many replicas there are.", (object) => object.status.replicas),
    ageColumn,
  ],
});

interface Replicated extends ApiObject {
  readonly spec: { replicas?: number };
  readonly status: { readonly replicas?: number };
}

/** The scale subresource of a kind with `spec.replicas` (KIND-All-17..20); `selectorOf` returns the selector of its Pods. */
export const scaleOf = <T extends Replicated>(selectorOf: (object: T) => string): SubresourceRules<T> => ({
  verbs: ["get", "patch", "update"],
  takes: scale,
  lens: {
    read(object) {
      const { replicas } = object.spec;
      const selector = selectorOf(object);
      return {
        spec: replicas ? { replicas } : {},
        status: { replicas: object.status.replicas ?? 0, ...(selector === "" ? {} : { selector }) },
      };
    },
    write(object, value: ObjectOf<typeof schema>) {
      object.spec.replicas = value.spec.replicas ?? 0;
      const { resourceVersion } = value.metadata;
      if (resourceVersion) object.metadata.resourceVersion = resourceVersion;
    },
    fields: { "spec.replicas": "spec.replicas" },
  },
});
