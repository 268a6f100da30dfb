import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseGoFloat, parseGoInt, parseGoUint } from "./go-number.ts";
import { expectLinear } from "./testing/linear.ts";

const LARGEST = 2n ** 63n - 1n;

test.each<[string, bigint | undefined, bigint | undefined]>([
  ["0", 0n, 0n],
  ["42", 42n, 42n],
  ["+5", 5n, undefined],
  ["-5", -5n, undefined],
  ["-0", 0n, undefined],
  [`${"0".repeat(100)}7`, 7n, 7n],
  [`${LARGEST}`, LARGEST, LARGEST],
  [`${LARGEST + 1n}`, undefined, LARGEST + 1n],
  [`-${LARGEST + 1n}`, -LARGEST - 1n, undefined],
  [`-${LARGEST + 2n}`, undefined, undefined],
  [`${2n ** 64n - 1n}`, undefined, 2n ** 64n - 1n],
  [`${2n ** 64n}`, undefined, undefined],
  ["", undefined, undefined],
  ["-", undefined, undefined],
  ["1_0", undefined, undefined],
  ["0x1", undefined, undefined],
  [" 1", undefined, undefined],
  ["1.0", undefined, undefined],
  ["٣", undefined, undefined],
])("%j is the int64 %s and the uint64 %s", (text, int, uint) => {
  expect(parseGoInt(text)).toBe(int);
  expect(parseGoUint(text)).toBe(uint);
});

test("each int64 and uint64 is parsed from its own text", () => {
  fc.assert(
    fc.property(fc.bigInt(-LARGEST - 1n, 2n ** 64n - 1n), (value) => {
      expect(parseGoInt(String(value))).toBe(value <= LARGEST ? value : undefined);
      expect(parseGoUint(String(value))).toBe(value >= 0n ? value : undefined);
    }),
  );
});

// The results of Go 1.26.
test.each<[string, number | undefined]>([
  ["1", 1],
  ["-1.5e3", -1500],
  ["+.5", 0.5],
  ["1.", 1],
  ["-0", -0],
  ["1_000", 1000],
  ["1_0.5_0", 10.5],
  ["1e1_0", 1e10],
  ["1e400", undefined],
  ["1e-400", 0],
  ["1.7976931348623159e308", undefined],
  ["nan", Number.NaN],
  ["NaN", Number.NaN],
  ["+nan", undefined],
  ["inf", Infinity],
  ["-Infinity", -Infinity],
  ["infinit", undefined],
  ["0x1p-2", 0.25],
  ["0X1.8P+1", 3],
  ["-0x.8p0", -0.5],
  ["0x1.p0", 1],
  ["0x_1_0p1_0", 16_384],
  ["0x1p1023", 2 ** 1023],
  ["0x1p1024", undefined],
  ["0x1.fffffffffffff7p1023", Number.MAX_VALUE],
  ["0x1.fffffffffffff8p1023", undefined],
  ["0x1.00000000000008p0", 1],
  ["0x1.000000000000080000000000000000001p0", 1 + Number.EPSILON],
  ["0x1.00000000000018p0", 1 + 2 * Number.EPSILON],
  ["0x1p-1074", 5e-324],
  ["0x1p-1075", 0],
  ["0x1.8p-1074", 1e-323],
  ["-0x0p0", -0],
  ["0x1p-99999999999", 0],
  ["0x1p99999999999", undefined],
  [`0x0.${"0".repeat(100)}1p404`, 1],
  [`0x1${"0".repeat(100)}p-400`, 1],
  ["0x1", undefined],
  ["0x1.8", undefined],
  ["0x.p0", undefined],
  ["0xp0", undefined],
  ["0x1p", undefined],
  ["0x1e5", undefined],
  ["0b1", undefined],
  ["", undefined],
  ["-", undefined],
  [".", undefined],
  ["e5", undefined],
  ["1e", undefined],
  ["1e+", undefined],
  ["1e_5", undefined],
  ["1..5", undefined],
  ["1.5.", undefined],
  ["_1", undefined],
  ["1_", undefined],
  ["1__0", undefined],
  ["1_.5", undefined],
  ["1f", undefined],
  [" 1", undefined],
  ["1 ", undefined],
])("strconv.ParseFloat reads %j as %s", (text, value) => {
  expect(parseGoFloat(text)).toBe(value);
});

test("each finite double is parsed from its decimal and its hexadecimal text", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(parseGoFloat(Object.is(value, -0) ? "-0" : String(value))).toBe(value);
      expect(parseGoFloat(hexText(value))).toBe(value);
    }),
  );
});

function hexText(value: number): string {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const exponent = (bits.getUint16(0) >> 4) & 0x7ff;
  const fraction = (bits.getBigUint64(0) & (2n ** 52n - 1n)).toString(16).padStart(13, "0");
  const sign = Object.is(value, -0) || value < 0 ? "-" : "";
  return exponent === 0 ? `${sign}0x0.${fraction}p-1022` : `${sign}0x1.${fraction}p${exponent - 1023}`;
}

describe("a malicious text takes linear time", () => {
  test.each([
    ["digits", "", "0", "x"],
    ["digits that count", "", "9", ""],
    ["digits in base 16", "0x", "a", ""],
    ["digits in base 16 with an exponent", "0x", "f", "p1"],
    ["digits behind a point", "0.", "9", "x"],
    ["digits of an exponent", "1e", "9", ""],
    ["digits with underscores", "", "1_", "1"],
    ["underscores", "1", "_", "1"],
    ["points", "1", ".", ""],
  ])("%s", async (_, start, part, end) => {
    const textOf = (size: number): string => start + part.repeat(size / part.length) + end;
    await expectLinear(textOf, parseGoFloat);
    await expectLinear(textOf, parseGoInt);
  });
});
