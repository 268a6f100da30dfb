/**
 * The form of mutating policies and their bindings (POL-A-20), with the messages of Kubernetes.
 *
 * @module
 */
import { AdmissionCompiler } from "../../../cel/environments/admission.ts";
import { OBJECT_TYPE, PATCH_LIST_TYPE } from "../../../cel/environments/mutation.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import type { Steps } from "../../../util/steps.ts";
import { same } from "../../rules/same.ts";
import { compileAt, validateConditions, validateVariables } from "../expressions.ts";
import { validateBinding, validateChoice, validateMutatedOperations, validatePolicy } from "../policy-rules.ts";
import type { MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding } from "./mutating-schema.ts";

type Mutation = NonNullable<MutatingAdmissionPolicy["spec"]["mutations"]>[number];

/** The types of patches with the members of their expressions. */
const PATCHES = { ApplyConfiguration: "applyConfiguration", JSONPatch: "jsonPatch" } as const;
const REINVOCATION_POLICIES = ["IfNeeded", "Never"];

const isPatchType = (name: string): name is keyof typeof PATCHES => Object.hasOwn(PATCHES, name);

/** Validates a policy; `old` is the one that it replaces. */
export function* validateMutatingPolicy(
  { spec }: MutatingAdmissionPolicy,
  old: MutatingAdmissionPolicy | undefined,
  errors: FieldErrors,
): Steps<void> {
  const { paramKind, matchConstraints, matchConditions = [], variables = [], mutations = [] } = spec;
  const params = paramKind !== undefined;
  validatePolicy(spec, errors);
  if (matchConstraints) validateMutatedOperations(matchConstraints, "spec.matchConstraints", errors);
  yield;
  const isKept = old && same(matchConditions, old.spec.matchConditions ?? []) && same(paramKind, old.spec.paramKind);
  if (!isKept) yield* validateConditions(matchConditions, params, "spec.matchConditions", errors);
  const compiler = new AdmissionCompiler({ params, authorizer: true, variables: true });
  yield* validateVariables(variables, compiler, "spec.variables", errors);
  if (mutations.length === 0) errors.required("spec.mutations", "mutations must contain at least one item");
  for (const [i, mutation] of mutations.entries()) {
    yield* validateMutation(mutation, compiler, `spec.mutations[${i}]`, errors);
  }
  validateReinvocation(spec.reinvocationPolicy, "spec.reinvocationPolicy", errors);
}

function validateReinvocation(policy: string | undefined, field: string, errors: FieldErrors): void {
  if (policy === undefined) errors.required(field);
  else validateChoice(policy, REINVOCATION_POLICIES, field, errors);
}

function* validateMutation(
  mutation: Mutation,
  compiler: AdmissionCompiler,
  field: string,
  errors: FieldErrors,
): Steps<void> {
  const { patchType } = mutation;
  if (patchType === "") return errors.required(`${field}.patchType`);
  if (!isPatchType(patchType)) return errors.notSupported(`${field}.patchType`, patchType, Object.keys(PATCHES));
  for (const [type, member] of Object.entries(PATCHES)) {
    const given = mutation[member];
    if (type !== patchType) {
      if (given)
        errors.invalid(`${field}.${member}`, `{${member}}`, `must not be specified when patchType is ${patchType}`);
    } else if (!given) errors.required(`${field}.${member}`, `must be specified when patchType is ${type}`);
    else
      yield* validateExpression(given.expression ?? "", patchType, compiler, `${field}.${member}.expression`, errors);
  }
}

function* validateExpression(
  expression: string,
  patchType: keyof typeof PATCHES,
  compiler: AdmissionCompiler,
  field: string,
  errors: FieldErrors,
): Steps<void> {
  const source = expression.trim();
  if (source === "") return errors.required(field);
  const returns = [patchType === "JSONPatch" ? PATCH_LIST_TYPE : OBJECT_TYPE];
  yield* compileAt(source, (text) => compiler.compileMutation(text, returns).compiled, field, errors);
}

/** Validates a binding. */
export function validateMutatingBinding({ spec }: MutatingAdmissionPolicyBinding, errors: FieldErrors): void {
  validateBinding(spec, errors);
  if (spec.matchResources) validateMutatedOperations(spec.matchResources, "spec.matchResources", errors);
}
