import { FieldErrors } from "../../meta/field-errors.ts";
import { type LabelRequirement, type LabelSelector, labelSelectorOf } from "../../meta/selectors.ts";
import { type LabelSelectorValue, validateLabelSelector } from "../../schema/validation/label-selector.ts";

/** How a member says what a query says in other words. */
const OPERATORS: Readonly<Record<string, LabelRequirement["operator"]>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};

function requirementsOf({ matchLabels = {}, matchExpressions = [] }: LabelSelectorValue): LabelRequirement[] {
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

/** Whether a selector asks for anything. */
export const isEmptySelector = ({ matchLabels, matchExpressions }: LabelSelectorValue): boolean =>
  Object.keys(matchLabels ?? {}).length + (matchExpressions ?? []).length === 0;

/** The selector of a member, compiled; undefined for one that is wrong. */
export function selectionOf(selector: LabelSelectorValue): LabelSelector | undefined {
  const errors = new FieldErrors();
  validateLabelSelector(selector, "", errors);
  return errors.any ? undefined : labelSelectorOf(requirementsOf(selector));
}

/** A selector as a query says it, what `matchLabels` asks for first: `a=b,k in (x,y),!z`; empty for one that asks nothing. */
export function selectorText(selector: LabelSelectorValue | undefined): string {
  return requirementsOf(selector ?? {})
    .map(({ key, operator, values }) => {
      if (operator === "exists") return key;
      if (operator === "!") return `!${key}`;
      if (operator === "in" && values.length === 1 && !isListed(selector, key)) return `${key}=${values[0]}`;
      return `${key} ${operator} (${values.toSorted().join(",")})`;
    })
    .join(",");
}

const isListed = (selector: LabelSelectorValue | undefined, key: string): boolean =>
  (selector?.matchExpressions ?? []).some((one) => one.key === key && one.operator === "In");

/** Labels as tables show them: `a=b,c=d`, in the order of their keys. */
export const labelsText = (labels: Readonly<Record<string, string>> | null | undefined): string =>
  Object.entries(labels ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
