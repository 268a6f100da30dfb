/**
 * MutatingAdmissionPolicyBinding: where a mutating policy holds, and with which parameters (POL-A-20).
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { GROUP } from "../group.ts";
import { defaultMatchResources } from "../matching.ts";
import { bindingColumns, bindingMembers } from "../policy.ts";
import { rulesOf } from "../validate.ts";
import { gatedVersion } from "./gated-version.ts";

const schema = objectSchema("A binding of a mutating policy to requests and parameters.", {
  spec: t.always(t.struct("The policy and its parameters.", bindingMembers)),
});

/** A binding of a mutating policy in wire form. */
export type MutatingAdmissionPolicyBinding = ObjectOf<typeof schema>;

/** The definition of MutatingAdmissionPolicyBinding in v1beta1, which is stored. */
export const mutatingAdmissionPolicyBinding = (ctx: ApiContext): ResourceDefinition =>
  defineResource(schema, {
    ...GROUP,
    ...gatedVersion("MutatingAdmissionPolicyBinding", ctx),
    plural: "mutatingadmissionpolicybindings",
    defaults: ({ spec }) => defaultMatchResources(spec?.matchResources),
    validateInSteps: rulesOf("MutatingAdmissionPolicyBinding"),
    columns: bindingColumns,
  });
