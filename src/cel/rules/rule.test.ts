import { expect, test } from "vitest";
import { FieldErrors } from "../../meta/field-errors.ts";
import type { Steps } from "../../util/steps.ts";
import { WorkTooLong, withWorkLimit } from "../../util/work-limit.ts";
import type { Schema } from "../schema/declaration.ts";
import { checkRules, validateRules } from "./index.ts";

const RULES = 100;
const text = (rules: number, wrong = false): Schema => ({
  type: "string",
  maxLength: 5,
  "x-kubernetes-validations": Array.from({ length: rules }, (_, i) => ({ rule: wrong ? "self +" : `self != '${i}'` })),
});
const AT_ONE_PLACE: Schema = { type: "object", properties: { a: text(RULES) } };
const AT_MANY: Schema = {
  type: "object",
  properties: Object.fromEntries(Array.from({ length: RULES }, (_, i) => [`p${i}`, text(1)])),
};
const BROKEN: Schema = { type: "object", properties: { a: text(RULES, true) } };

function countSteps(steps: Steps<unknown>): number {
  let count = 0;
  while (steps.next().done !== true) count++;
  return count;
}

test.each([
  ["of one place", AT_ONE_PLACE],
  ["of many places", AT_MANY],
  ["that cannot be read", BROKEN],
])("rules %s are checked in a step each, for a definition may have ten thousand", (_, schema) => {
  const check = { faults: [], reads: true, isReadable: () => true };
  expect(countSteps(checkRules(schema, "schema", check, new FieldErrors()))).toBeGreaterThan(2 * RULES);
});

test.each([
  ["of one place", AT_ONE_PLACE],
  ["of many places", AT_MANY],
])("rules %s are compiled in a step each, when the first object is judged", (_, schema) => {
  const judging = { isObject: true, ratchets: false };
  expect(countSteps(validateRules(schema, {}, judging))).toBeGreaterThanOrEqual(RULES);
  // The compiled ones are cached.
  expect(countSteps(validateRules(schema, {}, judging))).toBeLessThan(RULES);
});

test("a long rule is compiled in a worker thread where there is one, others in steps", () => {
  const ruled = (rule: string): Schema => ({
    type: "object",
    properties: { a: { type: "string", maxLength: 5, "x-kubernetes-validations": [{ rule }] } },
  });
  const compiled = (schema: Schema) =>
    countSteps(withWorkLimit(validateRules(schema, {}, { isObject: true, ratchets: false })));
  const short = ruled("[1].size() > 0");
  const long = ruled(`[${"1,".repeat(20_000)}].size() > 0`);
  expect(compiled(short)).toBeGreaterThan(2);
  expect(() => compiled(long)).toThrow(WorkTooLong);
  expect(countSteps(validateRules(long, {}, { isObject: true, ratchets: false }))).toBeGreaterThan(2);
});
