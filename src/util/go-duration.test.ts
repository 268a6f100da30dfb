import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseFormatDuration, parseGoDuration, parseGoMillis } from "./go-duration.ts";
import { leastCpu } from "./testing/cpu-time.ts";
import { expectLinear } from "./testing/linear.ts";
import { expectNotLong } from "./testing/slices.ts";

const SECOND = 1_000_000_000n;

test.each<[string, bigint | undefined]>([
  ["30s", 30n * SECOND],
  ["1m30s", 90n * SECOND],
  ["30s1m", 90n * SECOND],
  ["1.5h", 5400n * SECOND],
  [".5s", SECOND / 2n],
  ["1.s", SECOND],
  ["1h1.5m.5s", 3690n * SECOND + SECOND / 2n],
  ["5us", 5000n],
  ["5\u00b5s", 5000n],
  ["5\u03bcs", 5000n],
  ["2ns", 2n],
  ["0.9ns", 0n],
  ["+2h", 7200n * SECOND],
  ["-1s", -SECOND],
  ["0", 0n],
  ["-0", 0n],
  ["000001s", SECOND],
  // A fraction is computed in a double, from the digits that an int64 holds.
  ["0.100000000000000000000h", 360n * SECOND],
  ["0.9223372036854775807h", 3_320_413_933_267n],
  ["0.3333333333333333333h", 1200n * SECOND],
  ["9223372036854775807ns", 2n ** 63n - 1n],
  ["-9223372036854775808ns", -(2n ** 63n)],
  ["9223372036854775808ns", undefined],
  ["2562048h", undefined],
  ["9223372036854775807ns1ns", undefined],
  ["", undefined],
  ["-", undefined],
  ["+-1s", undefined],
  ["30", undefined],
  ["1d", undefined],
  [".s", undefined],
  ["1..5s", undefined],
  ["1 s", undefined],
  ["1s ", undefined],
  ["1S", undefined],
  ["00", undefined],
  [`${"1".repeat(100)}s`, undefined],
])("time.ParseDuration reads %j as %s ns", (text, nanos) => {
  expect(parseGoDuration(text)).toBe(nanos);
});

test("a duration that is printed with whole numbers is parsed to the same value", () => {
  const unit = fc.constantFrom(["ns", 1n], ["us", 1000n], ["ms", 10n ** 6n], ["s", SECOND], [
    "m",
    60n * SECOND,
  ] as const);
  const part = fc.tuple(fc.nat(999_999), unit);
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 20 }), (parts) => {
      const text = parts.map(([count, [name]]) => `${count}${name}`).join("");
      const sum = parts.reduce((all, [count, [, size]]) => all + BigInt(count) * (size as bigint), 0n);
      expect(parseGoDuration(text)).toBe(sum);
      expect(parseGoDuration(`-${text}`)).toBe(-sum);
    }),
  );
});

test("milliseconds may have fractions", () => {
  expect(["5us", "1.5s", "-2ns", "1d"].map(parseGoMillis)).toEqual([0.005, 1500, -2e-6, undefined]);
});

test.each<[string, bigint | undefined]>([
  ["1h30m", 5400n * SECOND],
  ["3 days", 3n * 86_400n * SECOND],
  ["3DAYS", 3n * 86_400n * SECOND],
  ["2weeks", 14n * 86_400n * SECOND],
  ["1wk 1 hr", 608_400n * SECOND],
  ["1 hour, 5 mins", 3900n * SECOND],
  ["7\u00b5s and 3 nanos", 7003n],
  ["2 millis", 2n * 10n ** 6n],
  ["5 seconds or so", 5n * SECOND],
  ["in 5\t\nsec", 5n * SECOND],
  ["1.5 hours", 5n * 3600n * SECOND],
  ["5 sheep 1 s", SECOND],
  ["9223372036854775807 ns 1ns", -(2n ** 63n)],
  ["9223372036854775808 sheep 1 ns", undefined],
  ["5 sheep", undefined],
  ["5", undefined],
  ["5\u03bcs later", undefined],
  ["days", undefined],
  ["", undefined],
])("the format duration reads %j as %s ns", (text, nanos) => {
  expect(parseFormatDuration(text)).toBe(nanos);
});

test.each(["1h", "0.5h", "1us"])("half a megabyte of %s is parsed within one slice", async (part) => {
  const text = part.repeat(2 ** 19 / part.length);
  expectNotLong(await leastCpu(() => void parseGoDuration(text), 40), 40);
});

describe("a malicious text takes linear time", () => {
  test.each([
    ["numbers with a unit", "0000s", "x"],
    ["digits", "0", ""],
    ["ones", "1", "s"],
    ["fractions", ".1", "s"],
    ["digits behind a point", "9", ".s"],
    ["numbers and blanks", "1 ", "x"],
    ["letters", "h", ""],
    ["unknown units", "1x", ""],
    ["points", ".", ""],
    ["days", "1d", ""],
  ])("%s", async (_, part, end) => {
    const textOf = (size: number): string => part.repeat(size / part.length) + end;
    await expectLinear(textOf, parseGoDuration);
    await expectLinear(textOf, parseFormatDuration);
  });
});
