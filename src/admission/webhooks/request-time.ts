/**
 * The time that all webhooks of a request have together.
 *
 * @module
 */
import { type ApiError, timeout } from "../../meta/status.ts";
import type { Clock } from "../../util/clock.ts";
import { goQuoted } from "../../util/go-quote.ts";
import type { Hold } from "../../util/keyed-lock.ts";
import type { Webhook } from "./configuration.ts";

/** Slightly less than the time that a write may hold its lock, so that the response names the webhook that has used it. */
const TOTAL_MILLIS = 29_000;

/** The times of all requests. */
export class RequestTimes {
  readonly #clock: Pick<Clock, "steady">;
  readonly #times = new WeakMap<Hold, RequestTime>();

  constructor(clock: Pick<Clock, "steady">) {
    this.#clock = clock;
  }

  /** The time of a request, which begins with its first webhook. */
  of(hold: Hold): RequestTime {
    let time = this.#times.get(hold);
    if (!time) this.#times.set(hold, (time = new RequestTime(this.#clock)));
    return time;
  }
}

/** The time of one request. */
export class RequestTime {
  readonly #clock: Pick<Clock, "steady">;
  readonly #end: number;
  #slowest: { readonly webhook: Webhook; readonly millis: number } | undefined = undefined;

  constructor(clock: Pick<Clock, "steady">) {
    this.#clock = clock;
    this.#end = clock.steady() + TOTAL_MILLIS;
  }

  /** The remaining time, in ms. */
  get left(): number {
    return this.#end - this.#clock.steady();
  }

  /** Subtracts time that a webhook has used. */
  spend(webhook: Webhook, millis: number): void {
    if (!this.#slowest || this.#slowest.millis < millis) this.#slowest = { webhook, millis };
  }

  /** 504 with the webhook that has used most of the time. */
  usedUp(): ApiError {
    const words = "request did not complete within requested timeout";
    if (!this.#slowest) return timeout(words);
    const { webhook, millis } = this.#slowest;
    const { name, configuration, type } = webhook;
    const used = `used ${(millis / 1000).toFixed(1)} s of ${TOTAL_MILLIS / 1000} s`;
    return timeout(`${words}: webhook ${goQuoted(name)} of ${type.kind} ${goQuoted(configuration)} ${used}`);
  }
}
