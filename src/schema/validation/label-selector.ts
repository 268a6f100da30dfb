/**
 * The schema and rules of label selectors in objects (DEC-10). An empty selector matches everything; the field defines the
 * meaning of an absent one.
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

/**
 * Validates a selector at `field`.
 *
 * @param allowsAnyValue whether the values of `matchExpressions` may have any form
 */
export function validateLabelSelector(
  selector: LabelSelectorValue,
  field: string,
  errors: FieldErrors,
  allowsAnyValue = false,
): void {
  const labels = selector.matchLabels as Record<string, string> | undefined;
  if (labels) validateLabels(labels, `${field}.matchLabels`, errors);
  selector.matchExpressions?.forEach((requirement, i) => {
    const at = `${field}.matchExpressions[${i}]`;
    const known = validateValueCount(requirement, at, errors);
    if (!known) errors.invalid(`${at}.operator`, requirement.operator ?? "", "not a valid selector operator");
    validateLabelRequirement(allowsAnyValue ? { ...requirement, values: [] } : requirement, at, errors);
  });
}

/** Validates the number of values of an operator; returns whether the operator is known. */
export function validateValueCount(
  { operator = "", values = [] }: RequirementValue,
  at: string,
  errors: FieldErrors,
): boolean {
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) errors.required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
      return true;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0)
        errors.forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      return true;
    default:
      return false;
  }
}

/** Validates the key and the values of a requirement. */
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
