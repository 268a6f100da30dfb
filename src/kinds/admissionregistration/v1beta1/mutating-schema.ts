/**
 * The schemas of mutating policies and of their bindings.
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import type { ObjectOf } from "../../../schema/define-resource.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { matchConditions } from "../matching.ts";
import { Variable, bindingMembers, policyMembers } from "../policy.ts";

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

/** The schema of a mutating policy. */
export const policySchema = objectSchema("A policy of expressions that changes writes.", { spec: t.always(Spec) });

/** A mutating policy in wire form. */
export type MutatingAdmissionPolicy = ObjectOf<typeof policySchema>;

/** The schema of a binding of a mutating policy. */
export const bindingSchema = objectSchema("A binding of a mutating policy to requests and parameters.", {
  spec: t.always(t.struct("The policy and its parameters.", bindingMembers)),
});

/** A binding of a mutating policy in wire form. */
export type MutatingAdmissionPolicyBinding = ObjectOf<typeof bindingSchema>;
