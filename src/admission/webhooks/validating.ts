/**
 * ValidatingAdmissionWebhook: webhooks that may refuse a request, all of them at the same time (HOOK-11).
 *
 * @module
 */
import { inOrder, whenKnown } from "../../util/when-done.ts";
import type { AdmissionRequest, AdmissionStep } from "../contract.ts";
import { asMatched } from "../rules/request.ts";
import { noteFailedValidation } from "./audit.ts";
import type { PlacedWebhook } from "./configuration.ts";
import { type Invocation, type ShownIn, consider } from "./consider.ts";
import { denied } from "./errors.ts";
import { type ReviewResult, type Outcome, outcomeOf } from "./outcome.ts";
import { candidatesOf, tellMismatch, tellOutcome } from "./report.ts";
import { ObjectTexts } from "./review.ts";
import { type WebhookParts, isExempt } from "./webhook-parts.ts";

/** The step of validating webhooks. */
export function validatingWebhooks(parts: WebhookParts): AdmissionStep {
  const webhooks = new ValidatingWebhooks(parts);
  return {
    name: "ValidatingAdmissionWebhook",
    connects: true,
    validate: (request) => webhooks.validate(request),
  };
}

class ValidatingWebhooks {
  readonly #parts: WebhookParts;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
  }

  validate(request: AdmissionRequest): void | Promise<void> {
    if (isExempt(request)) return undefined;
    return whenKnown(this.#parts.validating.of(request.lookup), (index) => {
      const candidates = candidatesOf(index, request);
      return candidates.length === 0 ? undefined : this.#consider(request, candidates);
    });
  }

  #consider(request: AdmissionRequest, candidates: readonly PlacedWebhook[]): void | Promise<void> {
    const due: Invocation[] = [];
    const shownIn = onceForEachVersion();
    const considered = inOrder(candidates, (placed) =>
      whenKnown(consider(this.#parts, placed, request, shownIn), (one) => {
        if (one.mismatch === undefined) due.push(one);
        else tellMismatch(request, placed, one);
      }),
    );
    const call = (): Promise<void> | undefined => (due.length === 0 ? undefined : this.#callAll(due));
    return considered ? considered.then(call) : call();
  }

  /** Calls all webhooks; the first refusal in their order is that of the request. */
  async #callAll(due: readonly Invocation[]): Promise<void> {
    const texts = new ObjectTexts(due.length);
    const outcomes = await Promise.all(due.map((one, index) => this.#call(one, index, texts)));
    for (const outcome of outcomes) if (outcome.result === "denied" || outcome.result === "failed") throw outcome.error;
  }

  async #call(invocation: Invocation, index: number, texts: ObjectTexts): Promise<Outcome> {
    const { placed, request } = invocation;
    const { webhook } = placed;
    const outcome = await outcomeOf(this.#parts, webhook, request, () => this.#review(invocation, texts));
    tellOutcome(request, placed, outcome);
    if (outcome.result === "ignored") noteFailedValidation(request, webhook, index);
    return outcome;
  }

  async #review(invocation: Invocation, texts: ObjectTexts): Promise<ReviewResult> {
    const { allowed, status } = await this.#parts.caller.call(invocation, texts);
    return allowed ? { changed: false } : { denied: denied(invocation.placed.webhook.name, status) };
  }
}

/** Converts a request to each version once: it does not change any more. */
function onceForEachVersion(): ShownIn {
  const known = new Map<string, AdmissionRequest | Promise<AdmissionRequest>>();
  return (request, matched) => {
    let shown = known.get(matched.apiVersion);
    if (!shown) known.set(matched.apiVersion, (shown = asMatched(request, matched)));
    return shown;
  };
}
