import fc from "fast-check";
import { expect, test } from "vitest";
import { expectNoLongSlice } from "../util/testing/slices.ts";
import { goString, htmlSafe } from "./html-safe.ts";

test("characters that could end a page are escaped", () => {
  expect(htmlSafe('{"a":"<b>&\u2028\u2029é"}')).toBe('{"a":"\\u003cb\\u003e\\u0026\\u2028\\u2029é"}');
  expect(htmlSafe('{"a":"\\b"}')).toBe('{"a":"\\b"}');
  expect(htmlSafe("\\<")).toBe("\\\\u003c");
});

test.each([
  ["a", '"a"'],
  ["a\bb\f", '"a\\u0008b\\u000c"'],
  ["\\b\\\b", '"\\\\b\\\\\\u0008"'],
  ["\\\\f<", '"\\\\\\\\f\\u003c"'],
  ["\n\t\u0001\u2028", '"\\n\\t\\u0001\\u2028"'],
])("a string of Go has no short escape for backspace and form feed: %j", (text, json) => {
  expect(goString(text)).toBe(json);
});

test("a string of Go has the same value as the text, and nothing in it is unsafe", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "\b", "\f", "\\", "<", '"', "\u2028", "é", "😀", "b", "f") });
  fc.assert(
    fc.property(text, (it) => {
      const json = goString(it);
      expect(JSON.parse(json)).toBe(it);
      expect(json).not.toMatch(/[<>&\u2028\u2029]/);
    }),
  );
});

test.each(["&", "\b", "\\", "\u2028"])("a megabyte of %j is written in a turn that is not long", async (character) => {
  const text = character.repeat(1_000_000);
  await expectNoLongSlice(
    () => {},
    () => void goString(text),
    60,
  );
});
