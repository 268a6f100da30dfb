import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  asJsonNumber,
  clone,
  equal,
  getMember,
  isObject,
  JsonNumber,
  setMember,
  type Value,
  type ValueObject,
} from "./value.ts";

const big = (text: string): Value => new JsonNumber(text) as unknown as Value;
const AWKWARD = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "length", "then", "toJSON"];

describe("keys are data", () => {
  test.each(AWKWARD)("the member %s is set, read, copied and compared like any other", (key) => {
    const object: ValueObject = {};
    expect(getMember(object, key)).toBeUndefined();
    setMember(object, key, { x: 1 });
    expect(getMember(object, key)).toEqual({ x: 1 });
    expect(Object.keys(clone(object))).toEqual([key]);
    expect(equal(clone(object), object)).toBe(true);
    expect(equal(object, {})).toBe(false);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});

describe("JsonNumber", () => {
  test("prints integers beyond 2^53 and numbers beyond the doubles with their literals", () => {
    expect(JSON.stringify([big("9007199254740993"), big("1e400"), big("19.0"), big("2e1")])).toBe(
      "[9007199254740993,1e400,19,20]",
    );
  });

  test("is no object, and its clone is the same number", () => {
    const number = big("19.0");
    expect(isObject(number)).toBe(false);
    expect(clone([number])).toEqual([number]);
    expect(asJsonNumber(number)?.text).toBe("19.0");
    expect(asJsonNumber(19)).toBeUndefined();
  });

  test("has the exact integer of an integer literal only", () => {
    expect(new JsonNumber("-9223372036854775808").integer).toBe(-(2n ** 63n));
    expect(new JsonNumber("19.0").integer).toBeUndefined();
    expect(new JsonNumber("9".repeat(310)).integer).toBeUndefined();
  });

  test.each<[string, Value, Value, boolean]>([
    ["a float that is whole and an integer", big("19.0"), 19, true],
    ["two spellings", big("2e1"), big("20.0"), true],
    ["neighbours beyond 2^53", big("9007199254740993"), big("9007199254740992"), false],
    ["a literal and the double that it rounds to", big("9007199254740993"), 9007199254740992, false],
    ["a literal that the double holds", big("9007199254740994"), 9007199254740994, true],
    ["a number and a text", big("19.0"), "19.0", false],
    ["two beyond the doubles", big("1e400"), big("1e401"), false],
    ["two integers beyond the doubles", big("9".repeat(400)), big("8".repeat(400)), false],
    ["an integer beyond the doubles and itself", big("9".repeat(400)), big("9".repeat(400)), true],
  ])("equal compares %s by value", (_, a, b, expected) => {
    expect(equal(a, b)).toBe(expected);
    expect(equal(b, a)).toBe(expected);
  });
});

test("equal agrees with sorted JSON", () => {
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return ["list", value.map(sorted)];
    if (!isObject(value)) return value === 0 ? 0 : value;
    const members = Object.keys(value).sort();
    return ["map", members.map((key) => [key, sorted(value[key])])];
  };
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(equal(a as Value, clone(a as Value))).toBe(true);
      expect(equal(a as Value, b as Value)).toBe(JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)));
    }),
  );
});
