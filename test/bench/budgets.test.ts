import { expect, test } from "vitest";
import { calm, complaints } from "../../bench/budgets/check.ts";

test("a verb may be over its budget by a tenth, and not by more", () => {
  expect(complaints({ get: 1, page: 10 }, { get: 1.1, page: 3 })).toEqual([]);
  expect(complaints({ get: 1, page: 10 }, { get: 1.12, page: 3 })).toEqual([
    expect.stringMatching(
      /^get: expected at most 1 floors and a tenth, found 1\.12, 12 % over the budget; make its way/,
    ),
  ]);
});

test("a verb without a budget, and a budget without a verb, are reported", () => {
  expect(complaints({ get: 1 }, { list: 2 })).toEqual([
    expect.stringMatching(/^get: expected it to be measured, found no such verb/),
    expect.stringMatching(/^list: expected a budget, found none/),
  ]);
});

test("of many rounds the calmer ones count, whatever disturbs the others", () => {
  expect(calm([9, 2, 4, 1000, 3, 4, 900, 7, 4, 800])).toBe(4.4);
  expect(calm([7])).toBe(7);
});
