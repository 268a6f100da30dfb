import { expect, test } from "vitest";
import { writtenFields, writtenLabels } from "./asked-selectors.ts";

test("RBAC-52: a selector of labels is told by its requirements", () => {
  expect(writtenLabels("b!=x,a in (1,2),c,!d,e>3").requirements).toEqual([
    { key: "a", operator: "In", values: ["1", "2"] },
    { key: "b", operator: "NotIn", values: ["x"] },
    { key: "c", operator: "Exists", values: [] },
    { key: "d", operator: "DoesNotExist", values: [] },
    { key: "e", operator: "Gt", values: ["3"] },
  ]);
});

test("RBAC-52: a selector of fields is told by its terms", () => {
  expect(writtenFields("b!=x,a=1").requirements).toEqual([
    { key: "a", operator: "In", values: ["1"] },
    { key: "b", operator: "NotIn", values: ["x"] },
  ]);
});

test("RBAC-52: one that cannot be read asks nothing, and says why", () => {
  for (const selector of [writtenFields("a"), writtenLabels("a b")]) {
    expect(selector.error).toContain("expected");
    expect(selector.requirements).toEqual([]);
  }
});
