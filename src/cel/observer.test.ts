import { expect, test } from "vitest";
import { allFunctions } from "./library/index.ts";
import type { Branch } from "./observer.ts";
import { compile } from "./program.ts";
import { DYN } from "./types.ts";
import { jsonView } from "./json-view.ts";
import type { Value } from "../value/value.ts";

/** The branches of an expression, and those that runs with these values of `self` have taken. */
function observed(source: string, ...values: readonly Value[]) {
  const branches: string[] = [];
  const taken = new Set<string>();
  const counts = { began: 0 };
  const { program, error } = compile(source, {
    functions: allFunctions(),
    variables: new Map([["self", DYN]]),
    observe: () => ({
      began: () => void counts.began++,
      branch({ operator, at, when }: Branch) {
        const name = `${operator} at ${at} ${when}`;
        branches.push(name);
        return () => void taken.add(name);
      },
    }),
  });
  if (!program) throw new Error(error);
  const results = values.map((value) => program.run([jsonView(value)]).value);
  return { branches, taken: [...taken], results, ...counts };
}

test("each operator has two branches, and a run takes one of them", () => {
  const { branches, taken, began, results } = observed("self.a && self.b ? 1 : 2", { a: true, b: false }, { a: false });
  expect(branches).toEqual(["&& at 7 true", "&& at 7 false", "?: at 17 true", "?: at 17 false"]);
  expect(taken).toEqual(["&& at 7 true", "?: at 17 false", "&& at 7 false"]);
  expect(began).toBe(2);
  expect(results).toEqual([2n, 2n]);
});

test("operators of macros have no branches, those in their arguments do", () => {
  const { branches, taken } = observed("self.all(x, x > 0 || x < -5)", [1, 2]);
  expect(branches).toEqual(["|| at 18 true", "|| at 18 false"]);
  expect(taken).toEqual(["|| at 18 true"]);
});

test("a left side that fails takes no branch", () => {
  expect(observed("self.missing || true", {}).taken).toEqual([]);
});
