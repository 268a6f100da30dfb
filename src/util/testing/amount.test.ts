import { expect, test } from "vitest";
import { LONG, sampled } from "./amount.ts";

const CASES = ["a", "b", "c", "d", "e", "f", "g"];

test.skipIf(LONG)("a sample is a part of the cases, and the rows of a matrix have all of them together", () => {
  const rows = [0, 1, 2].map((row) => sampled(CASES, 3, row));
  expect(rows.flat().toSorted()).toEqual(CASES);
  for (const row of rows) expect([2, 3]).toContain(row.length);
});
