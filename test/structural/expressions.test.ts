/** Any expression: compiled or refused, run or failed, and never dear or slow. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { allFunctions } from "../../src/cel/library/index.ts";
import { RUN_LIMIT, compile } from "../../src/cel/program.ts";
import { declare, sizeBelow } from "../../src/cel/schema/declaration.ts";
import { viewOf } from "../../src/cel/schema/views.ts";
import { cpuMillis } from "../../src/util/testing/cpu-time.ts";
import { isLongSlice } from "../../src/util/testing/slices.ts";
import { Failure } from "../../src/cel/values.ts";
import { RUNS, expressions } from "./schemas.ts";

const schema = {
  type: "object",
  properties: {
    n: { type: "integer" },
    s: { type: "string" },
    d: { type: "string", format: "date-time" },
    x: { "x-kubernetes-int-or-string": true },
    l: { type: "array", items: { type: "string" } },
    m: { type: "object", additionalProperties: { type: "integer" } },
    o: { type: "object", properties: { t: { type: "boolean" } } },
  },
} as const;
const value = {
  n: 3,
  s: "a".repeat(5000),
  d: "2026-01-01T00:00:00Z",
  x: "7",
  l: Array.from({ length: 300 }, (_, i) => `e${i}`),
  m: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i])),
  o: { t: true },
};

const declaration = declare(schema, false)!;
const { type } = declaration;
const environment = {
  functions: allFunctions(),
  variables: new Map([
    ["self", type],
    ["oldSelf", type],
  ]),
  sizeAt: (path: readonly string[]) => sizeBelow(declaration, path),
};
const self = viewOf(value, declaration);

/** Whether work takes too long, each of three times: a collection of garbage may fall into one. */
const isLong = (work: () => unknown): boolean =>
  [1, 2, 3].every(() => {
    const before = cpuMillis();
    work();
    return isLongSlice(cpuMillis() - before);
  });

test("CEL-56: an expression is refused or compiled; what is compiled ends, in time and within its limit", () => {
  fc.assert(
    fc.property(expressions, (source) => {
      expect(isLong(() => compile(source, environment))).toBe(false);
      const { program } = compile(source, environment);
      if (!program) return;
      const { min, max } = program.cost;
      if (max !== undefined && min > max) throw new Error(`expected ${min} of ${source} to be at most ${max}`);
      if (isLong(() => program.run([self, self]))) throw new Error(`expected ${source} to be quick`);
      const { value: result, cost } = program.run([self, self]);
      if (cost > RUN_LIMIT && !(result instanceof Failure))
        throw new Error(`expected ${source} to end, it cost ${cost}`);
    }),
    { numRuns: RUNS * 20 },
  );
});
