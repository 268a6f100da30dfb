/**
 * The rules of tolerations (KIND-PodSpec-13).
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import { labelValue, qualifiedName } from "../../../../meta/names.ts";

/** A toleration in wire form. */
export interface TolerationValue {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

const EFFECTS = ["NoExecute", "NoSchedule", "PreferNoSchedule"];
const OPERATORS = ["Equal", "Exists"];

/** Reports the faults of the tolerations at `at`, such as `spec.tolerations`. */
export function checkTolerations(tolerations: readonly TolerationValue[], at: string, errors: FieldErrors): void {
  tolerations.forEach((toleration, i) => checkToleration(toleration, `${at}[${i}]`, errors));
}

function checkToleration(toleration: TolerationValue, at: string, errors: FieldErrors): void {
  const { key = "", operator = "", effect = "", tolerationSeconds } = toleration;
  const wrongKey = key === "" ? undefined : qualifiedName(key);
  if (wrongKey !== undefined) errors.invalid(`${at}.key`, key, wrongKey);
  if (key === "" && operator !== "Exists") errors.invalid(`${at}.operator`, operator, "expected Exists without a key");
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    errors.invalid(`${at}.effect`, effect, "expected NoExecute together with tolerationSeconds");
  }
  if (operator !== "" && !OPERATORS.includes(operator)) errors.notSupported(`${at}.operator`, operator, OPERATORS);
  else checkValue(toleration, `${at}.operator`, errors);
  if (effect !== "" && !EFFECTS.includes(effect)) errors.notSupported(`${at}.effect`, effect, EFFECTS);
}

/** A value that does not fit the operator is reported at the operator. */
function checkValue({ operator, value = "" }: TolerationValue, field: string, errors: FieldErrors): void {
  if (operator === "Exists") {
    if (value !== "") errors.invalid(field, value, "expected no value for Exists");
    return;
  }
  const wrong = labelValue(value);
  if (wrong !== undefined) errors.invalid(field, value, wrong);
}
