import fc from "fast-check";
import { expect, test } from "vitest";
import { exactText, parseExactText } from "./exact-text.ts";
import { JsonNumber, type Value, equal } from "./value.ts";

test("a value without an integer beyond 2^53 is plain JSON text", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(exactText(value)).toBe(JSON.stringify(value));
      expect(equal(parseExactText(exactText(value)), JSON.parse(JSON.stringify(value)) as Value)).toBe(true);
    }),
  );
});

test.each(["9007199254740992", "9007199254740993", "9223372036854775807", "-9223372036854775808"])(
  "%s keeps its digits, beside what looks like it",
  (digits) => {
    const value = { a: [new JsonNumber(digits)], b: 1e300, c: digits, __proto__: 1, d: 0.1 };
    const text = exactText(value);
    expect(text).toBe(`{"a":[${digits}],"b":1e+300,"c":"${digits}","d":0.1} `);
    expect(parseExactText(text)).toEqual({ a: [new JsonNumber(digits)], b: 1e300, c: digits, d: 0.1 });
    expect(exactText(parseExactText(text))).toBe(text);
  },
);
