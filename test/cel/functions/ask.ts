/**
 * What an expression with the texts `s` and `t` comes to here.
 *
 * @module
 */
import { allFunctions } from "../../../src/cel/library/index.ts";
import { compile } from "../../../src/cel/program.ts";
import { STRING, typeText } from "../../../src/cel/types.ts";
import { Failure } from "../../../src/cel/values.ts";
import type { Want } from "../spec/answers.ts";
import { written } from "../written.ts";

const TEXTS = new Map([
  ["s", STRING],
  ["t", STRING],
]);

/** What answers an expression with values of its variables. */
export function ask(expr: string): (s: string, t: string) => Want {
  const compiled = compile(expr, { functions: allFunctions(), variables: TEXTS });
  if (compiled.error !== undefined) {
    const answer = { compile: compiled.error, ...(compiled.type ? { type: typeText(compiled.type) } : {}) };
    return () => answer;
  }
  const { program } = compiled;
  return (s, t) => {
    const { value, cost } = program.run([s, t], 10_000_000);
    const result = value instanceof Failure ? { error: value.message } : { value: written(value) };
    return { type: typeText(program.type), min: program.cost.min, max: program.cost.max, ...result, cost };
  };
}
