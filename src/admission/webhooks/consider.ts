/**
 * Whether a webhook is called for a request.
 *
 * @module
 */
import type { Authorizer } from "../../auth/contract.ts";
import { forbidden } from "../../meta/status.ts";
import type { Clock } from "../../util/clock.ts";
import type { WorkerThreads } from "../../util/worker-threads.ts";
import { whenKnown } from "../../util/when-done.ts";
import type { AdmissionRequest } from "../contract.ts";
import { Evaluation } from "../policies/evaluation.ts";
import type { ConditionsResult } from "../rules/conditions.ts";
import type { MatchedResource, Mismatch } from "../rules/contract.ts";
import { conditionInputs } from "../rules/request-variable.ts";
import { asMatched } from "../rules/request.ts";
import type { PlacedWebhook, Webhook } from "./configuration.ts";
import type { WebhookMetrics } from "./metrics.ts";
import type { ReviewedRequest } from "./review.ts";

/** A call to make. */
export interface Invocation extends ReviewedRequest {
  readonly placed: PlacedWebhook;
}

/** A call to make, or why the webhook is not called. */
export type Considered =
  | (Invocation & { readonly mismatch?: undefined })
  | { readonly mismatch: Mismatch | "matchConditions"; readonly condition?: string };

/** The parts for the decision whether a webhook is called. */
export interface ConsiderParts {
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  readonly metrics: WebhookMetrics;
  /** Evaluates in worker threads what would take too long on the event loop; without it everything is evaluated there. */
  readonly threads?: WorkerThreads | undefined;
}

/** Decides whether a webhook is called; throws, or rejects with, 403 where its conditions fail and its failure policy is Fail. */
export function consider(
  parts: ConsiderParts,
  placed: PlacedWebhook,
  request: AdmissionRequest,
  shownIn: ShownIn = asMatched,
): Considered | Promise<Considered> {
  const { matched, mismatch } = placed.matcher.decide(request);
  if (!matched) return { mismatch };
  return whenKnown(shownIn(request, matched), (shown): Considered | Promise<Considered> => {
    const invocation = { placed, request, matched, shown };
    if (placed.webhook.conditions.isEmpty) return invocation;
    return whenKnown(evaluate(parts, invocation), (result) => decided(invocation, result));
  });
}

/** Shows a request in the version that a rule names. */
export type ShownIn = (
  request: AdmissionRequest,
  matched: MatchedResource,
) => AdmissionRequest | Promise<AdmissionRequest>;

function evaluate(
  parts: ConsiderParts,
  { placed: { webhook }, request, matched, shown }: Invocation,
): ConditionsResult | Promise<ConditionsResult> {
  const { clock, metrics } = parts;
  const since = clock.steady();
  const result = new Evaluation(parts).run<ConditionsResult>({
    inputs: (decide) => conditionInputs(request, matched, shown, decide),
    steps: (inputs) => webhook.conditions.steps(inputs),
    task: { policy: webhook.policy, what: "conditions" },
  });
  return whenKnown(result, (done) => {
    const failures = done.holds === true ? 0 : done.failures;
    const isExcluded = !done.holds && !isRefused(webhook, done);
    metrics.evaluated(webhook, request.operation, { failures, isExcluded }, clock.steady() - since);
    return done;
  });
}

/** Whether conditions have failed, and their failure refuses the request (HOOK-16). */
const isRefused = ({ ignoresFailures }: Webhook, { holds }: ConditionsResult): boolean =>
  holds === undefined && !ignoresFailures;

function decided(invocation: Invocation, result: ConditionsResult): Considered {
  if (result.holds) return invocation;
  const { placed, request } = invocation;
  if (result.holds === false) return { mismatch: "matchConditions", condition: result.condition };
  if (isRefused(placed.webhook, result)) throw forbidden(request.ref, request.name, result.error);
  return { mismatch: "matchConditions" };
}
