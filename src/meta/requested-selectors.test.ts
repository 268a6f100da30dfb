import { expect, test } from "vitest";
import { requestedFields, requestedLabels } from "./requested-selectors.ts";

test("RBAC-52: a label selector has requirements", () => {
  expect(requestedLabels("b!=x,a in (1,2),c,!d,e>3").requirements).toEqual([
    { key: "a", operator: "In", values: ["1", "2"] },
    { key: "b", operator: "NotIn", values: ["x"] },
    { key: "c", operator: "Exists", values: [] },
    { key: "d", operator: "DoesNotExist", values: [] },
    { key: "e", operator: "Gt", values: ["3"] },
  ]);
});

test("RBAC-52: a field selector has a requirement for each term", () => {
  expect(requestedFields("b!=x,a=1").requirements).toEqual([
    { key: "a", operator: "In", values: ["1"] },
    { key: "b", operator: "NotIn", values: ["x"] },
  ]);
});

test("RBAC-52: a malformed selector has no requirements and an error", () => {
  for (const selector of [requestedFields("a"), requestedLabels("a b")]) {
    expect(selector.error).toContain("expected");
    expect(selector.requirements).toEqual([]);
  }
});
