/**
 * The rules of the restart policy of one container, which overrides that of the Pod.
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import type { ApiContext } from "../../../../schema/definition.ts";
import type { ContainerValue } from "./container-schema.ts";

const POLICIES = ["Always", "Never", "OnFailure"];
const OPERATORS = ["In", "NotIn"];
const MAX_RULES = 20;
const MAX_CODES = 255;

/** A known policy where there are rules, and rules of exit codes; a sidecar has no rules. */
export function checkRestart(
  { restartPolicy: policy, restartPolicyRules: rules = [] }: ContainerValue,
  isInit: boolean,
  at: string,
  errors: FieldErrors,
  { gates }: ApiContext,
): void {
  if (policy === undefined) {
    if (rules.length > 0) errors.required(`${at}.restartPolicy`, "expected a policy together with restartPolicyRules");
    if (isInit) return;
  } else if (!POLICIES.includes(policy)) errors.notSupported(`${at}.restartPolicy`, policy, POLICIES);
  const restartsAll = gates.RestartAllContainersOnContainerExits;
  const field = `${at}.restartPolicyRules`;
  if (isInit && policy === "Always" && !restartsAll) {
    if (rules.length > 0) errors.forbidden(field, "expected none where the restartPolicy is Always");
    return;
  }
  if (rules.length > MAX_RULES) tooMany(field, rules.length, MAX_RULES, errors);
  const actions = restartsAll ? ["Restart", "RestartAllContainers"] : ["Restart"];
  rules.forEach(({ action, exitCodes }, i) => {
    if (!actions.includes(action)) errors.notSupported(`${field}[${i}].action`, action, actions);
    if (!exitCodes) return errors.required(`${field}[${i}].exitCodes`);
    const { operator, values = [] } = exitCodes;
    if (!OPERATORS.includes(operator)) errors.notSupported(`${field}[${i}].exitCodes.operator`, operator, OPERATORS);
    if (values.length > MAX_CODES) tooMany(`${field}[${i}].exitCodes.values`, values.length, MAX_CODES, errors);
  });
}

const tooMany = (field: string, got: number, most: number, errors: FieldErrors): void =>
  errors.add("FieldValueTooLong", field, `Too long: expected at most ${most} entries, got ${got}`);
