import { type LabelOperator, type LabelRequirement, type LabelSelector, labelSelectorOf } from "./selectors.ts";

/** A requirement of a label selector in an object. */
export interface RequirementValue {
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly values?: readonly string[] | undefined;
}

/** A label selector in an object. */
export interface SelectorValue {
  readonly matchLabels?: Readonly<Record<string, string | undefined>> | undefined;
  readonly matchExpressions?: readonly RequirementValue[] | undefined;
}

const compiled = new WeakMap<SelectorValue, LabelSelector>();

/** Compiles the label selector of an immutable object; each one is compiled once. */
export function selectorOf(selector: SelectorValue): LabelSelector {
  let known = compiled.get(selector);
  if (!known) compiled.set(selector, (known = labelSelectorOf(requirementsOf(selector))));
  return known;
}

/** The requirements of a label selector: those of `matchLabels` first, in the order of the keys. */
export function requirementsOf({ matchLabels = {}, matchExpressions = [] }: SelectorValue): LabelRequirement[] {
  return [
    ...Object.entries(matchLabels)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value = ""]): LabelRequirement => ({ key, operator: "in", values: [value] })),
    ...matchExpressions.map(({ key = "", operator = "", values = [] }): LabelRequirement => ({
      key,
      operator: OPERATORS[operator] ?? "in",
      values,
    })),
  ];
}

const OPERATORS: Readonly<Record<string, LabelOperator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};

/** Returns a selector in the form that Go prints its type in, as some columns and Events show it; `nil` where there is none. */
export function goTextOfSelector(selector: SelectorValue | undefined): string {
  if (!selector) return "nil";
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const labels = Object.entries(matchLabels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const requirements = matchExpressions.map(
    ({ key = "", operator = "", values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  const shown = labels.map(([key, value]) => `${key}: ${value},`).join("");
  return `&LabelSelector{MatchLabels:map[string]string{${shown}},MatchExpressions:[]LabelSelectorRequirement{${requirements.join("")}},}`;
}
