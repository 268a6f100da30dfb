/**
 * MutatingAdmissionPolicyBinding: where a mutating policy holds, and with which parameters (POL-A-20).
 *
 * @module
 */
import { defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ResourceDefinition } from "../../../schema/definition.ts";
import { GROUP } from "../group.ts";
import { defaultMatchResources } from "../matching.ts";
import { bindingColumns } from "../policy.ts";
import { rulesOf } from "../validate.ts";
import { gatedVersion } from "./gated-version.ts";
import { bindingSchema } from "./mutating-schema.ts";

/** The definition of MutatingAdmissionPolicyBinding in v1beta1, which is stored. */
export const mutatingAdmissionPolicyBinding = (ctx: ApiContext): ResourceDefinition =>
  defineResource(bindingSchema, {
    ...GROUP,
    ...gatedVersion("MutatingAdmissionPolicyBinding", ctx),
    plural: "mutatingadmissionpolicybindings",
    defaults: ({ spec }) => defaultMatchResources(spec?.matchResources),
    validateInSteps: rulesOf("MutatingAdmissionPolicyBinding"),
    columns: bindingColumns,
  });
