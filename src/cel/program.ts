/**
 * Expressions, compiled: from a text to something that runs.
 *
 * @module
 */
import { check } from "./check.ts";
import type { Environment } from "./environment.ts";
import { estimate } from "./estimate.ts";
import { issuesText } from "./issues.ts";
import { parse } from "./parser.ts";
import { PlanFault, Run, type Slots, type Step, TOO_DEAR, plan } from "./plan.ts";
import type { Range } from "./range.ts";
import type { Type } from "./types.ts";
import { Failure, type Value } from "./values.ts";

/** What came of a run. */
export interface Outcome {
  /** A {@link Failure} where it failed. */
  readonly value: Value;
  readonly cost: number;
}

/** An expression that can run; it may run any number of times, for anybody. */
export interface Program {
  readonly type: Type;
  /** The names of the variables that it speaks of. */
  readonly variables: ReadonlySet<string>;
  /** What it may cost; computed when it is first asked for. */
  readonly cost: Range;
  /** Runs over values of variables, in the order of the environment; what costs more than `limit` fails. */
  run(values: Slots, limit?: number): Outcome;
}

/** What came of a text: a program, or why it is none. */
export type Compiled =
  | { readonly program: Program; readonly error?: undefined }
  | {
      readonly program?: undefined;
      readonly error: string;
      /** The type, where the text itself was right. */
      readonly type?: Type;
    };

/** The most that one run may cost (CEL-56). */
export const RUN_LIMIT = 1_000_000;

/** Compiles an expression. */
export function compile(source: string, env: Environment): Compiled {
  const parsed = parse(source, env.macros);
  if (parsed.issues) return { error: issuesText(source, parsed.issues) };
  const result = check(parsed.expr, env);
  if (result.issues) return { error: issuesText(source, result.issues) };
  const { checked } = result;
  const slots = new Map([...env.variables.keys()].map((name, i) => [name, i]));
  let step: Step;
  try {
    step = plan(checked, slots);
  } catch (error) {
    if (error instanceof PlanFault) return { error: `program: ${error.message}`, type: checked.type };
    throw error;
  }
  let cost: Range | undefined;
  const program: Program = {
    type: checked.type,
    variables: checked.variables,
    get cost() {
      return (cost ??= estimate(checked, env));
    },
    run: (values, limit = RUN_LIMIT) => runOf(step, values, limit),
  };
  return { program };
}

function runOf(step: Step, values: Slots, limit: number): Outcome {
  const run = new Run(values, limit);
  try {
    return { value: step(run), cost: run.cost };
  } catch (error) {
    if (error !== TOO_DEAR) throw error;
    return { value: new Failure(TOO_DEAR.message), cost: run.cost };
  }
}
