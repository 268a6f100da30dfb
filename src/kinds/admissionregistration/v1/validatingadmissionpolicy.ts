/**
 * ValidatingAdmissionPolicy: expressions that accept or refuse a write (POL-A-1..3, POL-A-9).
 *
 * @module
 */
import { ageColumn, countOf, numberColumn } from "../../../schema/columns.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import { keepAllButStatus, keepStatus } from "../../rules/status.ts";
import { GROUP } from "../group.ts";
import { defaultMatchResources } from "../matching.ts";
import { paramKindColumn } from "../policy.ts";
import { rulesOf } from "../validate.ts";
import { validatePolicyStatus } from "./validating-rules.ts";
import { policySchema } from "./validating-schema.ts";

/** The definition of ValidatingAdmissionPolicy. */
export const validatingAdmissionPolicy = defineResource(policySchema, {
  ...GROUP,
  version: "v1",
  kind: "ValidatingAdmissionPolicy",
  plural: "validatingadmissionpolicies",
  resetFields: ["status"],
  validateInSteps: rulesOf("ValidatingAdmissionPolicy"),
  defaults({ spec }) {
    if (!spec) return;
    spec.failurePolicy ??= "Fail";
    defaultMatchResources(spec.matchConstraints);
  },
  prepareForCreate(object) {
    object.status = {};
  },
  prepareForUpdate: keepStatus,
  subresources: {
    status: {
      verbs: ["get", "patch", "update"],
      resetFields: ["metadata", "spec"],
      prepareForUpdate: keepAllButStatus,
      validateUpdate: (object, _old, errors) => validatePolicyStatus(object, errors),
    },
  },
  columns: [
    numberColumn("Validations", "The number of expressions.", ({ spec }) => countOf(spec?.validations)),
    paramKindColumn,
    ageColumn,
  ],
});
