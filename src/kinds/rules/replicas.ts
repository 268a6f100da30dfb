import type { ApiObject, SubresourceRules } from "../../schema/definition.ts";
import { scale } from "../autoscaling/v1/scale.ts";

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
