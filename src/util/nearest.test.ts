import fc from "fast-check";
import { expect, test } from "vitest";
import { suggestion } from "./nearest.ts";

test("the nearest word is suggested, and none when nothing is near", () => {
  expect(suggestion("dialekt", ["data-dir", "dialect"])).toBe('; did you mean "dialect"?');
  expect(suggestion("zzzzzzzz", ["data-dir", "dialect"])).toBe("");
  expect(suggestion("dialekt", [])).toBe("");
});

test("a word with a missing, doubled or wrong letter is found", () => {
  const words = ["data-dir", "feature-gates", "controllers", "insecure-http"];
  const change = fc.record({
    word: fc.constantFrom(...words),
    at: fc.nat(),
    how: fc.constantFrom("drop", "double", "other"),
  });
  fc.assert(
    fc.property(change, ({ word, at, how }) => {
      const i = at % word.length;
      const middle = how === "drop" ? "" : how === "double" ? word[i]!.repeat(2) : "_";
      expect(suggestion(word.slice(0, i) + middle + word.slice(i + 1), words)).toContain(`"${word}"`);
    }),
  );
});
