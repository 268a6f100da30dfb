/**
 * What the packages of a real server answer to the expressions of the specification's tests, as `record.ts` has asked them:
 * type, estimate, value or error, and cost. Where they answer otherwise than the specification, they are who is right.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import type { SpecCase } from "./data.ts";

/** An answer: `compile` is the message of what is refused; the others are as in `test/conformance/cel.json`. */
export type Want = Readonly<Record<string, unknown>>;

/** An expression and its answer. */
export interface Answer {
  readonly expr: string;
  readonly want: Want;
}

/** All answers. */
export const ANSWERS: readonly Answer[] = readFileSync(new URL("kubernetes.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Answer);

const byExpression = new Map(ANSWERS.map(({ expr, want }) => [expr, want]));

/** Whether a test can be asked without its variables; only such tests have been. */
export const isAlone = ({ ask }: SpecCase): boolean => !ask.typeEnv && !ask.bindings;

/** The answer to a test, if it has been asked. */
export const answerTo = (one: SpecCase): Want | undefined =>
  isAlone(one) ? byExpression.get(one.ask.expr) : undefined;
