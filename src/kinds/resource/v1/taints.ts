/**
 * Taints of devices, and the tolerations of requests.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { labelValue, qualifiedName } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { tell } from "./names.ts";

const EFFECTS = ["NoExecute", "NoSchedule", "None"];
const OPERATORS = ["Equal", "Exists"];

const Taint = t.struct("A taint of a device.", {
  key: t.required(t.text("The key, in the form of the key of a label.")),
  value: t.optional(t.text("More of it, as the value of a label.")),
  effect: t.required(t.text("The effect: NoSchedule, NoExecute, or None.")),
  timeAdded: t.pointer(t.time("Since when; now by default.")),
});

/** The schema of taints. */
export const taints = t.optional(t.atomicList(Taint, "The taints of the device; at most 16."));

/** A taint of an object before it is validated. */
export type TaintValue = t.Static<typeof Taint>;

/** All faults of a taint. */
export function validateTaint({ key, value = "", effect }: TaintValue, at: string, errors: FieldErrors): void {
  tell(key, qualifiedName, `${at}.key`, errors);
  tell(value, labelValue, `${at}.value`, errors);
  if (effect === "") errors.required(`${at}.effect`, `expected one of ${EFFECTS.join(", ")}`);
  else if (!EFFECTS.includes(effect)) errors.notSupported(`${at}.effect`, effect, EFFECTS);
}

const Toleration = t.struct("A taint that does not matter.", {
  key: t.optional(t.text("Its key; any by default.")),
  operator: t.optional(t.text("Equal: with this value; Exists: with any.", { default: "Equal" })),
  value: t.optional(t.text("Its value, for Equal.")),
  effect: t.optional(t.text("Its effect; any by default.")),
  tolerationSeconds: t.pointer(t.int64("For how long a NoExecute does not matter; for ever by default.")),
});

/** The schema of tolerations. */
export const tolerations = t.optional(t.atomicList(Toleration, "The taints that do not matter."));

/** A toleration of an object before it is validated. */
export type TolerationValue = t.Static<typeof Toleration>;

/** All faults of a toleration. */
export function validateToleration(toleration: TolerationValue, at: string, errors: FieldErrors): void {
  const { key = "", operator = "", value = "", effect = "" } = toleration;
  if (key !== "") tell(key, qualifiedName, `${at}.key`, errors);
  if (operator === "Equal") tell(value, labelValue, `${at}.value`, errors);
  else if (operator === "") errors.required(`${at}.operator`, `expected one of ${OPERATORS.join(", ")}`);
  else if (operator !== "Exists") errors.notSupported(`${at}.operator`, operator, OPERATORS);
  else if (value !== "") errors.invalid(`${at}.value`, value, "expected none for Exists");
  if (effect !== "" && !EFFECTS.includes(effect)) errors.notSupported(`${at}.effect`, effect, EFFECTS);
}
