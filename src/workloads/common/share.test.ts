import { expect, test } from "vitest";
import { shareOf } from "./share.ts";

test.each([
  [2, 10, "up", 2],
  ["30%", 5, "up", 2],
  ["30%", 5, "down", 1],
  ["100%", 7, "down", 7],
  ["0%", 7, "up", 0],
  ["10", 7, "up", 0],
] as const)("%s of %d, rounded %s, is %d", (value, total, rounding, expected) => {
  expect(shareOf(value, total, rounding)).toBe(expected);
});
