/**
 * MutatingAdmissionPolicy: expressions that change a write (POL-A-20..25).
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import { ageColumn, countOf, numberColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { GROUP } from "../group.ts";
import { defaultMatchResources, matchConditions } from "../matching.ts";
import { Variable, paramKindColumn, policyMembers } from "../policy.ts";
import { rulesOf } from "../validate.ts";
import { gatedVersion } from "./gated-version.ts";

const Mutation = t.struct("A change of an object.", {
  patchType: t.required(t.text("ApplyConfiguration or JSONPatch; the member of that name is set, and no other.")),
  applyConfiguration: t.pointer(
    t.struct("A change that is merged into the object as server-side apply does.", {
      expression: t.optional(t.text("The expression in CEL that makes the members to merge, of type Object.")),
    }),
  ),
  jsonPatch: t.pointer(
    t.struct("A change by the operations of a JSON patch.", {
      expression: t.optional(t.text("The expression in CEL that makes the operations, a list of type JSONPatch.")),
    }),
  ),
});

const Spec = t.struct("The mutations, and the requests that they change.", {
  ...policyMembers,
  variables: t.optional(
    t.atomicList(Variable, "Named expressions; each may use those before it, and is evaluated when it is used."),
  ),
  mutations: t.optional(
    t.atomicList(Mutation, "The mutations in their order, each on the result of those before it; at least one."),
  ),
  matchConditions,
  reinvocationPolicy: t.optional(
    t.text(
      "Never: the policy is evaluated once. IfNeeded: it is evaluated once more where others have changed the object since.",
    ),
  ),
});

const schema = objectSchema("A policy of expressions that changes writes.", { spec: t.always(Spec) });

/** A mutating policy in wire form. */
export type MutatingAdmissionPolicy = ObjectOf<typeof schema>;

/** The definition of MutatingAdmissionPolicy in v1beta1, which is stored. */
export const mutatingAdmissionPolicy = (ctx: ApiContext): ResourceDefinition =>
  defineResource(schema, {
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
