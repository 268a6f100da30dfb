/**
 * The policies in an explanation of a request.
 *
 * @module
 */
import type { ReportedRule } from "../../meta/admission-report.ts";
import type { ReportedChange } from "../../meta/history-report.ts";
import type { AdmissionRequest } from "../contract.ts";
import type { Binding } from "./bound-policies.ts";
import type { Judgement } from "./judgement.ts";
import type { FaultyPolicy, RecordMismatch } from "./selection.ts";
import type { ValidationDecision, ValidationResult } from "./validation.ts";

/** The two sorts of policies. */
export type PolicySort = "Mutating" | "Validating";

const sourceOf = (sort: PolicySort, policy: string, binding: string | undefined): string =>
  binding === undefined ? `${sort}AdmissionPolicy/${policy}` : `${sort}AdmissionPolicyBinding/${binding}`;

/** Records why policies do not match; undefined where no explanation is requested. */
export function mismatchOf(sort: PolicySort, { trace }: AdmissionRequest): RecordMismatch {
  if (!trace) return undefined;
  return (policy, binding, why) =>
    trace.tell({ source: sourceOf(sort, policy, binding), name: policy, matched: false, why });
}

/** Records a policy, or a binding, that cannot be evaluated as it is configured. */
export function reportOfFault(
  sort: PolicySort,
  { policy, binding, fault }: FaultyPolicy<{ readonly name: string; readonly ignoresFailures: boolean }>,
): ReportedRule {
  const result = policy.ignoresFailures ? "ignored" : "failed";
  return { source: sourceOf(sort, policy.name, binding?.name), name: policy.name, matched: true, result, why: fault };
}

/** Records the decision of a validating policy on the request. */
export function reportOf(judgement: Judgement): ReportedRule {
  if (judgement.fault !== undefined) return reportOfFault("Validating", judgement);
  const { invocation, result } = judgement;
  const { policy, binding } = invocation;
  const head = {
    source: sourceOf("Validating", policy.name, binding.name),
    name: policy.name,
    ...(result.cost === undefined ? {} : { cost: result.cost }),
  };
  const millis = [...result.decisions, ...result.annotations].reduce((sum, one) => sum + one.millis, 0);
  const why = result.condition === undefined ? result.ignored : `the match condition ${result.condition} is false`;
  if (why !== undefined) return { ...head, matched: false, why, millis };
  const worst =
    result.decisions.find((one) => one.result === "refused") ?? result.decisions.find((one) => one.result === "failed");
  const error = worst?.message ?? errorIn(result);
  if (error === undefined) return { ...head, matched: true, result: "allowed", millis };
  return { ...head, matched: true, result: resultOf(worst, binding, policy.ignoresFailures), why: error, millis };
}

const errorIn = ({ annotations }: ValidationResult): string | undefined =>
  annotations.find(({ error }) => error !== undefined)?.error;

function resultOf(decision: ValidationDecision | undefined, { spec, isShadow }: Binding, ignores: boolean): string {
  if (isShadow) return "shadow";
  if (decision?.result !== "refused") return ignores ? "ignored" : "failed";
  const { validationActions = [] } = spec;
  if (validationActions.includes("Deny")) return "denied";
  return validationActions.includes("Warn") ? "warned" : "audited";
}

/** The result of a mutation. */
export interface MutationOutcome {
  readonly changes: readonly ReportedChange[];
  readonly failure: string | undefined;
  readonly millis: number;
  readonly cost: number;
}

/** Records the changes of a mutating policy. */
export function reportOfMutation(
  { policy, binding }: { readonly policy: { readonly name: string }; readonly binding: Binding },
  { changes, failure, millis, cost }: MutationOutcome,
): ReportedRule {
  const made = changes.length === 0 ? "allowed" : "patched";
  return {
    source: sourceOf("Mutating", policy.name, binding.name),
    name: policy.name,
    matched: true,
    result: failure !== undefined ? "failed" : binding.isShadow ? "shadow" : made,
    ...(failure === undefined ? {} : { why: failure }),
    changes,
    millis,
    cost,
  };
}
