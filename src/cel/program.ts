/**
 * Compiles expressions to programs.
 *
 * @module
 */
import { atOnce, type Steps } from "../util/steps.ts";
import { check } from "./check.ts";
import type { Environment } from "./environment.ts";
import { estimate } from "./estimate.ts";
import { issuesText } from "./issues.ts";
import { parse } from "./parser.ts";
import { PlanError, Run, type Slots, type Step, COST_LIMIT_EXCEEDED, plan } from "./plan.ts";
import type { Range } from "./range.ts";
import type { Type } from "./types.ts";
import { Failure, type Value } from "./values.ts";

/** The result of a run. */
export interface Outcome {
  /** A {@link Failure} where the run has failed. */
  readonly value: Value;
  readonly cost: number;
}

/** A compiled expression; it may run any number of times. */
export interface Program {
  readonly type: Type;
  /** The names of the variables that it uses. */
  readonly variables: ReadonlySet<string>;
  /** The estimated cost; computed at the first access. */
  readonly cost: Range;
  /** Runs with the values of variables in the order of the environment; a run that costs more than `limit` fails. */
  run(values: Slots, limit?: number): Outcome;
}

/** The result of a compilation: a program or an error. */
export type Compiled =
  | { readonly program: Program; readonly error?: undefined }
  | {
      readonly program?: undefined;
      readonly error: string;
      /** The type, where the expression is valid but cannot be planned. */
      readonly type?: Type;
    };

/** The cost limit of one run (CEL-56). */
export const RUN_LIMIT = 1_000_000;

/** Compiles an expression. */
export const compile = (source: string, env: Environment): Compiled => atOnce(compileSteps(source, env));

/** Compiles an expression in steps: parses it, checks it, and plans its run. */
export function* compileSteps(source: string, env: Environment): Steps<Compiled> {
  const parsed = parse(source, env.macros);
  if (parsed.issues) return { error: issuesText(source, parsed.issues) };
  yield;
  const result = check(parsed.expr, env);
  if (result.issues) return { error: issuesText(source, result.issues) };
  yield;
  const { checked } = result;
  const slots = new Map([...env.variables.keys()].map((name, i) => [name, i]));
  let step: Step;
  try {
    step = plan(checked, slots, env.observe?.(source));
  } catch (error) {
    if (error instanceof PlanError) return { error: `program: ${error.message}`, type: checked.type };
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
    if (error !== COST_LIMIT_EXCEEDED) throw error;
    return { value: new Failure(COST_LIMIT_EXCEEDED.message), cost: run.cost };
  }
}
