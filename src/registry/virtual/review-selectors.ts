/**
 * Selectors in reviews of access: as text or as requirements, which are checked and read (RBAC-52).
 *
 * @module
 */
import {
  type AskedSelector,
  type SelectorRequirement,
  writtenFields,
  writtenLabels,
} from "../../meta/asked-selectors.ts";
import type { FieldErrors } from "../../meta/field-errors.ts";
import {
  type RequirementValue,
  validateLabelRequirement,
  validateValueCount,
} from "../../schema/validation/label-selector.ts";

/** A selector as a review has it; nothing is sure to be there before it is checked. */
export interface ReviewSelector {
  readonly rawSelector?: string;
  readonly requirements?: readonly RequirementValue[];
}

/** Everything that is wrong with a selector of fields at `at`. Unknown operators are of clients that know more. */
export function judgeFields(selector: ReviewSelector, at: string, errors: FieldErrors): void {
  judge(selector, at, errors, (requirement, place) => {
    if (!requirement.key) errors.required(`${place}.key`, "expected the name of a field, got none");
  });
}

/** Everything that is wrong with a selector of labels at `at`. Unknown operators are of clients that know more. */
export function judgeLabels(selector: ReviewSelector, at: string, errors: FieldErrors): void {
  judge(selector, at, errors, (requirement, place) => validateLabelRequirement(requirement, place, errors));
}

function judge(
  { rawSelector = "", requirements = [] }: ReviewSelector,
  at: string,
  errors: FieldErrors,
  judgeOne: (requirement: RequirementValue, place: string) => void,
): void {
  if (rawSelector !== "" && requirements.length > 0) {
    errors.invalid(`${at}.rawSelector`, rawSelector, "expected none beside requirements");
  }
  if (rawSelector === "" && requirements.length === 0) {
    errors.required(`${at}.requirements`, "expected requirements or rawSelector, got none");
  }
  for (const [i, requirement] of requirements.entries()) {
    const place = `${at}.requirements[${i}]`;
    validateValueCount(requirement, place, errors);
    judgeOne(requirement, place);
  }
}

/** What a selector of fields asks: one value for each of its requirements. */
export const askedFields = (selector: ReviewSelector | undefined): AskedSelector | undefined =>
  asked(selector, writtenFields, ({ operator, values = [] }) =>
    FIELD_OPERATORS.has(operator) && values.length === 1 ? undefined : "expected In or NotIn with one value",
  );

/** What a selector of labels asks. */
export const askedLabels = (selector: ReviewSelector | undefined): AskedSelector | undefined =>
  asked(selector, writtenLabels, ({ operator }) =>
    LABEL_OPERATORS.has(operator) ? undefined : "expected In, NotIn, Exists or DoesNotExist",
  );

const FIELD_OPERATORS: ReadonlySet<string | undefined> = new Set(["In", "NotIn"]);
const LABEL_OPERATORS: ReadonlySet<string | undefined> = new Set(["In", "NotIn", "Exists", "DoesNotExist"]);

function asked(
  selector: ReviewSelector | undefined,
  written: (text: string) => AskedSelector,
  wrong: (requirement: RequirementValue) => string | undefined,
): AskedSelector | undefined {
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

/** What of a selector was left out, told with its place; undefined where it was read in full. */
export function leftOut(selector: AskedSelector | undefined, at: string): string | undefined {
  if (selector?.error === undefined) return undefined;
  return `${at} is ${selector.requirements.length > 0 ? "partly " : ""}ignored: it cannot be read`;
}
