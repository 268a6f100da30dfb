import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { WorkTooLong, withWorkLimit } from "./work-limit.ts";
import { RegexFault, regexOf, statesOf } from "./regex.ts";
import { atOnce } from "./steps.ts";
import { leastCpu } from "./testing/cpu-time.ts";
import { MAX_SLICE_MS, expectNotLong } from "./testing/slices.ts";

const LENGTH = 3 << 20;
const long = "a".repeat(LENGTH);

test.each<[string, string, boolean]>([
  ["^[a-z]([-a-z]*[a-z])?$", "a", true],
  ["^[a-z]([-a-z]*[a-z])?$", "-", false],
  ["(?i)^A+B$", "b", true],
  ["b|c$", "d", false],
])("%s with %s at the end of a long text matches as in a short one", (source, end, found) => {
  const regex = regexOf(source);
  expect(regex.test(`aaa${end}`)).toBe(found);
  expect(regex.test(long + end)).toBe(found);
});

test("the largest text of a request is searched within a slice", async () => {
  const regex = regexOf("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$");
  expectNotLong(await leastCpu(() => void regex.test(long), MAX_SLICE_MS));
});

test("an invalid regular expression is an error", () => {
  expect(() => regexOf("a(")).toThrow(RegexFault);
});

test("a compiled expression is cached, but none with many states", () => {
  expect(regexOf("kept{3}")).toBe(regexOf("kept{3}"));
  expect(regexOf("a{1000}b{1000}c{1000}d{1000}e{1000}f{1000}")).not.toBe(
    regexOf("a{1000}b{1000}c{1000}d{1000}e{1000}f{1000}"),
  );
});

describe("the states of a pattern", () => {
  test.each([
    "a+",
    "[a-z]{20}",
    "x{1000}",
    "^[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{12}$",
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
    "((\\pL|\\pN){31}){31}",
    "[ab]*a[ab]{100}$",
    "(abc|def){2,}\\]{3,7}",
    "[]a]{3}[\\]x]",
    "a{,3}b{",
  ])("of %s are estimated from its text", (pattern) => {
    const states = RE2JS.compile(pattern).programSize();
    expect(statesOf(pattern)).toBeGreaterThan(states / 3 - 2);
    expect(statesOf(pattern)).toBeLessThan(states * 3);
  });

  test.each(["[", "(", "{", "(a{9}", "\\", "[^]"])("%s a million times is counted quickly", async (part) => {
    const pattern = part.repeat(1e6 / part.length);
    expectNotLong(await leastCpu(() => void statesOf(pattern), MAX_SLICE_MS));
  });
});

/** Whether work is refused where a thread can run it. */
const isRefused = (work: () => unknown): boolean => {
  try {
    atOnce(
      withWorkLimit(
        (function* () {
          yield;
          work();
        })(),
      ),
    );
    return false;
  } catch (error) {
    if (error instanceof WorkTooLong) return true;
    throw error;
  }
};

describe("long work does not begin where a thread can run it", () => {
  const dear = regexOf("[ab]*a[ab]{100}$");
  const text = "ab".repeat(100_000);
  test.each<[string, boolean, () => unknown]>([
    ["a short text", false, () => dear.test("abab")],
    ["a long text", true, () => dear.test(text)],
    ["a search in it", true, () => dear.find(text)],
    ["an easy pattern", false, () => regexOf("^a").test(text)],
    ["a long pattern", true, () => regexOf(`a${"b|c*[d-f]".repeat(10_000)}`)],
    ["a repetition that is large", true, () => regexOf("((\\pL|\\pN){31}){31}")],
    ["many matches, each of which looks far ahead", true, () => regexOf("(a*b)?").findAll("a".repeat(100_000), -1)],
    ["many short texts, for too long", true, () => Array.from({ length: 1e5 }, () => dear.test("ab".repeat(100)))],
  ])("%s: %s", (_, refused, work) => {
    expect(isRefused(work)).toBe(refused);
  });

  test("long work runs where no thread can run it", () => {
    expect(dear.test(text.slice(0, 20_001))).toBe(true);
  });
});
