/**
 * Trials of admission policies: what they would do, before a binding makes them do it.
 *
 *     documents ──► readDocuments     decoded, validated, with a binding for each policy
 *       ──► PolicyTrial, WebhookTrial one policy, or one configuration, evaluated by the steps of admission
 *       ──► tryPolicies               all stored objects, and every write of the history
 *     files ──► readSuites ──► runSuites      cases with their expectations, and coverage
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

/** The parts of trials. */
export interface TrialParts extends Omit<PolicyParts, "policyMetrics" | "dialect" | "clock"> {
  readonly api: ApiContext;
  readonly kinds: Kinds;
  readonly store: Store;
  /** Calls webhooks. */
  readonly hooks: Hooks;
  /** Services whose addresses differ from those in their objects. */
  readonly services?: WebhookOptions["services"];
}

/** The subject of a trial: a policy with its bindings, or a configuration of webhooks. */
export interface TrialSubject {
  readonly kind: string;
  readonly name: string;
  /** The names of its bindings, or of its webhooks. */
  readonly parts: readonly string[];
  /** Returns the part to which a rule belongs. */
  partOf(rule: ReportedRule): string;
}

/** The decisions of a policy, or of webhooks, about one write; undefined where they do not match such writes. */
export type Judged = readonly ReportedRule[] | undefined;

/** A policy or a configuration of webhooks that can be tried. */
export interface Triable {
  readonly subject: TrialSubject;
  /** Whether it matches such writes of objects of a kind, whatever the objects are. */
  isAbout(kind: Kind, operation: TriedWrite["operation"], subresource?: string): boolean;
  /** Evaluates a write; its objects are not changed. */
  judge(write: TriedWrite): Judged | Promise<Judged>;
}
