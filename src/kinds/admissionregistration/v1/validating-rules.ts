/**
 * The form of validating policies and their bindings (POL-A-1..3, POL-A-9), with the messages of Kubernetes.
 *
 * @module
 */
import { AdmissionCompiler } from "../../../cel/environments/admission.ts";
import { BOOL, NULL, STRING } from "../../../cel/types.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { qualifiedName } from "../../../meta/names.ts";
import { JsonPathError, parseJsonPath } from "../../../schema/jsonpath/parse.ts";
import type { Steps } from "../../../util/steps.ts";
import { validateConditions as validateStatusConditions } from "../../rules/condition.ts";
import { same } from "../../rules/same.ts";
import { compileAt, validateConditions, validateVariables } from "../expressions.ts";
import { validateBinding, validateChoice, validatePolicy } from "../policy-rules.ts";
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "./validating-schema.ts";

type Spec = ValidatingAdmissionPolicy["spec"];
type Validation = NonNullable<Spec["validations"]>[number];
type Annotation = NonNullable<Spec["auditAnnotations"]>[number];

const REASONS = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const ACTIONS = ["Audit", "Deny", "Warn"];
const MAX_ANNOTATIONS = 20;
const MAX_ANNOTATION_EXPRESSION_BYTES = 5 * 1024;
const NOTHING_TO_DO = "validations or auditAnnotations must contain at least one item";

/** Validates a policy; `old` is the one that it replaces. */
export function* validateValidatingPolicy(
  { metadata, spec }: ValidatingAdmissionPolicy,
  old: ValidatingAdmissionPolicy | undefined,
  errors: FieldErrors,
): Steps<void> {
  const { paramKind, matchConditions = [], variables = [], validations = [], auditAnnotations = [] } = spec;
  const params = paramKind !== undefined;
  validatePolicy(spec, errors);
  yield;
  const isKept = old && same(matchConditions, old.spec.matchConditions ?? []) && same(paramKind, old.spec.paramKind);
  if (!isKept) yield* validateConditions(matchConditions, params, "spec.matchConditions", errors);
  const compiler = new AdmissionCompiler({ params, authorizer: true, variables: variables.length > 0 });
  yield* validateVariables(variables, compiler, "spec.variables", errors);
  if (validations.length + auditAnnotations.length === 0) {
    for (const member of ["validations", "auditAnnotations"]) errors.required(`spec.${member}`, NOTHING_TO_DO);
  }
  for (const [i, validation] of validations.entries()) {
    yield* validateValidation(validation, compiler, `spec.validations[${i}]`, errors);
  }
  yield* validateAnnotations(auditAnnotations, metadata.name ?? "", compiler, errors);
}

function* validateValidation(
  { expression, message = "", messageExpression = "", reason }: Validation,
  compiler: AdmissionCompiler,
  field: string,
  errors: FieldErrors,
): Steps<void> {
  const at = `${field}.expression`;
  if (expression.trim() === "") errors.required(at, "expression is not specified");
  else yield* compileAt(expression, (source) => compiler.compile(source, [BOOL]).compiled, at, errors);
  const messageAt = `${field}.messageExpression`;
  if (isBlank(messageExpression)) errors.invalid(messageAt, messageExpression, "must be non-empty if specified");
  else if (messageExpression !== "") {
    yield* compileAt(messageExpression, (source) => compiler.compileMessage(source).compiled, messageAt, errors);
  }
  if (isBlank(message)) errors.invalid(`${field}.message`, message, "must be non-empty if specified");
  else if (/[\n\r]/.test(message.trim())) errors.invalid(`${field}.message`, message, "must not contain line breaks");
  validateChoice(reason, REASONS, `${field}.reason`, errors);
}

const isBlank = (text: string): boolean => text !== "" && text.trim() === "";

function* validateAnnotations(
  annotations: readonly Annotation[],
  policy: string,
  compiler: AdmissionCompiler,
  errors: FieldErrors,
): Steps<void> {
  const field = "spec.auditAnnotations";
  if (annotations.length > MAX_ANNOTATIONS) {
    errors.invalid(field, annotations, `must not have more than ${MAX_ANNOTATIONS} auditAnnotations`);
  }
  const keys = new Set<string>();
  for (const [i, annotation] of annotations.entries()) {
    const { key } = annotation;
    const wrong = policy === "" ? "requires metadata.name be non-empty" : qualifiedName(`${policy}/${key}`);
    if (wrong !== undefined) errors.invalid(`${field}[${i}].key`, key, wrong);
    yield* validateAnnotationValue(annotation, compiler, `${field}[${i}].valueExpression`, errors);
    if (keys.has(key)) errors.duplicate(`${field}[${i}].key`, key);
    keys.add(key);
  }
}

function* validateAnnotationValue(
  { valueExpression }: Annotation,
  compiler: AdmissionCompiler,
  field: string,
  errors: FieldErrors,
): Steps<void> {
  const source = valueExpression.trim();
  if (source === "") return errors.required(field, "valueExpression is not specified");
  if (Buffer.byteLength(source) > MAX_ANNOTATION_EXPRESSION_BYTES) {
    return errors.required(field, `must not exceed ${MAX_ANNOTATION_EXPRESSION_BYTES} bytes in length`);
  }
  return yield* compileAt(source, (text) => compiler.compile(text, [STRING, NULL]).compiled, field, errors);
}

/** Validates the status of a policy. */
export function validatePolicyStatus({ status }: ValidatingAdmissionPolicy, errors: FieldErrors): void {
  for (const [i, { fieldRef, warning }] of (status.typeChecking?.expressionWarnings ?? []).entries()) {
    const field = `status.typeChecking.expressionWarnings[${i}]`;
    if (warning === "") errors.required(`${field}.warning`);
    validateFieldRef(fieldRef.trim(), `${field}.fieldRef`, errors);
  }
  validateStatusConditions(status.conditions ?? [], "status.conditions", errors);
}

function validateFieldRef(fieldRef: string, field: string, errors: FieldErrors): void {
  if (fieldRef === "") return errors.required(field);
  try {
    parseJsonPath(/^\w/.test(fieldRef) ? `.${fieldRef}` : fieldRef);
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    errors.invalid(field, fieldRef, `invalid JSONPath: ${error.message}`);
  }
}

/** Validates a binding. */
export function validateValidatingBinding({ spec }: ValidatingAdmissionPolicyBinding, errors: FieldErrors): void {
  validateBinding(spec, errors);
  validateActions(spec.validationActions ?? [], "spec.validationActions", errors);
}

function validateActions(actions: readonly string[], field: string, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, action] of actions.entries()) {
    validateChoice(action, ACTIONS, `${field}[${i}]`, errors);
    if (seen.has(action)) errors.duplicate(`${field}[${i}]`, action);
    seen.add(action);
  }
  if (seen.has("Deny") && seen.has("Warn")) {
    const why =
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
    errors.invalid(field, actions, why);
  }
  if (seen.size === 0) errors.required(field, "at least one validation action is required");
}
