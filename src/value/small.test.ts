import { expect, test } from "vitest";
import { isSmall } from "./small.ts";

test.each<[string, unknown, boolean]>([
  ["nothing", undefined, true],
  ["a long text", "x".repeat(10_000), true],
  ["2000 members", Array.from({ length: 2000 }, () => 1), true],
  ["2001 members", Array.from({ length: 2001 }, () => 1), false],
  ["2000 members and what is in them", { a: Array.from({ length: 1999 }, () => 1) }, true],
  ["many lists of few", Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => 1)), false],
])("of %s, isSmall is as it should be", (_, value, small) => {
  expect(isSmall(value)).toBe(small);
});
