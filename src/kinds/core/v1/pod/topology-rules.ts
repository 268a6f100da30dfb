/**
 * The rules of topology spread constraints (KIND-PodSpec-14).
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import { validateLabelSelector } from "../../../../schema/validation/label-selector.ts";
import { type KeyedSelector, checkLabelKeys } from "./label-keys.ts";
import type { PodSpec } from "./spec-schema.ts";

type Constraint = NonNullable<PodSpec["topologySpreadConstraints"]>[number];

const ACTIONS = ["DoNotSchedule", "ScheduleAnyway"];
const POLICIES = ["Honor", "Ignore"];

/** Reports the faults of the constraints of a spec. */
export function checkSpread(constraints: readonly Constraint[], errors: FieldErrors): void {
  const idOf = ({ topologyKey, whenUnsatisfiable }: Constraint): string =>
    JSON.stringify([topologyKey, whenUnsatisfiable]);
  const last = new Map(constraints.map((constraint, i) => [idOf(constraint), i]));
  constraints.forEach((constraint, i) => {
    const at = `spec.topologySpreadConstraints[${i}]`;
    checkConstraint(constraint, at, errors);
    if (last.get(idOf(constraint))! === i) return;
    const { topologyKey, whenUnsatisfiable } = constraint;
    errors.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`);
  });
}

function checkConstraint(constraint: Constraint, at: string, errors: FieldErrors): void {
  const { maxSkew, topologyKey, whenUnsatisfiable: action, minDomains, labelSelector } = constraint;
  if (maxSkew <= 0) errors.invalid(`${at}.maxSkew`, maxSkew, "expected a number above 0");
  if (!topologyKey) errors.required(`${at}.topologyKey`);
  if (!ACTIONS.includes(action)) errors.notSupported(`${at}.whenUnsatisfiable`, action ?? "", ACTIONS);
  if (minDomains !== undefined && minDomains <= 0) {
    errors.invalid(`${at}.minDomains`, minDomains, "expected a number above 0");
  }
  if (minDomains !== undefined && action !== "DoNotSchedule") {
    errors.invalid(`${at}.minDomains`, minDomains, "expected none but for DoNotSchedule");
  }
  for (const member of ["nodeAffinityPolicy", "nodeTaintsPolicy"] as const) {
    const policy = constraint[member];
    if (policy !== undefined && !POLICIES.includes(policy)) errors.notSupported(`${at}.${member}`, policy, POLICIES);
  }
  checkLabelKeys(constraint as KeyedSelector, at, errors);
  if (labelSelector) validateLabelSelector(labelSelector, `${at}.labelSelector`, errors);
}
