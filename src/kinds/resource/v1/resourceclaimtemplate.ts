/**
 * ResourceClaimTemplate: the template of the claims of Pods (KIND-ResourceClaimTemplate-1). Nothing here creates a claim.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { ObjectMetaSchema } from "../../../meta/object-meta.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { sameMeaning } from "../../../schema/same-meaning.ts";
import { dropFeatures } from "../../rules/gated-field.ts";
import { validateTemplateMetadata } from "../../rules/template-metadata.ts";
import {
  ClaimSpecSchema,
  claimExpressions,
  defaultClaimSpec,
  specFeatures,
  validateAdminAccess,
  validateClaimSpec,
} from "./claim-spec.ts";
import { validateExpressions } from "./selectors.ts";

const Spec = t.struct("The template of a claim.", {
  metadata: t.always(ObjectMetaSchema),
  spec: t.required(ClaimSpecSchema),
});

const schema = objectSchema("The template of claims of Pods.", { spec: t.required(Spec) });

type ResourceClaimTemplate = ObjectOf<typeof schema>;

const AT = "spec.spec";
const FEATURES = specFeatures(AT);

function validate(object: ResourceClaimTemplate, errors: FieldErrors, ctx: WriteContext): void {
  const { spec } = object;
  validateTemplateMetadata(spec.metadata ?? {}, "spec.metadata", errors, ctx);
  validateClaimSpec(spec.spec, AT, errors, ctx);
}

/** The definition of ResourceClaimTemplate. */
export const resourceClaimTemplate = defineResource(schema, {
  group: "resource.k8s.io",
  version: "v1",
  kind: "ResourceClaimTemplate",
  plural: "resourceclaimtemplates",
  scope: "Namespaced",
  deleteReturns: "object",
  defaults: (object) => defaultClaimSpec(object.spec?.spec),
  prepareForCreate: (object, ctx) => dropFeatures(FEATURES, object.spec.spec, undefined, ctx),
  prepareForUpdate: (object, old, ctx) => dropFeatures(FEATURES, object.spec.spec, old.spec.spec, ctx),
  validate(object, errors, ctx) {
    validateAdminAccess(object.spec.spec, object.metadata.namespace ?? "", errors, ctx);
    validate(object, errors, ctx);
  },
  validateUpdate(object, old, errors, ctx) {
    validate(object, errors, ctx);
    if (!sameMeaning(Spec, object["spec"], old["spec"])) {
      errors.invalid("spec", object["spec"], "expected it to stay as it is");
    }
  },
  *validateInSteps(object, old, _subresource, errors, ctx) {
    const expressions = claimExpressions(object.spec.spec, AT);
    return yield* validateExpressions(expressions, errors, ctx, old !== undefined);
  },
  columns: [ageColumn],
});
