import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectLinear } from "../util/testing/linear.ts";
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  isWholeQuantity,
  multiplyQuantities,
  parseQuantity,
  quantitySign,
  wholeNumber,
} from "./quantity.ts";

describe("DEC-9: the canonical form", () => {
  test.each([
    ["0", "0"],
    ["-0", "0"],
    ["0Gi", "0"],
    ["Gi", "0"],
    ["1.5Gi", "1536Mi"],
    ["0.5", "500m"],
    ["1024Mi", "1Gi"],
    ["1000", "1k"],
    ["1000Gi", "1000Gi"],
    ["500Ki", "500Ki"],
    ["0.5Ki", "512"],
    ["1.0001Ki", "1024102400u"],
    ["2e10", "20e9"],
    ["1.5e3", "1500"],
    ["1e400", "10e399"],
    ["1E3", "1e3"],
    ["100E", "100E"],
    ["1000E", "1e21"],
    ["1e30", "1e30"],
    ["9223372036854775808", "9223372036854775808"],
    ["16Ei", "9223372036854775807"],
    ["-16Ei", "-9223372036854775807"],
    ["9000Pi", "9223372036854775807"],
    ["+5", "5"],
    ["5.", "5"],
    [".5", "500m"],
    ["  1Gi ", "1Gi"],
    ["0.1m", "100u"],
    ["1.0001", "1000100u"],
    ["0.1n", "1n"],
    ["-0.1n", "-1n"],
    ["1e-30", "1e-9"],
    ["1e-2000000000", "1e-9"],
    ["0e-2000000000", "0"],
    ["007Gi", "7Gi"],
  ])("of %j is %j", (sent, canonical) => {
    expect(canonicalQuantity(sent)).toBe(canonical);
  });

  test.each([5, 0.5, 1500, 1e21, -2])("of the number %d is that of its text", (value) => {
    expect(canonicalQuantity(value)).toBe(canonicalQuantity(String(value)));
  });

  test.each(["", "1K", "1ki", "1 Gi", "0x10", "1e", "abc", "1.1.1", "--1", "1Gi1", "1e99999999999"])(
    "of %j is none",
    (sent) => {
      expect(canonicalQuantity(sent)).toBeUndefined();
    },
  );

  test("keeps in the kubernetes dialect what typed clients treat as canonical", () => {
    for (const sent of ["+5", "5.", "1e+3", "1e0", "1E-3", "+5Gi", "1e3", "500m"]) {
      expect(canonicalQuantity(sent, true)).toBe(sent);
    }
    expect(canonicalQuantity("1000", true)).toBe("1k");
    expect(canonicalQuantity("2e10", true)).toBe("20e9");
    expect(canonicalQuantity("1024Mi", true)).toBe("1Gi");
    expect(canonicalQuantity("1.5e3", true)).toBe("1500");
  });
});

const sign = fc.constantFrom("", "-", "+");
const suffix = fc.constantFrom(
  "",
  "n",
  "u",
  "m",
  "k",
  "M",
  "G",
  "T",
  "P",
  "E",
  "Ki",
  "Mi",
  "Gi",
  "Ti",
  "e3",
  "e-4",
  "E12",
);
const written = fc
  .tuple(sign, fc.nat({ max: 2 ** 40 }), fc.option(fc.nat({ max: 99999 })), suffix)
  .map(([s, whole, places, unit]) => `${s}${whole}${places === null ? "" : `.${places}`}${unit}`);

test("DEC-9: the canonical form is its own canonical form, and has the same value", () => {
  fc.assert(
    fc.property(written, (text) => {
      const canonical = canonicalQuantity(text)!;
      expect(canonicalQuantity(canonical)).toBe(canonical);
      expect(compareQuantities(canonical, text)).toBe(0);
      expect(canonicalQuantity(text, true) === text || canonicalQuantity(text, true) === canonical).toBe(true);
    }),
  );
});

