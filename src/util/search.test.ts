import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { indexIn, lastIndexIn, splitBy } from "./search.ts";
import { expectLinear } from "./testing/linear.ts";

describe("a search in long texts", () => {
  // Long enough that every product of lengths is large.
  const filler = "x".repeat(2000);
  const word = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 9, maxLength: 12 });
  const letters = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 80 });

  test("finds the same positions and parts as the methods of String", () => {
    fc.assert(
      fc.property(letters, letters, word, (before, behind, part) => {
        const text = before + filler + behind;
        expect(indexIn(text, part)).toBe(text.indexOf(part));
        expect(indexIn(text, part, before.length)).toBe(text.indexOf(part, before.length));
        expect(lastIndexIn(text, part)).toBe(text.lastIndexOf(part));
        expect(splitBy(text, part)).toEqual(text.split(part));
      }),
      { numRuns: 2000 },
    );
  });

  test("positions may overlap, parts do not", () => {
    const text = `${filler}aaaaa`;
    const part = "aa".repeat(10);
    expect(lastIndexIn(text + part, part)).toBe(text.length);
    expect(splitBy(`${text}${part}${part}`, part)).toEqual([filler, "", "aaaaa"]);
  });
});

test("short texts are searched with the methods of String", () => {
  expect([indexIn("abcabc", "c"), indexIn("abcabc", "c", 3), indexIn("abc", ""), indexIn("abc", "d")]).toEqual([
    2, 5, 0, -1,
  ]);
  expect([lastIndexIn("abcabc", "c"), splitBy("a,b,,c", ",")]).toEqual([5, ["a", "b", "", "c"]]);
});

describe("near matches everywhere take linear time", () => {
  const half = (size: number): string => "a".repeat(size / 2);
  test.each<[string, (size: number) => string]>([
    ["at its beginning", (size) => `b${half(size)}`],
    ["in its middle", (size) => `${half(size / 2)}b${half(size / 2)}`],
    ["near its end", (size) => `${half(size)}b${"a".repeat(100)}`],
    ["at its end", (size) => `${half(size)}b`],
    ["but for a letter that is short", () => `${"a".repeat(50)}b${"a".repeat(50)}`],
  ])("%s", async (_, partOf) => {
    for (const find of [indexIn, lastIndexIn, splitBy]) {
      await expectLinear(
        (size) => "a".repeat(size),
        (text) => find(text, partOf(text.length)),
      );
    }
  });
});
