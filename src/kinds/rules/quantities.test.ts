import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalQuantity, compareQuantities } from "../../meta/quantity.ts";
import { fractionWarning, pageSize, roundResources, sameResources } from "./quantities.ts";

const rounded = (text: string): string => {
  const resources = { storage: text };
  roundResources(resources);
  return resources.storage;
};

test.each([
  ["1Gi", "1Gi"],
  ["500m", "500m"],
  ["100u", "1m"],
  ["1000100u", "1001m"],
  ["1n", "1m"],
  ["-100u", "-1m"],
  ["1e-6", "1e-3"],
  ["0", "0"],
])("DEC-9: the resource %s is stored as %s", (text, expected) => {
  expect(rounded(text)).toBe(expected);
});

test("DEC-9: rounding goes up to the next thousandth and no further", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 ** 9 }), fc.constantFrom("n", "u", "m", "", "k"), (number, suffix) => {
      const text = canonicalQuantity(`${number}${suffix}`)!;
      const up = rounded(text);
      expect(compareQuantities(up, text)).toBeGreaterThanOrEqual(0);
      expect(up).not.toMatch(/[nu]$/);
      expect(rounded(up)).toBe(up);
    }),
  );
});

test("DEC-9: resources are the same when their values are", () => {
  expect(sameResources({ storage: "1Gi" }, { storage: "1024Mi" })).toBe(true);
  expect(sameResources({}, undefined)).toBe(true);
  expect(sameResources({ storage: "1" }, { cpu: "1" })).toBe(false);
  expect(sameResources({ storage: "1" }, {})).toBe(false);
});

test("DEC-8: only fractions of bytes are worth a Warning", () => {
  expect(fractionWarning("f", "1500m")).toContain("f:");
  expect(fractionWarning("f", "2")).toBeUndefined();
  expect(fractionWarning("f", undefined)).toBeUndefined();
});

test.each([
  ["hugepages-2Mi", 2_097_152n],
  ["hugepages-1.5", undefined],
  ["hugepages-0", undefined],
  ["hugepages-", undefined],
])("KIND-PodSpec-6: the pages of %s have %s bytes", (name, size) => {
  expect(pageSize(name)).toBe(size);
});
