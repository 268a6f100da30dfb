import type { LabelSelectorValue } from "../../schema/validation/label-selector.ts";
import { requirementsOf } from "../../meta/label-selector.ts";
import { isValidSelector, selectionOf } from "../../schema/validation/label-selection.ts";

export { isValidSelector, selectionOf };

/** Whether a selector has a requirement. */
export const isEmptySelector = ({ matchLabels, matchExpressions }: LabelSelectorValue): boolean =>
  Object.keys(matchLabels ?? {}).length + (matchExpressions ?? []).length === 0;

/** The text of a selector for a query, `matchLabels` first: `a=b,k in (x,y),!z`; empty without requirements. */
export function selectorText(selector: LabelSelectorValue | null | undefined): string {
  const listed = listedKeys(selector);
  return requirementsOf(selector ?? {})
    .map(({ key, operator, values }) => {
      if (operator === "exists") return key;
      if (operator === "!") return `!${key}`;
      if (operator === "in" && values.length === 1 && !listed.has(key)) return `${key}=${values[0]}`;
      return `${key} ${operator} (${values.toSorted().join(",")})`;
    })
    .join(",");
}

/** The keys of `matchExpressions` with values. */
const listedKeys = (selector: LabelSelectorValue | null | undefined): ReadonlySet<string | undefined> =>
  new Set(selector?.matchExpressions?.filter(({ operator }) => operator === "In").map(({ key }) => key));

/** Labels as tables show them: `a=b,c=d`, in the order of their keys. */
export const labelsText = (labels: Readonly<Record<string, string>> | null | undefined): string =>
  Object.entries(labels ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
