/**
 * Conditions of a device for which its claim waits before a Pod is bound, and those of failure.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { qualifiedName } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { checkList, checkUnique } from "./lists.ts";
import { tell } from "./names.ts";

/** The members that name such conditions. */
export const BINDING_CONDITIONS = {
  bindingConditions: t.optional(
    t.atomicList(t.text(), "Conditions of the claim that are to be true before a Pod is bound; at most 4."),
  ),
  bindingFailureConditions: t.optional(
    t.atomicList(t.text(), "Conditions of the claim, each of which means that the device is not available; at most 4."),
  ),
} as const;

interface Conditions {
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
}

const MAX_CONDITIONS = 4;

/** All faults of the names of conditions: both sorts are set, or none. */
export function validateBindingConditions(conditions: Conditions, at: string, errors: FieldErrors): void {
  const { bindingConditions: good = [], bindingFailureConditions: bad = [] } = conditions;
  const [ofGood, ofBad] = [`${at}.bindingConditions`, `${at}.bindingFailureConditions`];
  const check = (name: string, field: string): void => tell(name, qualifiedName, field, errors);
  for (const [names, field] of [[good, ofGood] as const, [bad, ofBad] as const]) {
    checkList(names, MAX_CONDITIONS, field, errors, check);
    checkUnique(names, field, errors, (name) => name);
  }
  const known = new Set(good);
  bad.forEach((name, i) => {
    if (known.has(name)) errors.invalid(`${ofBad}[${i}]`, name, "expected none of bindingConditions");
  });
  if (good.length === 0 && bad.length > 0)
    errors.invalid(ofGood, good, "expected some together with bindingFailureConditions");
  if (bad.length === 0 && good.length > 0) errors.invalid(ofBad, bad, "expected some together with bindingConditions");
}
