import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * The requests of one connection of HTTP/1.1 whose responses are not complete. A client may send several at once; a WebSocket, or bytes
 * that are no request, end the series and wait for these responses (RFC 9112 9.3.2).
 */
export class Pipeline {
  /** Whether bytes were received that are no request: the bytes after them are not read. */
  isBroken = false;
  #open = 0;
  #last: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined = undefined;
  #whenIdle: (() => void) | undefined = undefined;

  /** Counts a request until its response is over. */
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

  /** Whether all requests with complete bodies have their responses: only the last one can have an incomplete body. */
  get isIdle(): boolean {
    return this.#open === 0 || (this.#open === 1 && !this.#last?.request.complete);
  }

  /** Whether a response has begun and not ended. */
  get isResponding(): boolean {
    return this.#open > 0 && this.#last?.response.headersSent === true;
  }

  /** Whether the last response that is due is one to HEAD, which has no body. */
  get waitsForHead(): boolean {
    return this.#open > 0 && this.#last?.request.method === "HEAD";
  }

  /** Runs work as soon as the pipeline is idle. */
  whenIdle(work: () => void): void {
    if (this.isIdle) work();
    else this.#whenIdle = work;
  }
}
