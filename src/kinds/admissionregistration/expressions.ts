/**
 * Compiles the expressions of webhooks and policies where they are written (HOOK-2, POL-A-2, CEL-1, CEL-2).
 *
 * @module
 */
import { AdmissionCompiler } from "../../cel/environments/admission.ts";
import { BOOL } from "../../cel/types.ts";
import type { FieldErrors } from "../../meta/field-errors.ts";
import { qualifiedName } from "../../meta/names.ts";
import type { Steps } from "../../util/steps.ts";
import { checkWork } from "../../util/work-limit.ts";
import type { MatchConditionValue } from "./matching.ts";
import type { VariableValue } from "./policy.ts";

/** The greatest number of match conditions. */
const MAX_CONDITIONS = 64;

/** The maximal cost of one character of an expression, in units of `checkWork`. */
const A_CHARACTER = 300;

/** The error of a compilation; undefined for a valid expression. */
interface Outcome {
  readonly error?: string | undefined;
}

/** Compiles an expression at `field` and adds its error. */
export function* compileAt(
  source: string,
  compile: (source: string) => Outcome,
  field: string,
  errors: FieldErrors,
): Steps<void> {
  checkWork(source.length * A_CHARACTER);
  const { error } = compile(source);
  if (error !== undefined) addError(error, source, field, errors);
  yield;
}

/** An expression that is valid and cannot be run is an internal error, as in Kubernetes. */
function addError(error: string, source: string, field: string, errors: FieldErrors): void {
  if (error.startsWith("program instantiation failed")) errors.add("InternalError", field, `Internal error: ${error}`);
  else errors.invalid(field, source, error);
}

/** Validates the match conditions at `field`; `params` says whether they may use parameters. */
export function* validateConditions(
  conditions: readonly MatchConditionValue[],
  params: boolean,
  field: string,
  errors: FieldErrors,
): Steps<void> {
  if (conditions.length === 0) return;
  if (conditions.length > MAX_CONDITIONS) errors.tooMany(field, conditions.length, MAX_CONDITIONS);
  const compiler = new AdmissionCompiler({ params, authorizer: true, variables: false });
  const names = new Set<string>();
  for (const [i, { name, expression }] of conditions.entries()) {
    const at = `${field}[${i}]`;
    const source = expression.trim();
    if (source === "") errors.required(`${at}.expression`);
    else yield* compileAt(source, (text) => compiler.compile(text, [BOOL]).compiled, `${at}.expression`, errors);
    validateConditionName(name, names, `${at}.name`, errors);
  }
}

function validateConditionName(name: string, names: Set<string>, field: string, errors: FieldErrors): void {
  if (name === "") return errors.required(field);
  const wrong = qualifiedName(name);
  if (wrong !== undefined) errors.invalid(field, name, wrong);
  if (names.has(name)) errors.duplicate(field, name);
  names.add(name);
}

const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const RESERVED = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** Validates the variables at `field`, and declares each of them for the expressions behind it. */
export function* validateVariables(
  variables: readonly VariableValue[],
  compiler: AdmissionCompiler,
  field: string,
  errors: FieldErrors,
): Steps<void> {
  for (const [i, { name, expression }] of variables.entries()) {
    const at = `${field}[${i}]`;
    validateVariableName(name, `${at}.name`, errors);
    if (expression.trim() === "") errors.required(`${at}.expression`, "expression is not specified");
    else yield* compileAt(expression, (source) => compiler.store(name, source), `${at}.expression`, errors);
  }
}

function validateVariableName(name: string, field: string, errors: FieldErrors): void {
  if (name.trim() === "") errors.required(field, "name is not specified");
  else if (!IDENTIFIER.test(name) || RESERVED.has(name)) errors.invalid(field, name, "must be a valid CEL identifier");
}
