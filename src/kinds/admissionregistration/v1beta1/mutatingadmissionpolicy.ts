/**
 * MutatingAdmissionPolicy: expressions that change a write (POL-A-20..25).
 *
 * @module
 */
import { ageColumn, countOf, numberColumn } from "../../../schema/columns.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ResourceDefinition } from "../../../schema/definition.ts";
import { GROUP } from "../group.ts";
import { defaultMatchResources } from "../matching.ts";
import { paramKindColumn } from "../policy.ts";
import { rulesOf } from "../validate.ts";
import { gatedVersion } from "./gated-version.ts";
import { policySchema } from "./mutating-schema.ts";

/** The definition of MutatingAdmissionPolicy in v1beta1, which is stored. */
export const mutatingAdmissionPolicy = (ctx: ApiContext): ResourceDefinition =>
  defineResource(policySchema, {
    ...GROUP,
    ...gatedVersion("MutatingAdmissionPolicy", ctx),
    plural: "mutatingadmissionpolicies",
    defaults({ spec }) {
      if (!spec) return;
      spec.failurePolicy ??= "Fail";
      defaultMatchResources(spec.matchConstraints);
    },
    validateInSteps: rulesOf("MutatingAdmissionPolicy"),
    columns: [
      numberColumn("Mutations", "The number of mutations.", ({ spec }) => countOf(spec?.mutations)),
      paramKindColumn,
      ageColumn,
    ],
  });
