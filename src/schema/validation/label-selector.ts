/**
 * LabelSelector: which labels a member of an object asks for (DEC-10). An empty selector matches everything; what an
 * absent one means is for the field to say.
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import type { RequirementValue, SelectorValue as LabelSelectorValue } from "../../meta/label-selector.ts";
import { labelValue, qualifiedName } from "../../meta/names.ts";
import { validateLabels } from "../../meta/object-meta-rules.ts";
import { atomicList, map, optional, required, struct, text } from "../../meta/types.ts";

const Requirement = struct("One thing that is asked of the labels.", {
  key: required(text("The key of the label.")),
  operator: required(text("How the value is compared: In, NotIn, Exists or DoesNotExist.")),
  values: optional(atomicList(text(), "The values of In and NotIn; none for the other operators.")),
});

/** The schema of a label selector; one owner for all of it. */
export const LabelSelector = struct(
  "Selects objects by their labels; everything in it must hold. An empty selector selects all.",
  {
    matchLabels: optional(map(text(), "Labels that must be there with exactly these values.")),
    matchExpressions: optional(atomicList(Requirement, "What else is asked of the labels.")),
  },
  { atomic: true },
);

export type { RequirementValue, SelectorValue as LabelSelectorValue } from "../../meta/label-selector.ts";

/** Everything that is wrong with a selector at `field`. */
export function validateLabelSelector(selector: LabelSelectorValue, field: string, errors: FieldErrors): void {
  const labels = selector.matchLabels as Record<string, string> | undefined;
  if (labels) validateLabels(labels, `${field}.matchLabels`, errors);
  selector.matchExpressions?.forEach((requirement, i) => {
    const at = `${field}.matchExpressions[${i}]`;
    const known = validateValueCount(requirement, at, errors);
    if (!known)
      errors.invalid(`${at}.operator`, requirement.operator ?? "", "expected In, NotIn, Exists or DoesNotExist");
    validateLabelRequirement(requirement, at, errors);
  });
}

/** Tells at `at` where an operator has values and needs none, or none and needs some. Whether the operator is known. */
export function validateValueCount(
  { operator = "", values = [] }: RequirementValue,
  at: string,
  errors: FieldErrors,
): boolean {
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) errors.required(`${at}.values`, `expected at least one value for ${operator}, got none`);
      return true;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) errors.forbidden(`${at}.values`, `expected no values for ${operator}`);
      return true;
    default:
      return false;
  }
}

/** Tells at `at` what no label can have: its key, its values. */
export function validateLabelRequirement(
  { key = "", values = [] }: RequirementValue,
  at: string,
  errors: FieldErrors,
): void {
  const wrongKey = qualifiedName(key);
  if (wrongKey) errors.invalid(`${at}.key`, key, wrongKey);
  values.forEach((value, i) => {
    const wrong = labelValue(value);
    if (wrong) errors.invalid(`${at}.values[${i}]`, value, wrong);
  });
}
