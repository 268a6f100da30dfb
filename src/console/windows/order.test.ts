import fc from "fast-check";
import { expect, test } from "vitest";
import { type SortValue, compareSortValues, sortValueOf } from "./order.ts";

const sorted = (cells: readonly (string | number | boolean | null)[], type = "string") =>
  cells.toSorted((a, b) => compareSortValues(sortValueOf(a, type), sortValueOf(b, type)));

test.each([
  ["quantities by their amounts", ["500m", "7", "10", "999Mi", "1Gi"]],
  ["texts with numbers by their numbers", ["2 of 3", "5/9", "5/10", "10/2"]],
  ["a zero with any exponent as zero", [null, "-1", "0e999", "1e-999", "9e999", "0e99999999999"]],
  ["other texts by code points", ["B", "a", "a-10", "a-9", "\u{ffff}", "\u{1f600}"]],
  ["nothing, then numbers, then what begins with a digit, then texts", [null, "3", "3/4", "", "<none>"]],
])("%s", (_, cells) => {
  expect(sorted(cells.toReversed())).toEqual(cells);
});

test("dates are sorted by time, numbers by size, false before true", () => {
  const dates = ["2026-01-02T00:00:00+02:00", "2026-01-01T23:00:00Z"];
  expect(sorted(dates.toReversed(), "date")).toEqual(dates);
  expect(sorted([10, -3, 9], "integer")).toEqual([-3, 9, 10]);
  expect(sorted([true, false], "boolean")).toEqual([false, true]);
});

const cell = fc.oneof(
  fc.constant(null),
  fc.integer(),
  fc.constantFrom(Number.NaN, Infinity, -Infinity, -0),
  fc.string({
    maxLength: 4,
    unit: fc.constantFrom("0", "1", "9", "e999", "a", "/", "-", ".", "G", "i", "m", "\u{1f600}"),
  }),
);
test("the order is one: whatever is compared, no two orders contradict a third", () => {
  fc.assert(
    fc.property(cell, cell, cell, (a, b, c) => {
      const [x, y, z] = [a, b, c].map((one) => sortValueOf(one, "string")) as [SortValue, SortValue, SortValue];
      expect(Math.sign(compareSortValues(x, y))).toBe(-Math.sign(compareSortValues(y, x)) || 0);
      const isChain = compareSortValues(x, y) <= 0 && compareSortValues(y, z) <= 0;
      expect(isChain && compareSortValues(x, z) > 0).toBe(false);
    }),
    { numRuns: 5000 },
  );
});
