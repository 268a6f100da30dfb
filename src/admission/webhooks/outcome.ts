/**
 * What a call of a webhook has led to, and what its failure policy makes of a failure.
 *
 * @module
 */
import { ApiError } from "../../meta/status.ts";
import type { Clock } from "../../util/clock.ts";
import type { AdmissionRequest } from "../contract.ts";
import type { Webhook } from "./configuration.ts";
import { CallFailure, failed } from "./errors.ts";
import type { RejectionType, WebhookMetrics } from "./metrics.ts";

/** What a webhook has decided; `changed` where it has changed the object. */
export type Outcome = { readonly millis: number } & (
  | { readonly result: "allowed"; readonly changed: boolean }
  | { readonly result: "denied"; readonly error: ApiError }
  /** The request continues without the webhook. */
  | { readonly result: "ignored"; readonly failure: CallFailure }
  | { readonly result: "failed"; readonly error: ApiError }
);

/** A webhook's answer to a review. */
export type Answer = { readonly changed: boolean } | { readonly denied: ApiError };

/** What outcomes are found with. */
export interface OutcomeParts {
  readonly clock: Pick<Clock, "steady">;
  readonly metrics: WebhookMetrics;
}

const OK = 200;

/** The outcome of a call; counts it. Never rejects but for errors that no policy covers and that are faults of the program. */
export async function outcomeOf(
  { clock, metrics }: OutcomeParts,
  webhook: Webhook,
  { operation }: AdmissionRequest,
  work: () => Promise<Answer>,
): Promise<Outcome> {
  const since = clock.steady();
  const end = (code: number, rejection?: RejectionType): number => {
    const millis = clock.steady() - since;
    metrics.called({ webhook, operation, millis, code, rejection });
    return millis;
  };
  try {
    const answer = await work();
    if ("denied" in answer) {
      return { result: "denied", error: answer.denied, millis: end(answer.denied.code, "no_error") };
    }
    return { result: "allowed", changed: answer.changed, millis: end(OK) };
  } catch (error) {
    if (error instanceof CallFailure && webhook.ignoresFailures) {
      metrics.failedOpen(webhook);
      return { result: "ignored", failure: error, millis: end(error.code) };
    }
    if (error instanceof CallFailure) {
      return { result: "failed", error: failed(error.message), millis: end(error.code, "calling_webhook_error") };
    }
    const millis = end(0, "apiserver_internal_error");
    if (error instanceof ApiError) return { result: "failed", error, millis };
    throw error;
  }
}
