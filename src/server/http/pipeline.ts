import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * The requests of one connection of HTTP/1.1 that have not been answered to their end. A client may send several at once; what
 * ends the series, a WebSocket or bytes that are no request, waits for them (RFC 9112 9.3.2).
 */
export class Pipeline {
  /** Whether bytes have come that are no request: nothing behind them is read as one. */
  isBroken = false;
  #open = 0;
  #last: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined = undefined;
  #whenIdle: (() => void) | undefined = undefined;

  /** Counts a request until its answer is over. */
  add(request: IncomingMessage, response: ServerResponse): void {
    this.#open++;
    this.#last = { request, response };
    response.once("close", () => {
      this.#open--;
      if (!this.isIdle) return;
      this.#whenIdle?.();
      this.#whenIdle = undefined;
    });
  }

  /** Whether all have been answered whose bodies have come: only the last one can be without the rest of its own. */
  get isIdle(): boolean {
    return this.#open === 0 || (this.#open === 1 && !this.#last?.request.complete);
  }

  /** Whether an answer is under way. */
  get isAnswering(): boolean {
    return this.#open > 0 && this.#last?.response.headersSent === true;
  }

  /** Whether the last answer that is due is one to HEAD, which has no body. */
  get waitsForHead(): boolean {
    return this.#open > 0 && this.#last?.request.method === "HEAD";
  }

  /** Does some work as soon as it is idle. */
  whenIdle(work: () => void): void {
    if (this.isIdle) work();
    else this.#whenIdle = work;
  }
}
