/**
 * What admission does with a write: the response to a dry run with `?explain`. See docs/guides/admission.md.
 *
 * @module
 */
import type { Value } from "../value/value.ts";
import type { ReportedChange } from "./history-report.ts";
import type { ReportedObject } from "./ownership-reports.ts";
import type { Status } from "./status.ts";

/** A webhook, or a policy with one of its bindings, that a step has considered. */
export interface ReportedRule {
  /** The object that configures it: `ValidatingWebhookConfiguration/checks`, `ValidatingAdmissionPolicyBinding/all`. */
  readonly source: string;
  /** The name of the webhook, or of the policy. */
  readonly name: string;
  readonly matched: boolean;
  /** Why it did not match, why it failed, or the message of its refusal. */
  readonly why?: string;
  /** `allowed`, `denied`, `warned`, `audited`, `patched`, `failed`, `ignored`: what came of it; absent where it did not match. */
  readonly result?: string;
  /** The differences that it made. */
  readonly changes?: readonly ReportedChange[];
  /** How long it took, in ms. */
  readonly millis?: number;
  /** What the expressions of a policy have cost. */
  readonly cost?: number;
}

/** One run of a step. */
export interface ReportedStep {
  /** The name of the plugin. */
  readonly name: string;
  readonly phase: "mutate" | "validate";
  /** How long it took, in ms. */
  readonly millis: number;
  /** The differences that it made in the object. */
  readonly changes: readonly ReportedChange[];
  /** The warnings that it added. */
  readonly warnings: readonly string[];
  /** Its refusal, which ends the request. */
  readonly refusal?: Status;
  /** The webhooks or policies that it has considered, in their order. */
  readonly rules: readonly ReportedRule[];
}

/** What admission does with a write. */
export interface AdmissionReport {
  readonly kind: "AdmissionReport";
  readonly apiVersion: string;
  readonly object: ReportedObject;
  readonly operation: string;
  /** In the order in which they ran; a step that is reinvoked is there twice. */
  readonly steps: readonly ReportedStep[];
  /** The steps of the server that do not concern the resource. */
  readonly unconcerned: readonly string[];
  /** Whether changes are missing, since the object is too large to compare it after each step; absent where none are missing. */
  readonly changesLeftOut?: true;
  /** The code of the response to the write. */
  readonly code: number;
  /** The failure of the write, from any step; absent if the write would succeed. */
  readonly failure?: Status;
  /** The object as it would be stored. */
  readonly result?: Value;
}