test("DEC-9: quantities compare by value, as their exact numbers do", () => {
  const exact = (text: string): bigint => {
    const { mantissa, exponent } = parseQuantity(text)!;
    return mantissa * 10n ** BigInt(exponent + 9);
  };
  fc.assert(
    fc.property(written, written, (a, b) => {
      const [x, y] = [exact(a), exact(b)];
      expect(Math.sign(compareQuantities(a, b))).toBe(x === y ? 0 : x < y ? -1 : 1);
      expect(quantitySign(a)).toBe(x === 0n ? 0 : x < 0n ? -1 : 1);
      expect(isWholeQuantity(a)).toBe(x % 10n ** 9n === 0n);
    }),
  );
});

test("KIND-Pod-2: a sum has the value of both, in the family of the first", () => {
  const exact = (text: string): bigint => {
    const { mantissa, exponent } = parseQuantity(text)!;
    return mantissa * 10n ** BigInt(exponent + 9);
  };
  fc.assert(
    fc.property(written, written, (a, b) => {
      const expected = exact(a) + exact(b);
      fc.pre(expected < 2n ** 63n * 10n ** 9n && -expected < 2n ** 63n * 10n ** 9n);
      const sum = addQuantities(canonicalQuantity(a)!, canonicalQuantity(b)!);
      expect(exact(sum)).toBe(expected);
      expect(canonicalQuantity(sum)).toBe(sum);
    }),
  );
  expect(addQuantities("1Gi", "1G")).toBe("2073741824");
  expect(addQuantities("100m", "1Ki")).toBe("1024100m");
  expect(addQuantities("0", "1Ki")).toBe("1Ki");
  expect(addQuantities("1Ki", "x")).toBe("1Ki");
});

test.each([
  ["2", "1500m", "3"],
  ["1.5", "1Ki", "1536"],
  ["-100m", "10m", "-1m"],
  ["0", "1e2000000000", "0"],
  ["x", "1", "0"],
])("the product of %s and %s is %s", (a, b, expected) => {
  expect(multiplyQuantities(a, b)).toBe(expected);
});

test.each([
  ["1Gi", 2n ** 30n],
  ["1001m", 2n],
  ["-1m", -1n],
  ["0", 0n],
  ["1e30", 2n ** 63n - 1n],
  ["-1e2000000000", 1n - 2n ** 63n],
  ["x", undefined],
])("KIND-PodSpec-6: %s as a whole number is %s", (text, expected) => {
  expect(wholeNumber(text)).toBe(expected);
});

test("huge exponents cost nothing", () => {
  expect(addQuantities("1e2000000000", "1")).toBe("1e2000000000");
  expect(addQuantities("1", "1e2000000000")).toBe("1e2000000000");
  expect(compareQuantities("1e2000000000", "1e1999999999")).toBeGreaterThan(0);
  expect(compareQuantities("-1e2000000000", "1n")).toBeLessThan(0);
  expect(compareQuantities("10e1999999999", "1e2000000000")).toBe(0);
  expect(canonicalQuantity("1e2000000000")).toBe("100e1999999998");
});

test("a text of more than 1024 characters is no quantity", () => {
  expect(canonicalQuantity("1".repeat(1024))).toBe("1".repeat(1024));
  expect(canonicalQuantity("1".repeat(1025))).toBeUndefined();
});

test("no text makes it throw", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...Array.from("0123456789.+-eEinumkKMGTP ")) }), (text) => {
      const canonical = canonicalQuantity(text);
      expect(canonical === undefined || canonicalQuantity(canonical) === canonical).toBe(true);
    }),
  );
});

test.each(["0", "9", ".", "0.", "1e", " ", "-", "E"])(
  "%j again and again costs a time that grows with the text",
  async (part) => {
    await expectLinear((size) => part.repeat(size / part.length), parseQuantity);
    await expectLinear(
      (size) => `${part.repeat(size / part.length)}x`,
      (text) => canonicalQuantity(text),
    );
  },
);
