import { expect, test } from "vitest";
import { FieldErrors } from "../../meta/field-errors.ts";
import { inOneStep } from "../../util/steps.ts";
import { WorkTooLong, withWorkLimit } from "../../util/work-limit.ts";
import type { Structural } from "./schema.ts";
import { validatorOf } from "./validate.ts";

/** A schema with texts for some members and numbers for the others. */
const withTexts = (...names: string[]): Structural => ({
  type: "object",
  properties: Object.fromEntries(
    ["a", "b", "c"].map((name) => [name, { type: names.includes(name) ? "string" : "integer" }]),
  ),
});

/** The invalid fields of a value, and why. */
function wrongIn(schema: Structural, value: unknown): string[] {
  const errors = new FieldErrors();
  validatorOf(schema).validate(value, undefined, errors);
  return errors.causes.map(({ field, message }) => `${field}: ${message}`);
}

test.each(["anyOf", "oneOf"] as const)(
  "CRD-45: of several alternatives of %s that do not fit, the one that fits best is named, wherever it stands",
  (word) => {
    const [best, worse, worst] = [withTexts("a", "b"), withTexts("a"), withTexts()];
    for (const alternatives of [
      [best, worse, worst],
      [worst, best, worse],
      [worse, worst, best],
    ]) {
      const wrong = wrongIn({ type: "object", [word]: alternatives }, { a: "x", b: "x", c: "x" });
      expect(wrong).toEqual([
        expect.stringContaining(`must validate ${word === "anyOf" ? "at least one" : "one and only one"} schema`),
        'c: Invalid value: "string": c in body must be of type integer: "string"',
      ]);
    }
  },
);

test("CRD-45: of alternatives that fit equally badly the first is named", () => {
  const wrong = wrongIn(
    {
      anyOf: [
        { type: "string", maxLength: 1 },
        { type: "string", maxLength: 2 },
      ],
    },
    "abc",
  );
  expect(wrong).toHaveLength(2);
  expect(wrong[1]).toContain("1");
  expect(wrong[1]).not.toContain("2");
});

/** Alternatives of which the last one alone accepts a short text: 2^depth of them. */
const manyAlternatives = (word: "anyOf" | "allOf", depth: number, isLast = true): Structural =>
  depth === 0
    ? { minLength: isLast ? 1 : 5 }
    : { [word]: [manyAlternatives(word, depth - 1, false), manyAlternatives(word, depth - 1, isLast)] };

test.each([
  ["that fit", "anyOf", "x"],
  ["of which none fits", "anyOf", ""],
  ["that must all fit", "allOf", "x".repeat(9)],
] as const)("many items with many alternatives %s are work for a worker thread", (_, word, text) => {
  const schema: Structural = { type: "array", items: { type: "string", ...manyAlternatives(word, 13) } };
  const value = Array.from({ length: 16_384 }, () => text);
  const validate = () => validatorOf(schema).validate(value, undefined, new FieldErrors());
  expect(() => withWorkLimit(inOneStep(validate)).next()).toThrow(WorkTooLong);
});
