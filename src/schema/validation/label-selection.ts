import { FieldErrors } from "../../meta/field-errors.ts";
import { requirementsOf } from "../../meta/label-selector.ts";
import { type LabelSelector, labelSelectorOf } from "../../meta/selectors.ts";
import { type LabelSelectorValue, validateLabelSelector } from "./label-selector.ts";

/** Whether the label selector of an object is valid. */
export function isValidSelector(selector: LabelSelectorValue): boolean {
  const errors = new FieldErrors();
  validateLabelSelector(selector, "", errors);
  return !errors.any;
}

/** Compiles the label selector of an object; undefined for one that is not valid. */
export const selectionOf = (selector: LabelSelectorValue): LabelSelector | undefined =>
  isValidSelector(selector) ? labelSelectorOf(requirementsOf(selector)) : undefined;
