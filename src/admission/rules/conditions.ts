/**
 * Match conditions: expressions that all have to be true for a request (HOOK-16).
 *
 * One false condition is enough to skip the request, even where another one fails. They share one budget (CEL-56).
 *
 * @module
 */
import { AdmissionCompiler, type Expression, type Inputs, type Observing } from "../../cel/environments/admission.ts";
import { BOOL } from "../../cel/types.ts";
import { Failure } from "../../cel/values.ts";
import type { Steps } from "../../util/steps.ts";
import { checkWork } from "../../util/work-limit.ts";

/** A condition in an object. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** The result of conditions: all true, the name of the first false one, or the messages of those that failed. */
export type ConditionsResult =
  | { readonly holds: true }
  | { readonly holds: false; readonly condition: string; readonly failures: number }
  | { readonly holds?: undefined; readonly error: string; readonly failures: number };

const HOLDS = { holds: true } as const;

/** The budget of all conditions of one webhook, policy or binding. */
const BUDGET = 2_500_000;

/** The cost of compiling one character of a typical expression, in units of `checkWork`. */
export const A_CHARACTER = 200;

/** The variables of conditions besides `object`, `oldObject` and `request`. */
export interface ConditionVariables {
  readonly params: boolean;
}

/** A condition, compiled. */
interface CompiledCondition {
  readonly name: string;
  readonly expression: Expression;
}

/** Conditions that are compiled when they are first needed, in steps. */
export class MatchConditions {
  readonly #compiler: AdmissionCompiler;
  readonly #conditions: readonly MatchCondition[];
  /** The compiled conditions so far. */
  readonly #compiled: CompiledCondition[] = [];

  constructor(
    conditions: readonly MatchCondition[],
    { params }: ConditionVariables = { params: false },
    observing: Observing = {},
  ) {
    this.#compiler = new AdmissionCompiler({ params, authorizer: true, variables: false }, observing);
    this.#conditions = conditions;
  }

  /** Whether there are none. */
  get isEmpty(): boolean {
    return this.#conditions.length === 0;
  }

  /**
   * Compiles them, a condition in each step; the first caller runs the remaining steps.
   *
   * @throws WorkTooLong where one of them would take too long on this thread
   */
  *compiled(): Steps<readonly CompiledCondition[]> {
    for (;;) {
      const next = this.#conditions[this.#compiled.length];
      if (!next) return this.#compiled;
      const { name, expression } = next;
      checkWork(expression.length * A_CHARACTER);
      this.#compiled.push({ name, expression: this.#compiler.compile(expression, [BOOL]) });
      yield;
    }
  }

  /** Evaluates them, a condition in each step: all of them until the budget is exceeded. */
  *steps(inputs: Inputs): Steps<ConditionsResult> {
    const conditions = yield* this.compiled();
    const bound = this.#compiler.bind(inputs);
    const errors: string[] = [];
    let falseCondition: string | undefined;
    let budget = BUDGET;
    for (const { name, expression } of conditions) {
      const { value, remaining } = bound.run(expression, budget);
      if (remaining < 0) return { error: (value as Failure).message, failures: errors.length };
      budget = remaining;
      if (value instanceof Failure) errors.push(value.message);
      else if (value === false) falseCondition ??= name;
      yield;
    }
    if (falseCondition !== undefined) return { holds: false, condition: falseCondition, failures: errors.length };
    return errors.length === 0 ? HOLDS : { error: aggregated(errors), failures: errors.length };
  }
}

/** Several errors in one text, as in kube-apiserver. */
function aggregated(errors: readonly string[]): string {
  const [first = "", ...rest] = new Set(errors);
  return rest.length === 0 ? first : `[${[first, ...rest].join(", ")}]`;
}
