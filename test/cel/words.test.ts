import { expect, test } from "vitest";
import { allFunctions } from "../../src/cel/library/index.ts";
import { compile } from "../../src/cel/program.ts";
import { Failure } from "../../src/cel/values.ts";

function said(expr: string): string {
  const { program, error } = compile(expr, { functions: allFunctions(), variables: new Map() });
  if (!program) return error.split("\n")[0]!;
  const { value } = program.run([]);
  return value instanceof Failure ? value.message : JSON.stringify(value);
}

test.each([
  [".foo", "ERROR: <input>:1:2: undeclared reference to '.foo' (in container '')"],
  ["duration(1)", "ERROR: <input>:1:10: invalid duration argument"],
  ["[1].all(x, duration(x) == duration('1s'))", "type conversion error from 'int' to 'google.protobuf.Duration'"],
  ["quantity('1').foo", "ERROR: <input>:1:14: unexpected failed resolution of 'kubernetes.Quantity'"],
  ["dyn(1).charAt(1)", "no such overload: charAt(int, int)"],
  ["dyn(1).startsWith('a')", "no such overload"],
  ["dyn(1).size()", "no such overload: size"],
  ["dyn(9007199254740993) == dyn(9007199254740992.0)", "true"],
])("CEL-5: the words of Kubernetes for %s", (expr, words) => {
  expect(said(expr)).toBe(words);
});

test("CEL-5: what is empty is refused before its first place", () => {
  expect(said("")).toMatch(/^ERROR: <input>:1:0: Syntax error: /);
});
