import fc from "fast-check";
import { expect, test } from "vitest";
import { expectLinear } from "../util/testing/linear.ts";
import { expandVariables } from "./variables.ts";

const VALUES: Readonly<Record<string, string>> = { A: "a", B: "$(A)", "": "nameless", "$(": "odd" };
const expanded = (text: string): string => expandVariables(text, (name, reference) => VALUES[name] ?? reference);

test.each([
  ["", ""],
  ["a/b", "a/b"],
  ["$(A)", "a"],
  ["x$(A)y$(A)z", "xayaz"],
  ["$(B)", "$(A)"],
  ["$()", "nameless"],
  ["$$(A)", "$(A)"],
  ["$$$(A)", "$a"],
  ["$$$$", "$$"],
  ["$", "$"],
  ["a$", "a$"],
  ["$A $a", "$A $a"],
  ["$(A", "$(A"],
  ["$(A $(A", "$(A $(A"],
  ["$($()", "odd"],
  [")$(A", ")$(A"],
  ["$(C) $(A)", "$(C) a"],
])("%j becomes %j", (text, result) => {
  expect(expanded(text)).toBe(result);
});

test("texts are expanded as by a regular expression", () => {
  const texts = fc.string({ unit: fc.constantFrom("$", "(", ")", "A", "x"), maxLength: 20 });
  const reference = /\$(?:\$|\(([^)]*)\))/g;
  fc.assert(
    fc.property(texts, (text) => {
      const slowly = text.replace(reference, (whole, name: string | undefined) =>
        name === undefined ? "$" : (VALUES[name] ?? whole),
      );
      expect(expanded(text)).toBe(slowly);
    }),
    { numRuns: 1000 },
  );
});

const tried = (text: string): unknown => {
  try {
    return expanded(text);
  } catch (error) {
    return error;
  }
};

test.each(["$(", "$", "$(A)", "$()", "(", "$($)"])(
  "%s again and again takes a time that grows with the text",
  async (part) => {
    await expectLinear((size) => `)${part.repeat(size / part.length)}`, tried);
  },
);

test("values that make a text too long are refused before all are inserted", () => {
  const value = "x".repeat(1000);
  expect(expandVariables("$(A)".repeat(131), () => value)).toHaveLength(131_000);
  expect(() => expandVariables("$(A)".repeat(1e6), () => value)).toThrow("expected at most 131072 characters");
});
