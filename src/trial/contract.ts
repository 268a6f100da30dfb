/**
 * Trials of admission policies: what they would do, before a binding makes them do it.
 *
 *     documents ──► readDocuments     decoded, validated, with a binding for each policy
 *       ──► PolicyTrial, WebhookTrial one policy, or one configuration, judged by the steps of admission
 *       ──► tryPolicies               everything that is stored, and every write of the history
 *     files ──► readSuites ──► runSuites      cases with what is expected of them, and coverage
 *
 * Nothing is stored. The expressions are evaluated by `admission/policies`, and webhooks are called by `admission/webhooks`: there
 * is no second implementation.
 *
 * @module
 */
import type { PolicyParts } from "../admission/policies/parts.ts";
import type { WebhookOptions } from "../admission/webhooks/webhook-parts.ts";
import type { Hooks } from "../hooks/hooks.ts";
import type { ReportedRule } from "../meta/admission-report.ts";
import type { Kind, Kinds } from "../registry/index.ts";
import type { ApiContext } from "../schema/definition.ts";
import type { Store } from "../storage/contract.ts";
import type { TriedWrite } from "./request.ts";

/** What trials are made of. */
export interface TrialParts extends Omit<PolicyParts, "policyMetrics" | "dialect" | "clock"> {
  readonly api: ApiContext;
  readonly kinds: Kinds;
  readonly store: Store;
  /** Calls webhooks. */
  readonly hooks: Hooks;
  /** Services that listen elsewhere than their objects say. */
  readonly services?: WebhookOptions["services"];
}

/** What is tried: a policy with its bindings, or a configuration of webhooks. */
export interface TrialSubject {
  readonly kind: string;
  readonly name: string;
  /** The names of its bindings, or of its webhooks. */
  readonly parts: readonly string[];
  /** The part that a rule is of. */
  partOf(rule: ReportedRule): string;
}

/** What a policy, or webhooks, say of one write; undefined where they are not about such writes. */
export type Judged = readonly ReportedRule[] | undefined;

/** Something that is tried. */
export interface Triable {
  readonly subject: TrialSubject;
  /** Whether it is about such writes of objects of a kind, whatever the objects are. */
  isAbout(kind: Kind, operation: TriedWrite["operation"], subresource?: string): boolean;
  /** Judges a write; its objects are not changed. */
  judge(write: TriedWrite): Judged | Promise<Judged>;
}
