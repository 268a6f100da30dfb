/**
 * ValidatingAdmissionPolicyBinding: where a validating policy holds, with which parameters, and what a failure does (POL-A-1,
 * POL-A-6).
 *
 * @module
 */
import { defineResource } from "../../../schema/define-resource.ts";
import { GROUP } from "../group.ts";
import { defaultMatchResources } from "../matching.ts";
import { bindingColumns } from "../policy.ts";
import { rulesOf } from "../validate.ts";
import { bindingSchema } from "./validating-schema.ts";

/** The definition of ValidatingAdmissionPolicyBinding. */
export const validatingAdmissionPolicyBinding = defineResource(bindingSchema, {
  ...GROUP,
  version: "v1",
  kind: "ValidatingAdmissionPolicyBinding",
  plural: "validatingadmissionpolicybindings",
  defaults: ({ spec }) => defaultMatchResources(spec?.matchResources),
  validateInSteps: rulesOf("ValidatingAdmissionPolicyBinding"),
  columns: bindingColumns,
});
