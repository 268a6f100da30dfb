/** The scale subresource of a custom kind: replicas at the paths of its definition (CRD-35). */
import type { Version } from "../kinds/apiextensions/v1/definition.ts";
import { scale } from "../kinds/autoscaling/v1/scale.ts";
import type { FieldErrors } from "../meta/field-errors.ts";
import { badRequest, replicasMissing } from "../meta/status.ts";
import type { ApiObject, SubresourceRules } from "../schema/definition.ts";
import { memberAt, putMember } from "../schema/structural/member-path.ts";
import { asValue } from "../schema/api-object.ts";
import type { Value } from "../value/value.ts";

type Paths = NonNullable<NonNullable<Version["subresources"]>["scale"]>;

const stepsOf = (path: string): readonly string[] => path.replace(/^\./, "").split(".");

const at = (object: ApiObject, path: string): Value | undefined => memberAt(asValue(object), stepsOf(path));

/** Returns the scale subresource for these paths. */
export function scaleOf({ specReplicasPath, statusReplicasPath, labelSelectorPath }: Paths): SubresourceRules {
  const spec = stepsOf(specReplicasPath);
  return {
    verbs: ["get", "patch", "update"],
    takes: scale,
    lens: {
      read(object) {
        const wanted = at(object, specReplicasPath) ?? 0;
        const selector = labelSelectorPath ? at(object, labelSelectorPath) : undefined;
        return {
          spec: wanted === 0 ? {} : { replicas: wanted },
          status: {
            replicas: at(object, statusReplicasPath) ?? 0,
            ...(typeof selector === "string" && selector !== "" ? { selector } : {}),
          },
        };
      },
      missing(object) {
        if (at(object, specReplicasPath) === undefined) throw replicasMissing(specReplicasPath);
      },
      write(object, value) {
        const { replicas } = value["spec"] as { replicas?: number };
        if (replicas === undefined && at(object, specReplicasPath) === undefined) {
          throw badRequest(`expected spec.replicas: the object has no ${specReplicasPath} yet`);
        }
        if (!putMember(asValue(object), spec, replicas ?? 0)) {
          throw badRequest(`expected ${specReplicasPath} to be a member of an object`);
        }
        const { resourceVersion } = value.metadata;
        if (resourceVersion) object.metadata.resourceVersion = resourceVersion;
      },
      fields: { "spec.replicas": spec.join(".") },
    },
  };
}

const MAX_REPLICAS = 2 ** 31 - 1;

/** Validates the values that the scale subresource shows. */
export function validateReplicas(
  { specReplicasPath, statusReplicasPath, labelSelectorPath }: Paths,
  object: ApiObject,
  errors: FieldErrors,
): void {
  for (const path of [specReplicasPath, statusReplicasPath]) {
    const value = at(object, path);
    if (value === undefined) continue;
    if (typeof value !== "number" || !Number.isInteger(value)) errors.invalid(path, value, "expected an integer");
    else if (value < 0 || value > MAX_REPLICAS)
      errors.invalid(path, value, `expected a number from 0 to ${MAX_REPLICAS}`);
  }
  if (!labelSelectorPath) return;
  const selector = at(object, labelSelectorPath);
  if (selector !== undefined && typeof selector !== "string")
    errors.invalid(labelSelectorPath, selector, "expected a text");
}
