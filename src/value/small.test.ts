import { expect, test } from "vitest";
import { isSmall } from "./small.ts";

test.each<[string, unknown, boolean]>([
  ["nothing", undefined, true],
  ["a long text", "x".repeat(10_000), true],
  ["500 members", Array.from({ length: 500 }, () => 1), true],
  ["501 members", Array.from({ length: 501 }, () => 1), false],
  ["500 members and what is in them", { a: Array.from({ length: 499 }, () => 1) }, true],
  ["many lists of few", Array.from({ length: 30 }, () => Array.from({ length: 30 }, () => 1)), false],
])("of %s, isSmall is as it should be", (_, value, small) => {
  expect(isSmall(value)).toBe(small);
});
