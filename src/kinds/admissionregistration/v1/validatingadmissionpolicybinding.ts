/**
 * ValidatingAdmissionPolicyBinding: where a validating policy holds, with which parameters, and what a failure does (POL-A-1,
 * POL-A-6).
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { GROUP } from "../group.ts";
import { defaultMatchResources } from "../matching.ts";
import { bindingColumns, bindingMembers } from "../policy.ts";
import { rulesOf } from "../validate.ts";

const schema = objectSchema("A binding of a validating policy to requests and parameters.", {
  spec: t.always(
    t.struct("The policy, its parameters and its actions.", {
      ...bindingMembers,
      validationActions: t.optional(
        t.setList(
          t.text(),
          "What a failed validation does: Deny refuses the request, Warn adds a warning, Audit adds an annotation to the audit event; not both Deny and Warn.",
        ),
      ),
    }),
  ),
});

/** A binding of a validating policy in wire form. */
export type ValidatingAdmissionPolicyBinding = ObjectOf<typeof schema>;

/** The definition of ValidatingAdmissionPolicyBinding. */
export const validatingAdmissionPolicyBinding = defineResource(schema, {
  ...GROUP,
  version: "v1",
  kind: "ValidatingAdmissionPolicyBinding",
  plural: "validatingadmissionpolicybindings",
  defaults: ({ spec }) => defaultMatchResources(spec?.matchResources),
  validateInSteps: rulesOf("ValidatingAdmissionPolicyBinding"),
  columns: bindingColumns,
});
