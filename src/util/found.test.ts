import { RE2JS } from "re2js";
import { expect, test } from "vitest";
import { leastCpu } from "./testing/cpu-time.ts";
import { turnBound } from "./testing/turns.ts";
import { isFound } from "./found.ts";

const LENGTH = 3 << 20;
const long = "a".repeat(LENGTH);

test.each<[string, string, boolean]>([
  ["^[a-z]([-a-z]*[a-z])?$", "a", true],
  ["^[a-z]([-a-z]*[a-z])?$", "-", false],
  ["(?i)^A+B$", "b", true],
  ["b|c$", "d", false],
])("%s with %s at the end of a long text is found as in a short one", (source, end, found) => {
  const regex = RE2JS.compile(source);
  expect(isFound(regex, `aaa${end}`)).toBe(found);
  expect(isFound(regex, long + end)).toBe(found);
});

test("the largest text of a request is looked through within a turn", async () => {
  const regex = RE2JS.compile("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$");
  expect(await leastCpu(() => void isFound(regex, long))).toBeLessThan(turnBound());
});
