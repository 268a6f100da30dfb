/**
 * Selectors in reviews of access: as text or as requirements, which are checked and read (RBAC-52).
 *
 * @module
 */
import {
  type RequestedSelector,
  type SelectorRequirement,
  requestedFields,
  requestedLabels,
} from "../meta/requested-selectors.ts";
import type { FieldErrors } from "../meta/field-errors.ts";
import {
  type RequirementValue,
  validateLabelRequirement,
  validateValueCount,
} from "../schema/validation/label-selector.ts";

/** A selector of a review, before it is validated. */
export interface ReviewSelector {
  readonly rawSelector?: string;
  readonly requirements?: readonly RequirementValue[];
}

/** Validates a selector of fields. Unknown operators are permitted: newer clients may send them. */
export function validateFields(selector: ReviewSelector, at: string, errors: FieldErrors): void {
  validate(selector, at, errors, (requirement, path) => {
    if (!requirement.key) errors.required(`${path}.key`, "expected the name of a field, got none");
  });
}

/** Validates a selector of labels. Unknown operators are permitted: newer clients may send them. */
export function validateLabels(selector: ReviewSelector, at: string, errors: FieldErrors): void {
  validate(selector, at, errors, (requirement, path) => validateLabelRequirement(requirement, path, errors));
}

function validate(
  { rawSelector = "", requirements = [] }: ReviewSelector,
  at: string,
  errors: FieldErrors,
  validateOne: (requirement: RequirementValue, path: string) => void,
): void {
  if (rawSelector !== "" && requirements.length > 0) {
    errors.invalid(`${at}.rawSelector`, rawSelector, "expected none together with requirements");
  }
  if (rawSelector === "" && requirements.length === 0) {
    errors.required(`${at}.requirements`, "expected requirements or rawSelector, got none");
  }
  for (const [i, requirement] of requirements.entries()) {
    const path = `${at}.requirements[${i}]`;
    validateValueCount(requirement, path, errors);
    validateOne(requirement, path);
  }
}

/** The requirements of a selector of fields: one value for each. */
export const fieldsOf = (selector: ReviewSelector | undefined): RequestedSelector | undefined =>
  readSelector(selector, requestedFields, ({ operator, values = [] }) =>
    FIELD_OPERATORS.has(operator) && values.length === 1 ? undefined : "expected In or NotIn with one value",
  );

/** The requirements of a selector of labels. */
export const labelsOf = (selector: ReviewSelector | undefined): RequestedSelector | undefined =>
  readSelector(selector, requestedLabels, ({ operator }) =>
    LABEL_OPERATORS.has(operator) ? undefined : "expected In, NotIn, Exists or DoesNotExist",
  );

const FIELD_OPERATORS: ReadonlySet<string | undefined> = new Set(["In", "NotIn"]);
const LABEL_OPERATORS: ReadonlySet<string | undefined> = new Set(["In", "NotIn", "Exists", "DoesNotExist"]);

function readSelector(
  selector: ReviewSelector | undefined,
  written: (text: string) => RequestedSelector,
  wrong: (requirement: RequirementValue) => string | undefined,
): RequestedSelector | undefined {
  if (!selector) return undefined;
  const { rawSelector = "", requirements = [] } = selector;
  if (requirements.length === 0) return written(rawSelector);
  const errors = requirements.map(wrong);
  return {
    requirements: requirements.filter((_, i) => errors[i] === undefined).map(inFull),
    error: errors.find((error) => error !== undefined),
  };
}

const inFull = ({ key = "", operator, values = [] }: RequirementValue): SelectorRequirement => ({
  key,
  operator: operator as SelectorRequirement["operator"],
  values,
});

/** The error of a selector that could not be read in full; undefined for one that was. */
export function selectorError(selector: RequestedSelector | undefined, at: string): string | undefined {
  if (selector?.error === undefined) return undefined;
  return `${at} is ${selector.requirements.length > 0 ? "partly " : ""}ignored: it cannot be read`;
}
