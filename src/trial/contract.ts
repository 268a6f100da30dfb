/**
 * Trials of admission policies: what they would do, before a binding makes them do it.
 *
 *     documents ──► readDocuments     decoded, validated, with a binding for each policy
 *       ──► PolicyTrial               one policy, judged by the steps of admission
 *       ──► tryPolicies               everything that is stored, and every write of the history
 *     files ──► readSuites ──► runSuites      cases with what is expected of them, and coverage
 *
 * Nothing is stored and nobody is called. The expressions are evaluated by `admission/policies`: there is no second
 * implementation.
 *
 * @module
 */
import type { PolicyParts } from "../admission/policies/parts.ts";
import type { Kinds } from "../registry/index.ts";
import type { ApiContext } from "../schema/definition.ts";
import type { Store } from "../storage/contract.ts";

/** What trials are made of. */
export interface TrialParts extends Omit<PolicyParts, "policyMetrics" | "dialect" | "clock"> {
  readonly api: ApiContext;
  readonly kinds: Kinds;
  readonly store: Store;
}
