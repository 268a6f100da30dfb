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
import { type SpanAttributes, inSpan } from "../../util/span.ts";
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

/** The parts for calling webhooks. */
export interface CallerParts {
  readonly hooks: Hooks;
  readonly clock: Clock;
  readonly random: Random;
  readonly addresses: WebhookAddresses;
  readonly times: RequestTimes;
}

/** Calls of all webhooks of a server, and the bytes of their requests. */
const BOUNDS = { each: 32, all: 1024, bytes: 128 << 20 };

/** Larger reviews are written in a pass of the loop of their own. */
const LARGE_BYTES = 256 << 10;

/** A review that is written when there is a slot for it. */
interface SentReview {
  /** Its approximate size in bytes. */
  readonly size: number;
  readonly body: () => string;
}

/** The time limit of one call: its end by the steady counter, and the signal that aborts it. */
interface CallTime {
  readonly end: number;
  readonly millis: number;
  readonly signal: AbortSignal;
}

/** Calls one webhook. */
export class WebhookCaller {
  readonly #parts: CallerParts;
  readonly #limiter = new CallLimiter(BOUNDS);

  constructor(parts: CallerParts) {
    this.#parts = parts;
  }

  /**
   * Resolves to the response of a webhook, after its warnings and annotations were added to the request. Rejects with CallFailure, and with
   * ApiError where the failure policy does not matter.
   */
  async call({ placed: { webhook }, ...reviewed }: Invocation, texts: ObjectTexts): Promise<ReviewResponse> {
    const { request, shown } = reviewed;
    if (request.options.dryRun && !webhook.allowsDryRun) throw dryRunUnsupported(webhook.name);
    const { reviewVersion: version } = webhook;
    if (!version) throw versionFailure(webhook.name);
    const uid = this.#parts.random.uuid();
    const sent = { size: texts.sizeOf(shown), body: () => reviewText(version, uid, reviewed, texts) };
    const review = await this.#sendTraced(webhook, request, sent, uid);
    const response = checked(webhook, review, version, uid);
    noteAnnotations(request, webhook, response.auditAnnotations);
    addWarnings(request, response.warnings);
    return response;
  }

  /** Sends a review with a span for the call. */
  async #sendTraced(webhook: Webhook, request: AdmissionRequest, sent: SentReview, uid: string): Promise<Value> {
    const attributes = (): SpanAttributes => ({
      configuration: webhook.configuration,
      webhook: webhook.name,
      resource: [request.ref.plural, request.version, request.ref.group].join("."),
      subresource: request.subresource,
      operation: request.operation,
      UID: uid,
    });
    const name = `Call ${webhook.type === MUTATING ? "mutating" : "validating"} webhook`;
    return inSpan(request.span, name, attributes, async (call) => {
      const review = await this.#send(webhook, request, sent);
      call?.event("Request completed");
      return review;
    });
  }

  /** Sends a review within the time of the webhook and that of the request, which includes the wait for a slot. */
  async #send(webhook: Webhook, { hold }: AdmissionRequest, sent: SentReview): Promise<Value> {
    const { clock, times } = this.#parts;
    const time = times.of(hold);
    const since = clock.steady();
    const millis = Math.min(webhook.timeoutMillis, time.left);
    if (millis <= 0) throw time.usedUp();
    try {
      return await this.#sendWithin(webhook, sent, { end: since + millis, millis, signal: hold.signal });
    } catch (error) {
      if (time.left > 0) throw error;
      time.spend(webhook, clock.steady() - since);
      throw time.usedUp();
    } finally {
      time.spend(webhook, clock.steady() - since);
    }
  }

  async #sendWithin(webhook: Webhook, sent: SentReview, limit: CallTime): Promise<Value> {
    const query = `?timeout=${Math.ceil(limit.millis / 1000)}s`;
    const { key } = webhook;
    const fail = (error: unknown): never => {
      throw callFailure(webhook.name, shownUrl(webhook.client, query), error);
    };
    await this.#enter(key, sent.size, limit)?.catch(fail);
    try {
      const address = await this.#addressOf(webhook);
      const { clock, hooks } = this.#parts;
      // Of several webhooks that get a large object at the same time, one gets its bytes in each pass of the loop.
      if (sent.size > LARGE_BYTES) await clock.loop.yield();
      const left = Math.max(1, Math.round(limit.end - clock.steady()));
      return await hooks.call({ ...address, url: address.url + query }, sent.body(), left, limit.signal).catch(fail);
    } finally {
      this.#limiter.leave(key, sent.size);
    }
  }

  /** Takes a slot among the calls; a promise where it has to wait for one. */
  #enter(key: string, bytes: number, { millis, signal }: CallTime): Promise<void> | undefined {
    if (this.#limiter.hasPlace(key, bytes)) {
      this.#limiter.enter(key, bytes);
      return undefined;
    }
    // The wait has a timeout of its own, which is set only where there is a wait.
    const wait = (late: AbortSignal): Promise<void> => this.#limiter.wait(key, bytes, late);
    return withTimeout(this.#parts.clock, millis, "other calls to end", wait, signal);
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
