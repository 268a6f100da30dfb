/**
 * Evaluates the validations and audit annotations of a policy for one request and one param.
 *
 * @module
 */
import type { AdmissionCompiler, Bound, Expression, Inputs, Observing } from "../../cel/environments/admission.ts";
import { BOOL, NULL, STRING } from "../../cel/types.ts";
import { Failure, type Value, typeNameOf } from "../../cel/values.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Clock } from "../../util/clock.ts";
import type { Steps } from "../../util/steps.ts";
import { CompiledPolicy, withoutNamespace } from "./compiled-policy.ts";
import type { Validation, ValidatingSpec } from "./contract.ts";

/** The result of one validation. */
export interface ValidationDecision {
  /** `allowed`; `refused`: the expression is false; `failed`: it could not be evaluated. */
  readonly result: "allowed" | "refused" | "failed";
  readonly message: string;
  /** The reason of a refusal, as the policy sets it. */
  readonly reason?: string | undefined;
  readonly millis: number;
}

/** The result of one audit annotation: a value, an error, or neither where there is nothing to record. */
export interface AnnotationResult {
  readonly key: string;
  readonly value?: string;
  readonly error?: string;
  readonly millis: number;
}

/** The result of a policy for one request and one param. */
export interface ValidationResult {
  readonly decisions: readonly ValidationDecision[];
  readonly annotations: readonly AnnotationResult[];
  /** The name of the match condition that is false: the policy was not evaluated. */
  readonly condition?: string;
  /** Why match conditions could not be evaluated, which the policy ignores. */
  readonly ignored?: string;
  /** The cost of validations, messages and annotations; absent where none was evaluated. */
  readonly cost?: number;
}

/** A validation, compiled. */
interface CompiledValidation {
  readonly source: Validation;
  readonly expression: Expression;
  readonly message: Expression | undefined;
}

/** The compiled expressions of a ValidatingAdmissionPolicy. */
interface Validations {
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly { readonly key: string; readonly expression: Expression }[];
}

/** A ValidatingAdmissionPolicy, compiled. */
export type ValidatingPolicy = CompiledPolicy<Validations>;

/** Reads a ValidatingAdmissionPolicy. */
export function readValidatingPolicy(object: ApiObject, observing?: Observing): ValidatingPolicy {
  const spec = (object["spec"] ?? {}) as ValidatingSpec;
  const { validations = [], auditAnnotations = [] } = spec;
  const own = [
    ...validations.flatMap(({ expression, messageExpression }) => [expression, messageExpression]),
    ...auditAnnotations.map(({ valueExpression }) => valueExpression),
  ];
  return new CompiledPolicy(object, spec, own, (compiler) => compileValidations(compiler, spec), observing);
}

function* compileValidations(
  compiler: AdmissionCompiler,
  { validations = [], auditAnnotations = [] }: ValidatingSpec,
): Steps<Validations> {
  const compiled: CompiledValidation[] = [];
  for (const source of validations) {
    const { expression, messageExpression = "" } = source;
    const message = messageExpression === "" ? undefined : compiler.compileMessage(messageExpression);
    compiled.push({ source, expression: compiler.compile(expression, [BOOL]), message });
    yield;
  }
  const annotations: { key: string; expression: Expression }[] = [];
  for (const { key, valueExpression } of auditAnnotations) {
    annotations.push({ key, expression: compiler.compile(valueExpression, [STRING, NULL]) });
    yield;
  }
  return { validations: compiled, annotations };
}

/** The budget of the validations of a binding with their messages, and that of its audit annotations (CEL-56). */
const BUDGET = 10_000_000;

/** The cost of one step, less than a millisecond. */
const STEP_COST = 10_000;

/** The longest message of an expression, in bytes; a longer one is not used. */
const MAX_MESSAGE_BYTES = 5 * 1024;

/** The longest value of an audit annotation. */
const MAX_ANNOTATION_LENGTH = 10 * 1024;

type Steady = Pick<Clock, "steady">;

