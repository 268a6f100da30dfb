/**
 * ResourceClaim: requested devices, and the allocated ones (KIND-ResourceClaim-1..5). Nothing here allocates devices.
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import type { Column } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { sameMeaning } from "../../../schema/same-meaning.ts";
import { dropFeatures } from "../../rules/gated-field.ts";
import { keepAllButStatus } from "../../rules/status.ts";
import {
  ClaimSpecSchema,
  claimExpressions,
  defaultClaimSpec,
  specFeatures,
  validateAdminAccess,
  validateClaimSpec,
} from "./claim-spec.ts";
import {
  ClaimStatusSchema,
  type ResourceClaim,
  STATUS_FEATURES,
  dropFormerDevices,
  validateClaimStatus,
} from "./claim-status.ts";
import { validateExpressions } from "./selectors.ts";

const schema = objectSchema("Requested devices, and those that were allocated.", {
  spec: t.always(ClaimSpecSchema),
  status: t.always(ClaimStatusSchema),
});

const SPEC_FEATURES = specFeatures("spec");

function stateOf({ metadata, status }: ResourceClaim): string {
  const states = metadata.deletionTimestamp === undefined ? [] : ["deleted"];
  if (status.allocation) states.push("allocated", ...(status.reservedFor?.length ? ["reserved"] : []));
  else if (states.length === 0) states.push("pending");
  return states.join(",");
}

const columns: readonly Column<ResourceClaim>[] = [
  textColumn("State", "Whether devices were found and are used.", (object) => stateOf(object)),
  ageColumn,
];

/** The definition of ResourceClaim. */
export const resourceClaim = defineResource(schema, {
  group: "resource.k8s.io",
  version: "v1",
  kind: "ResourceClaim",
  plural: "resourceclaims",
  scope: "Namespaced",
  deleteReturns: "object",
  resetFields: ["status"],
  defaults: (object) => defaultClaimSpec(object.spec),
  prepareForCreate(object, ctx) {
    object["status"] = {};
    dropFeatures(SPEC_FEATURES, object.spec, undefined, ctx);
  },
  prepareForUpdate(object, old, ctx) {
    object["status"] = old["status"];
    dropFeatures(SPEC_FEATURES, object.spec, old.spec, ctx);
  },
  validate(object, errors, ctx) {
    const { spec, metadata } = object;
    validateAdminAccess(spec, metadata.namespace ?? "", errors, ctx);
    validateClaimSpec(spec, "spec", errors, ctx);
  },
  *validateInSteps(object, old, _subresource, errors, ctx) {
    // The requests are immutable, so they are validated once.
    return old ? undefined : yield* validateExpressions(claimExpressions(object.spec, "spec"), errors, ctx);
  },
  validateUpdate(object, old, errors) {
    if (!sameMeaning(ClaimSpecSchema, object["spec"], old["spec"])) {
      errors.invalid("spec", object["spec"], "expected it to stay as it is");
    }
  },
  subresources: {
    status: {
      verbs: ["get", "patch", "update"],
      resetFields: ["metadata", "spec"],
      prepareForUpdate(object, old, ctx) {
        keepAllButStatus(object, old);
        dropFeatures(STATUS_FEATURES, object, old, ctx);
        dropFormerDevices(object, old);
      },
      validateUpdate: (object, old, errors, ctx) => validateClaimStatus(object, old, errors, ctx),
    },
  },
  columns,
});
