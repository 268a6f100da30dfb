/**
 * Calls one webhook: sends the review, and checks the response.
 *
 * @module
 */
import type { Hooks } from "../../hooks/hooks.ts";
import { withTimeout } from "../../hooks/response.ts";
import { addWarnings } from "../../schema/warnings.ts";
import type { Clock, Random } from "../../util/clock.ts";
import { messageOf } from "../../util/error.ts";
import type { Value } from "../../value/value.ts";
import type { AdmissionRequest } from "../contract.ts";
import { type WebhookAddresses, shownUrl } from "./address.ts";
import { noteAnnotations } from "./audit.ts";
import { CallLimiter } from "./call-limiter.ts";
import { MUTATING, type ReviewVersion, type Webhook } from "./configuration.ts";
import type { Invocation } from "./consider.ts";
import { addressFailure, callFailure, dryRunUnsupported, responseFailure, versionFailure } from "./errors.ts";
import type { RequestTimes } from "./request-time.ts";
import { type ReviewResponse, readResponse } from "./response.ts";
import { type ObjectTexts, reviewText } from "./review.ts";

/** What webhooks are called with. */
export interface CallerParts {
  readonly hooks: Hooks;
  readonly clock: Clock;
  readonly random: Random;
  readonly addresses: WebhookAddresses;
  readonly times: RequestTimes;
}

/** Calls of all webhooks of a server, and the bytes of their requests. */
const BOUNDS = { each: 32, all: 1024, bytes: 128 << 20 };

/** See the head of this file. */
export class WebhookCaller {
  readonly #parts: CallerParts;
  readonly #limiter = new CallLimiter(BOUNDS);

  constructor(parts: CallerParts) {
    this.#parts = parts;
  }

  /**
   * Resolves to the response of a webhook, whose warnings and annotations the request has got. Rejects with CallFailure, and with
   * ApiError where the failure policy does not matter.
   */
  async call({ placed: { webhook }, ...reviewed }: Invocation, texts: ObjectTexts): Promise<ReviewResponse> {
    const { request } = reviewed;
    if (request.options.dryRun && !webhook.allowsDryRun) throw dryRunUnsupported(webhook.name);
    const { reviewVersion: version } = webhook;
    if (!version) throw versionFailure(webhook.name);
    const uid = this.#parts.random.uuid();
    const body = Buffer.from(reviewText(version, uid, reviewed, texts));
    const review = await this.#send(webhook, request, body);
    const response = checked(webhook, review, version, uid);
    noteAnnotations(request, webhook, response.auditAnnotations);
    addWarnings(request, response.warnings);
    return response;
  }

  /** Sends a review within the time of the webhook and that of the request, of which waiting for a place is a part. */
  async #send(webhook: Webhook, request: AdmissionRequest, body: Uint8Array): Promise<Value> {
    const { clock, times } = this.#parts;
    const time = times.of(request.hold);
    const since = clock.steady();
    const millis = Math.min(webhook.timeoutMillis, time.left);
    if (millis <= 0) throw time.usedUp();
    const query = `?timeout=${Math.ceil(millis / 1000)}s`;
    try {
      return await this.#within(webhook, request, body, { millis, query });
    } catch (error) {
      time.spend(webhook, clock.steady() - since);
      if (time.left <= 0) throw time.usedUp();
      throw error;
    }
  }

  async #within(
    webhook: Webhook,
    { hold }: AdmissionRequest,
    body: Uint8Array,
    { millis, query }: { readonly millis: number; readonly query: string },
  ): Promise<Value> {
    const { clock, hooks } = this.#parts;
    const key = `${webhook.type.label}/${webhook.configuration}/${webhook.name}`;
    const since = clock.steady();
    const fail = (error: unknown): never => {
      throw callFailure(webhook.name, shownUrl(webhook.client, query), error);
    };
    let left = millis;
    // Waiting has an end of its own, which is only needed where there is something to wait for.
    if (!this.#limiter.hasPlace(key, body.length)) {
      const enter = (signal: AbortSignal): Promise<void> => this.#limiter.wait(key, body.length, signal);
      await withTimeout(clock, millis, "to begin", enter, hold.signal).catch(fail);
      left = Math.max(1, millis - (clock.steady() - since));
    } else this.#limiter.enter(key, body.length);
    try {
      const address = await this.#addressOf(webhook);
      return await hooks.call({ ...address, url: address.url + query }, body, left, hold.signal).catch(fail);
    } finally {
      this.#limiter.leave(key, body.length);
    }
  }

  async #addressOf({ client, name }: Webhook): Promise<Awaited<ReturnType<WebhookAddresses["of"]>>> {
    try {
      return await this.#parts.addresses.of(client);
    } catch (error) {
      throw addressFailure(name, error);
    }
  }
}

function checked({ name, type }: Webhook, review: Value, version: ReviewVersion, uid: string): ReviewResponse {
  try {
    return readResponse(review, { uid, version, isMutating: type === MUTATING });
  } catch (error) {
    throw responseFailure(name, messageOf(error));
  }
}