/** Evaluates a policy: its match conditions first, then all of its validations, then its audit annotations. */
export function* evaluateValidations(policy: ValidatingPolicy, inputs: Inputs, clock: Steady): Steps<ValidationResult> {
  const { conditions, expressions, bind } = yield* policy.compiled();
  if (!conditions.isEmpty) {
    const met = yield* conditions.steps(withoutNamespace(inputs));
    if (met.holds === false) return { ...NOTHING, condition: met.condition };
    if (!met.holds) return policy.ignoresFailures ? { ...NOTHING, ignored: met.error } : onlyFailure(met.error);
  }
  const validations = new Evaluation(bind(inputs), clock);
  const decisions = yield* validations.validate(expressions.validations);
  if (expressions.annotations.length === 0) return { decisions, annotations: [], cost: validations.cost };
  const noted = new Evaluation(bind(inputs), clock);
  const annotations = yield* noted.annotate(expressions.annotations);
  const cost = validations.cost + noted.cost;
  return annotations instanceof Failure
    ? { ...onlyFailure(annotations.message), cost }
    : { decisions, annotations, cost };
}

const NOTHING: ValidationResult = { decisions: [], annotations: [] };

const onlyFailure = (message: string): ValidationResult => ({
  decisions: [{ result: "failed", message, millis: 0 }],
  annotations: [],
});

/** Expressions that share one budget. */
class Evaluation {
  readonly #bound: Bound;
  readonly #clock: Steady;
  #budget = BUDGET;
  /** The budget at the end of the last step. */
  #stepBudget = BUDGET;

  constructor(bound: Bound, clock: Steady) {
    this.#bound = bound;
    this.#clock = clock;
  }

  /** Its cost: all of the budget where that was exceeded. */
  get cost(): number {
    return BUDGET - Math.max(this.#budget, 0);
  }

  *validate(validations: readonly CompiledValidation[]): Steps<readonly ValidationDecision[]> {
    const results: { readonly value: Value; readonly millis: number }[] = [];
    for (const { expression } of validations) {
      const began = this.#clock.steady();
      const value = this.#run(expression);
      // Without budget there is no decision.
      if (this.#budget < 0) return onlyFailure((value as Failure).message).decisions;
      results.push({ value, millis: this.#clock.steady() - began });
      if (this.#isStepOver()) yield;
    }
    const decisions: ValidationDecision[] = [];
    for (const [i, { value, millis }] of results.entries()) {
      decisions.push({ ...this.#decide(validations[i]!, value), millis });
      if (this.#isStepOver()) yield;
    }
    return decisions;
  }

  *annotate(annotations: Validations["annotations"]): Steps<readonly AnnotationResult[] | Failure> {
    const results: AnnotationResult[] = [];
    for (const { key, expression } of annotations) {
      const began = this.#clock.steady();
      const value = this.#run(expression);
      if (this.#budget < 0) return value as Failure;
      results.push({ ...annotationOf(key, value, expression), millis: this.#clock.steady() - began });
      if (this.#isStepOver()) yield;
    }
    return results;
  }

  /** Whether the expressions since the last step have cost enough for a step: most cost nearly nothing. */
  #isStepOver(): boolean {
    if (this.#stepBudget - this.#budget < STEP_COST) return false;
    this.#stepBudget = this.#budget;
    return true;
  }

  #run(expression: Expression): Value {
    const { value, remaining } = this.#bound.run(expression, this.#budget);
    this.#budget = remaining;
    return value;
  }

  #decide({ source, message }: CompiledValidation, value: Value): Omit<ValidationDecision, "millis"> {
    if (value === true) return { result: "allowed", message: "" };
    if (value instanceof Failure) return { result: "failed", message: value.message };
    const own = message && this.#run(message);
    if (this.#budget < 0) {
      return { result: "failed", message: `failed messageExpression: ${(own as Failure).message}` };
    }
    const text = usableMessage(own) || source.message?.trim() || `failed expression: ${source.expression.trim()}`;
    return { result: "refused", message: text, reason: source.reason };
  }
}

/** The message from an expression; empty where it is no text, too long, or has several lines. */
function usableMessage(value: Value | undefined): string {
  if (typeof value !== "string") return "";
  const text = value.trim();
  return Buffer.byteLength(text) > MAX_MESSAGE_BYTES || text.includes("\n") ? "" : text;
}

function annotationOf(key: string, value: Value, { source }: Expression): Omit<AnnotationResult, "millis"> {
  if (value instanceof Failure) return { key, error: value.message };
  if (value === null) return { key };
  if (typeof value !== "string") return { key, error: wrongType(source, value) };
  const text = value.trim();
  return text === "" ? { key } : { key, value: text.slice(0, MAX_ANNOTATION_LENGTH) };
}

const wrongType = (source: string, value: Value): string =>
  `valueExpression '${source}' resulted in unsupported return type: ${typeNameOf(value)}. Return type must be either string or null.`;
