/**
 * The webhooks in an explanation of a request.
 *
 * @module
 */
import type { ReportedRule } from "../../meta/admission-report.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { AdmissionRequest } from "../contract.ts";
import type { RuleIndex } from "../rules/rule-index.ts";
import type { PlacedWebhook, Webhook } from "./configuration.ts";
import type { Considered } from "./consider.ts";
import type { Outcome } from "./outcome.ts";

const headOf = ({ name, configuration, type }: Webhook): Pick<ReportedRule, "source" | "name"> => ({
  source: `${type.kind}/${configuration}`,
  name,
});

/** The webhooks that may concern a request; where an explanation is requested, the others are recorded. */
export function candidatesOf(index: RuleIndex<PlacedWebhook>, request: AdmissionRequest): readonly PlacedWebhook[] {
  const candidates = index.of(request);
  const { trace } = request;
  if (!trace) return candidates;
  const concerned = new Set(candidates);
  for (const placed of index.items) {
    if (!concerned.has(placed)) trace.tell({ ...headOf(placed.webhook), matched: false, why: "resourceRules" });
  }
  return candidates;
}

/** Records why a webhook is not called. */
export function tellMismatch({ trace }: AdmissionRequest, { webhook }: PlacedWebhook, considered: Considered): void {
  const { mismatch } = considered;
  if (!trace || mismatch === undefined) return;
  const { condition } = considered;
  const why = condition === undefined ? mismatch : `the match condition ${condition} is false`;
  trace.tell({ ...headOf(webhook), matched: false, why });
}

/** The object before a call; undefined where no explanation is requested. */
export const objectBefore = ({ trace, object }: AdmissionRequest): ApiObject | undefined => trace?.copy(object);

/** Records the result of a call. */
export function tellOutcome(
  { trace, object }: AdmissionRequest,
  { webhook }: PlacedWebhook,
  outcome: Outcome,
  before?: ApiObject,
): void {
  if (!trace) return;
  const { millis } = outcome;
  const changes = trace.changes(before, object);
  const why = wordsOf(outcome);
  trace.tell({
    ...headOf(webhook),
    matched: true,
    result: outcome.result === "allowed" && changes.length > 0 ? "patched" : outcome.result,
    ...(why === undefined ? {} : { why }),
    ...(changes.length === 0 ? {} : { changes }),
    millis,
  });
}

function wordsOf(outcome: Outcome): string | undefined {
  if (outcome.result === "allowed") return undefined;
  return outcome.result === "ignored" ? outcome.failure.message : outcome.error.message;
}
