import fc from "fast-check";
import { expect, test } from "vitest";
import { sortInSteps } from "./sort-in-steps.ts";
import { atOnce } from "./steps.ts";

interface Item {
  readonly value: number;
  readonly at: number;
}
const byValue = (a: Item, b: Item): number => a.value - b.value;
const itemsOf = (values: readonly number[]): Item[] => values.map((value, at) => ({ value, at }));

test.each([0, 1, 2, 2047, 2048, 2049, 4096, 4097, 10_000, 33_333])("%i items are sorted as `sort` does it", (count) => {
  const items = itemsOf(Array.from({ length: count }, (_, i) => (i * 7919) % 503));
  const expected = items.toSorted(byValue);
  expect(atOnce(sortInSteps(items, byValue))).toEqual(expected);
});

test("equal items stay as they stood, in any list", () => {
  const values = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 0, maxLength: 6000, size: "max" });
  fc.assert(
    fc.property(values, (list) => {
      const items = itemsOf(list);
      expect(atOnce(sortInSteps(items.slice(), byValue))).toEqual(items.toSorted(byValue));
    }),
    { numRuns: 20 },
  );
});

test("no step compares more than a part of the items", () => {
  let compared = 0;
  const steps = sortInSteps(
    itemsOf(Array.from({ length: 100_000 }, (_, i) => (i * 7919) % 100_003)),
    (a, b) => (compared++, byValue(a, b)),
  );
  let most = 0;
  for (let step = steps.next(); !step.done; step = steps.next()) {
    most = Math.max(most, compared);
    compared = 0;
  }
  expect(most).toBeLessThan(2048 * 12);
});
