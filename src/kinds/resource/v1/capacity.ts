/**
 * Capacities of devices: amounts, and the share that one of several claims may request.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { addQuantities, compareQuantities, wholeNumber } from "../../../meta/quantity.ts";
import * as t from "../../../meta/types.ts";
import { checkSet } from "./lists.ts";

const Range = t.struct("The amounts from one to another.", {
  min: t.pointer(t.quantity("The least.")),
  max: t.pointer(t.quantity("The most; all that there is by default.")),
  step: t.pointer(t.quantity("How far amounts are from each other, beginning with the least.")),
});

const Policy = t.struct("The amounts that a claim may request; requests are rounded up.", {
  default: t.nullable(t.quantity("The amount of a claim without a request.")),
  validValues: t.optional(t.atomicList(t.quantity(), "The only amounts, from the least to the most; at most 10.")),
  validRange: t.pointer(Range),
});

/** The schema of a capacity. */
export const Capacity = t.struct("A capacity of the device.", {
  value: t.required(t.quantity("How much there is.")),
  requestPolicy: t.pointer(Policy),
});

/** A capacity of an object before it is validated. */
export type CapacityValue = t.Static<typeof Capacity>;

type RangeValue = t.Static<typeof Range>;

const exceeds = (amount: string, most: string): boolean => compareQuantities(amount, most) > 0;

/** Validates a capacity; only a device that several claims share has a request policy. */
export function validateCapacity(capacity: CapacityValue, isShared: boolean, at: string, errors: FieldErrors): void {
  const { value, requestPolicy: policy } = capacity;
  if (!policy) return;
  const field = `${at}.requestPolicy`;
  if (!isShared) return errors.forbidden(field, "expected a device with allowMultipleAllocations");
  const { validValues = [], validRange, default: byDefault } = policy;
  if (validValues.length > 0 && validRange) {
    return errors.forbidden(field, "expected either validValues or validRange, got both");
  }
  if (validValues.length === 0 && !validRange) return;
  if (byDefault === undefined || byDefault === null) {
    return errors.required(`${field}.default`, "expected one together with validValues or validRange");
  }
  if (validRange) validateRange(validRange, byDefault, value, `${field}.validRange`, errors);
  else validateValues(validValues, byDefault, value, `${field}.validValues`, errors);
}

const MAX_VALUES = 10;

function validateValues(
  values: readonly string[],
  byDefault: string,
  most: string,
  field: string,
  errors: FieldErrors,
): void {
  values.forEach((value, i) => {
    if (i > 0 && exceeds(values[i - 1]!, value)) {
      errors.invalid(`${field}[${i}]`, value, "expected the amounts from the least to the most");
    }
  });
  const check = (value: string, at: string): void => {
    if (exceeds(value, most)) errors.invalid(at, value, `expected no more than there is, ${most}`);
  };
  checkSet(values, MAX_VALUES, field, errors, check, (value) => String(wholeNumber(value)));
  const isListed = values.length <= MAX_VALUES && values.some((value) => compareQuantities(value, byDefault) === 0);
  if (!isListed) errors.invalid(field, byDefault, "expected the default among the amounts");
}

function validateRange(
  { min, max, step }: RangeValue,
  byDefault: string,
  most: string,
  field: string,
  errors: FieldErrors,
): void {
  if (min === undefined) return errors.required(`${field}.min`, "expected the least amount");
  if (exceeds(min, most)) errors.invalid(`${field}.min`, min, `expected no more than there is, ${most}`);
  if (exceeds(min, byDefault)) errors.invalid(`${field}.min`, min, `expected no more than the default, ${byDefault}`);
  if (max !== undefined) validateMost(max, min, byDefault, most, `${field}.max`, errors);
  if (step === undefined) return;
  const first = addQuantities(min, step);
  if (exceeds(first, most))
    errors.invalid(`${field}.step`, step, `expected no more than there is, ${most}, got ${first}`);
  for (const amount of [byDefault, ...(max === undefined ? [] : [max])]) {
    if (!isReached(amount, min, step)) {
      errors.invalid(`${field}.step`, amount, `expected steps of ${step} from ${min} to it`);
    }
  }
}

function validateMost(
  max: string,
  min: string,
  byDefault: string,
  most: string,
  field: string,
  errors: FieldErrors,
): void {
  if (exceeds(min, max)) errors.invalid(field, max, `expected no less than the least, ${min}`);
  if (exceeds(max, most)) errors.invalid(field, max, `expected no more than there is, ${most}`);
  if (exceeds(byDefault, max)) errors.invalid(field, max, `expected no less than the default, ${byDefault}`);
}

/** Whether whole steps lead from one amount to another. */
function isReached(amount: string, min: string, step: string): boolean {
  const [from, to, size] = [wholeNumber(min), wholeNumber(amount), wholeNumber(step)];
  if (from === undefined || to === undefined || !size) return false;
  return (to - from) % size === 0n;
}
