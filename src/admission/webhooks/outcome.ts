/**
 * The result of a call of a webhook, with its failure policy applied.
 *
 * @module
 */
import { ApiError } from "../../meta/status.ts";
import type { Clock } from "../../util/clock.ts";
import type { AdmissionRequest } from "../contract.ts";
import type { Webhook } from "./configuration.ts";
import { CallFailure, failed } from "./errors.ts";
import type { RejectionType, WebhookMetrics } from "./metrics.ts";

/** The decision of a webhook; `changed` where it has changed the object. */
export type Outcome = { readonly millis: number } & (
  | { readonly result: "allowed"; readonly changed: boolean }
  | { readonly result: "denied"; readonly error: ApiError }
  /** The request continues without the webhook. */
  | { readonly result: "ignored"; readonly failure: CallFailure }
  | { readonly result: "failed"; readonly error: ApiError }
);

/** The response of a webhook to a review. */
export type ReviewResult = { readonly changed: boolean } | { readonly denied: ApiError };

/** The parts for finding outcomes. */
export interface OutcomeParts {
  readonly clock: Pick<Clock, "steady">;
  readonly metrics: WebhookMetrics;
}

const OK = 200;

/** A call that has ended, as metrics count it. */
type End = (code: number, rejection?: RejectionType) => number;

/** The outcome of a call; counts it. Rejects only with faults of the program. */
export async function outcomeOf(
  { clock, metrics }: OutcomeParts,
  webhook: Webhook,
  { operation }: AdmissionRequest,
  work: () => Promise<ReviewResult>,
): Promise<Outcome> {
  const since = clock.steady();
  const end: End = (code, rejection) => {
    const millis = clock.steady() - since;
    metrics.called({ webhook, operation, millis, code, rejection });
    return millis;
  };
  try {
    return reviewed(await work(), end);
  } catch (error) {
    const outcome = failure(webhook, error, end);
    if (outcome.result === "ignored") metrics.failedOpen(webhook);
    return outcome;
  }
}

function reviewed(result: ReviewResult, end: End): Outcome {
  if (!("denied" in result)) return { result: "allowed", changed: result.changed, millis: end(OK) };
  const { denied: error } = result;
  return { result: "denied", error, millis: end(error.code, "no_error") };
}

/** Applies the failure policy to an error; other errors than those of calls are thrown. */
function failure({ ignoresFailures }: Webhook, error: unknown, end: End): Outcome {
  if (error instanceof CallFailure) {
    if (ignoresFailures) return { result: "ignored", failure: error, millis: end(error.code) };
    return { result: "failed", error: failed(error.message), millis: end(error.code, "calling_webhook_error") };
  }
  const millis = end(0, "apiserver_internal_error");
  if (error instanceof ApiError) return { result: "failed", error, millis };
  throw error;
}
