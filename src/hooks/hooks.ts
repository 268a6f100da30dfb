/**
 * Calls of webhooks: one JSON request, one JSON response, over HTTPS.
 *
 * A webhook is not trusted. These are errors that say what was expected and what was found: a certificate of an unknown
 * authority, a redirect, a status other than 200, a response that is too long, late, or not JSON. Conversion and admission
 * build on this room; it does not know what a request contains.
 *
 * @module
 */
import type { Clock } from "../util/clock.ts";
import { type CurrentSpan, NO_SPAN, inPostSpan } from "../util/span.ts";
import { inSlices } from "../util/steps.ts";
import { decodeJson, decodeJsonSteps } from "../value/json.ts";
import { loadUndici } from "./connection.ts";
import type { Hooks } from "./contract.ts";
import { Places } from "./places.ts";
import { tooLate } from "./response.ts";

export type { HookAddress, Hooks } from "./contract.ts";

/** A response may be twice as long as its request, and this much longer: it is decoded in few slices of the event loop. */
const EXTRA_BYTES = 1 << 20;
/** A response that is shorter is decoded at once. */
const LARGE_BYTES = 64 << 10;

/** What calls of webhooks need. */
export interface HookParts {
  readonly clock: Clock;
  /** The span of which a call is a part; none by default. */
  readonly currentSpan?: CurrentSpan | undefined;
}

/** Calls webhooks over HTTPS; connections are kept for the next request. */
export function openHooks({ clock, currentSpan = NO_SPAN }: HookParts): Hooks {
  const places = new Places();
  return {
    async call(address, body, millis, signal) {
      const { default: undici } = await loadUndici();
      signal?.throwIfAborted();
      const { later } = clock.loop;
      const bytes = await inPostSpan(currentSpan(), address.url, async (headers) => {
        const maxBytes = 2 * Buffer.byteLength(body) + EXTRA_BYTES;
        const sent = places.send({ undici, later }, address, { body, headers }, maxBytes);
        const timer = clock.after(millis, () => sent.end(tooLate(millis, "a response")));
        const stop = (): void => sent.end(signal?.reason);
        signal?.addEventListener("abort", stop);
        try {
          return await sent.response;
        } finally {
          timer.cancel();
          signal?.removeEventListener("abort", stop);
        }
      });
      if (bytes.length < LARGE_BYTES) return decodeJson(bytes).value;
      const { value } = await inSlices(decodeJsonSteps(bytes), clock.loop.slice());
      signal?.throwIfAborted();
      return value;
    },
    close: () => places.close(new Error("expected a response, the webhooks are closed")),
  };
}
