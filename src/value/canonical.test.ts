import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "./canonical.ts";
import { equal, JsonNumber, type Value } from "./value.ts";

test("members are sorted at every level and nothing else changes", () => {
  expect(canonicalJson({ b: [{ d: 1, c: "x" }], a: null })).toBe('{"a":null,"b":[{"c":"x","d":1}]}');
});

test("numbers that are equal have one text", () => {
  const written = (text: string): Value => new JsonNumber(text) as unknown as Value;
  expect([-0, 0, 19, written("19.0"), written("2e1"), written("9007199254740993")].map(canonicalJson)).toEqual([
    "0",
    "0",
    "19",
    "19",
    "20",
    "9007199254740993",
  ]);
});

test("keys of the prototype are members", () => {
  expect(canonicalJson(JSON.parse('{"toJSON":1,"__proto__":{"x":1}}') as Value)).toBe(
    '{"__proto__":{"x":1},"toJSON":1}',
  );
});

test("values are equal exactly when their texts are", () => {
  const value = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Value>;
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(canonicalJson(a) === canonicalJson(b)).toBe(equal(a, b));
      expect(equal(JSON.parse(canonicalJson(a)) as Value, a)).toBe(true);
    }),
  );
});
