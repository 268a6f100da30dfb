/**
 * What a LabelSelector that stands in an object selects.
 *
 * @module
 */
import { FieldErrors } from "../../meta/field-errors.ts";
import { type LabelRequirement, type LabelSelector, labelSelectorOf } from "../../meta/selectors.ts";
import { type LabelSelectorValue, validateLabelSelector } from "./label-selector.ts";

/** How a member says what a query says in other words. */
const OPERATORS: Readonly<Record<string, LabelRequirement["operator"]>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};

/** What a selector asks for, `matchLabels` first and in the order of its keys. */
export function requirementsOf({ matchLabels = {}, matchExpressions = [] }: LabelSelectorValue): LabelRequirement[] {
  return [
    ...Object.entries(matchLabels)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]): LabelRequirement => ({ key, operator: "in", values: [value ?? ""] })),
    ...matchExpressions.map(({ key = "", operator = "", values = [] }): LabelRequirement => ({
      key,
      operator: OPERATORS[operator] ?? "exists",
      values,
    })),
  ];
}

/** Whether the selector of a member can be read. */
export function isReadableSelector(selector: LabelSelectorValue): boolean {
  const errors = new FieldErrors();
  validateLabelSelector(selector, "", errors);
  return !errors.any;
}

/** The selector of a member, compiled; undefined for one that is wrong. */
export const selectionOf = (selector: LabelSelectorValue): LabelSelector | undefined =>
  isReadableSelector(selector) ? labelSelectorOf(requirementsOf(selector)) : undefined;
