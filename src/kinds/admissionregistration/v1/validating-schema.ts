/**
 * The schemas of validating policies and of their bindings.
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import type { ObjectOf } from "../../../schema/define-resource.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { Condition } from "../../rules/condition.ts";
import { matchConditions } from "../matching.ts";
import { Variable, bindingMembers, policyMembers } from "../policy.ts";

const Validation = t.struct("An expression that has to be true.", {
  expression: t.required(
    t.text(
      "The expression in CEL, of type bool, over object, oldObject, request, params, namespaceObject, variables and authorizer.",
    ),
  ),
  message: t.optional(t.text("The message of a refusal, in one line.")),
  reason: t.pointer(
    t.text("The reason of a refusal: Forbidden, Invalid or RequestEntityTooLarge; Invalid by default."),
  ),
  messageExpression: t.optional(
    t.text("An expression of type string that makes the message of a refusal; `message` is used where it fails."),
  ),
});

const AuditAnnotation = t.struct("An annotation of audit events.", {
  key: t.required(t.text("The key of the annotation below the name of the policy: `POLICY/KEY`.")),
  valueExpression: t.required(
    t.text("The expression in CEL that makes the value, of type string or null; there is no annotation for null."),
  ),
});

const Spec = t.struct("The expressions, and the requests that they judge.", {
  ...policyMembers,
  validations: t.optional(
    t.atomicList(Validation, "The expressions; a policy needs at least one, or an audit annotation."),
  ),
  auditAnnotations: t.optional(t.atomicList(AuditAnnotation, "The annotations of audit events; at most 20.")),
  matchConditions,
  variables: t.optional(
    t.keyedList(
      Variable,
      ["name"],
      "Named expressions; each may use those before it, and is evaluated when it is used.",
    ),
  ),
});

const ExpressionWarning = t.struct("A finding about an expression.", {
  fieldRef: t.required(t.text("The path of the expression, such as `spec.validations[0].expression`.")),
  warning: t.required(t.text("The types for which the expression does not fit, and why.")),
});

const PolicyStatus = t.struct("The status of the policy, which a controller sets.", {
  observedGeneration: t.optional(t.int64("The generation of the policy that the status is about.")),
  typeChecking: t.pointer(
    t.struct("The result of type checking; it is complete where it is set.", {
      expressionWarnings: t.optional(t.atomicList(ExpressionWarning, "The findings about expressions.")),
    }),
  ),
  conditions: t.optional(t.replacedList(Condition, ["type"], "The latest observations.")),
});

/** The schema of a validating policy. */
export const policySchema = objectSchema(
  "A policy of expressions that accepts or refuses writes and does not change them.",
  {
    spec: t.always(Spec),
    status: t.always(PolicyStatus),
  },
);

/** A validating policy in wire form. */
export type ValidatingAdmissionPolicy = ObjectOf<typeof policySchema>;

/** The schema of a binding of a validating policy. */
export const bindingSchema = objectSchema("A binding of a validating policy to requests and parameters.", {
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
export type ValidatingAdmissionPolicyBinding = ObjectOf<typeof bindingSchema>;
