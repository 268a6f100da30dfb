import { describe, expect, test } from "vitest";
import type { Value } from "../../value/value.ts";
import { compileQuery } from "./jq.ts";

const POD: Value = {
  metadata: { labels: { "a.b/c": "x" }, finalizers: ["f", "g"], ownerReferences: [{ kind: "Job" }, { kind: "Other" }] },
  status: {
    phase: "Running",
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Initialized", status: "False" },
    ],
  },
  count: 3,
};

describe("results", () => {
  test.each<[string, readonly Value[] | undefined]>([
    [".status.phase", ["Running"]],
    ['.metadata.labels["a.b/c"]', ["x"]],
    ['.metadata.labels."a.b/c"', ["x"]],
    [".metadata.none.deeper", [null]],
    ['.status.conditions.[] | select( .type == "Ready" ) | .status', ["True"]],
    [".status.conditions[].type", ["Ready", "Initialized"]],
    [".metadata.ownerReferences.[].kind", ["Job", "Other"]],
    [".metadata.annotations.[]", undefined],
    [".metadata.annotations.[]?", []],
    [".metadata.finalizers[-1]", ["g"]],
    [".metadata.finalizers[7]", [null]],
    [".metadata.finalizers | length", [2]],
    [".status.phase.deeper", undefined],
    [".none // .status.phase", ["Running"]],
    [".count > 2 and .count < 4", [true]],
    [".count == 3 | not", [false]],
    [".count, -1", [3, -1]],
    ['.status.phase | startswith("Run")', [true]],
    ['.metadata.labels | has("a.b/c")', [true]],
    ['.status.conditions | any(.type == "Ready")', [true]],
  ])("%s", (text, expected) => {
    expect(compileQuery(text)(POD)).toEqual(expected);
  });
});

describe("errors say where and what", () => {
  test.each([
    [".a | ", "expected a path such as .status.phase at character 6, found the end"],
    ['any(.a[]; .b == "c")', 'expected an expression of jq at character 9, found "; .b == \\"c\\")"'],
    ["[.count]", 'expected a path that begins with a dot at character 1, found "[.count]"'],
    [".a ]", 'expected the end of the expression at character 4, found "]"'],
    [".a | nothing", /^expected one of null, true, .*, found nothing$/],
    ['.a == "b', 'expected the end of a text in quotes at character 7, found "\\"b"'],
    [`${"(".repeat(200)}.a`, /^expected at most 100 levels/],
  ])("%s", (text, message) => {
    expect(() => compileQuery(text)).toThrow(message);
  });
});

test("a long expression is no problem, and one that is too long is refused", () => {
  expect(compileQuery(`.a${".b".repeat(2000)}`)({ a: null })).toEqual([null]);
  expect(compileQuery(`.a${" | .".repeat(1000)}`)({ a: 1 })).toEqual([1]);
  expect(() => compileQuery(".a".repeat(3000))).toThrow("expected at most 4096 characters, got 6000");
});
