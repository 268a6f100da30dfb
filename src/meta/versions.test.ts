import fc from "fast-check";
import { expect, test } from "vitest";
import { expectLinear } from "../util/testing/linear.ts";
import { isResourceVersion } from "./versions.ts";

test.each<[string, boolean]>([
  ["0", true],
  ["00", true],
  ["42", true],
  ["18446744073709551615", true],
  ["18446744073709551616", false],
  ["99999999999999999999", false],
  [`${"0".repeat(100)}18446744073709551615`, true],
  ["100000000000000000000", false],
  ["", false],
  ["-1", false],
  ["1.0", false],
  ["1 ", false],
  ["1\n", false],
])("%j is a resourceVersion: %s", (text, is) => {
  expect(isResourceVersion(text)).toBe(is);
});

test("each number of 64 bits is one, and no larger one", () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 65n), fc.nat(5), (number, zeros) => {
      expect(isResourceVersion("0".repeat(zeros) + number)).toBe(number < 2n ** 64n);
    }),
  );
});

test.each(["0", "9"])("%s again and again costs a time that grows with the text", async (digit) => {
  await expectLinear((size) => digit.repeat(size), isResourceVersion);
  await expectLinear((size) => `${digit.repeat(size)}x`, isResourceVersion);
});
