import { type LabelOperator, type LabelRequirement, type LabelSelector, labelSelectorOf } from "./selectors.ts";

/** A label selector as objects hold it. */
export interface SelectorValue {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

const compiled = new WeakMap<SelectorValue, LabelSelector>();

/** What a selector of an object selects; it is read once, since objects in memory never change. */
export function selectorOf(selector: SelectorValue): LabelSelector {
  const known = compiled.get(selector);
  if (known) return known;
  const labels = Object.entries(selector.matchLabels ?? {});
  const equal = labels.map(([key, value]): LabelRequirement => ({ key, operator: "in", values: [value] }));
  const others = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }): LabelRequirement => ({
    key,
    operator: OPERATORS[operator] ?? "in",
    values,
  }));
  const made = labelSelectorOf([...equal, ...others]);
  compiled.set(selector, made);
  return made;
}

const OPERATORS: Readonly<Record<string, LabelOperator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};
