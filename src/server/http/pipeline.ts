import type { ServerResponse } from "node:http";

/**
 * The requests of one connection of HTTP/1.1 that have not been answered to their end. A client may send several at once; what
 * takes the connection over, a WebSocket, waits for them (RFC 9112 9.3.2).
 */
export class Pipeline {
  #open = 0;
  #whenIdle: (() => void) | undefined = undefined;

  /** Counts a request until its answer is over. */
  add(response: ServerResponse): void {
    this.#open++;
    response.once("close", () => {
      if (--this.#open > 0) return;
      this.#whenIdle?.();
      this.#whenIdle = undefined;
    });
  }

  /** Does some work as soon as all requests have been answered. */
  whenIdle(work: () => void): void {
    if (this.#open === 0) work();
    else this.#whenIdle = work;
  }
}
