import { describe, expect, test } from "vitest";
import { FieldErrors } from "../../meta/field-errors.ts";
import { type LabelSelectorValue, validateLabelSelector } from "./label-selector.ts";

function causes(selector: LabelSelectorValue): string[] {
  const errors = new FieldErrors();
  validateLabelSelector(selector, "spec.selector", errors);
  return errors.causes.map(({ reason, field }) => `${reason} ${field}`);
}

const one = (operator: string, values?: string[]): LabelSelectorValue => ({
  matchExpressions: [{ key: "k", operator, ...(values ? { values } : {}) }],
});

describe("DEC-10: a label selector", () => {
  test.each([
    [{}, []],
    [{ matchLabels: { "a.b/c": "d" } }, []],
    [
      { matchLabels: { "a b": "c d" } },
      ["FieldValueInvalid spec.selector.matchLabels", "FieldValueInvalid spec.selector.matchLabels"],
    ],
    [one("In", ["v"]), []],
    [one("NotIn", [""]), []],
    [one("Exists"), []],
    [one("DoesNotExist"), []],
    [one("In"), ["FieldValueRequired spec.selector.matchExpressions[0].values"]],
    [one("NotIn", []), ["FieldValueRequired spec.selector.matchExpressions[0].values"]],
    [one("Exists", ["v"]), ["FieldValueForbidden spec.selector.matchExpressions[0].values"]],
    [one("DoesNotExist", ["v"]), ["FieldValueForbidden spec.selector.matchExpressions[0].values"]],
    [one("Gt", ["1"]), ["FieldValueInvalid spec.selector.matchExpressions[0].operator"]],
    [one("In", ["a b"]), ["FieldValueInvalid spec.selector.matchExpressions[0].values[0]"]],
    [
      { matchExpressions: [{ key: "", operator: "Exists" }] },
      ["FieldValueInvalid spec.selector.matchExpressions[0].key"],
    ],
  ] satisfies [LabelSelectorValue, string[]][])("%j has the faults %j", (selector, faults) => {
    expect(causes(selector)).toEqual(faults);
  });
});
