/**
 * Bounds the time of a request from a socket, from its head to the last byte of its response: a body that trickles in, work
 * that does not end, a response that is not read. As in kube-apiserver, a request without a response by then gets one
 * with 504; a response that has begun is broken off. A client may set a shorter time (LIMIT-3).
 *
 * @module
 */
import { attempt } from "../util/attempt.ts";
import type { Timer } from "../util/clock.ts";
import { Deadlines } from "../util/deadlines.ts";
import { respondWithFailure } from "./response/respond-failure.ts";
import type { ServerContext } from "./request/context.ts";
import { requestMillis, timedOut } from "./request/timeout.ts";
import type { ServerRequest } from "./request/request.ts";
import { logFields } from "./request/log-fields.ts";

/** How long the response with 504 may take. */
const RESPONSE_MS = 5_000;

/** Ends requests whose time is over; the head of this file has the rules. */
export class LateRequests implements Disposable {
  readonly #server: ServerContext;
  readonly #running: Deadlines<ServerRequest>;
  readonly #timedOut: Deadlines<ServerRequest>;

  constructor(server: ServerContext) {
    const { clock, limits } = server;
    this.#server = server;
    this.#running = new Deadlines({
      clock,
      millis: limits.requestMillis,
      owner: "late requests",
      over: (request) => this.#late(request),
    });
    this.#timedOut = new Deadlines({
      clock,
      millis: RESPONSE_MS,
      owner: "late requests",
      over: ({ response }) => response.responder.destroy(),
    });
  }

  /** Begins the time of a request. */
  follow(request: ServerRequest): void {
    this.#running.add(request);
    const own = this.#shorten(request);
    request.response.responder.onOver(() => {
      own?.cancel();
      if (!this.#running.delete(request)) this.#timedOut.delete(request);
      request.response.over();
    });
  }

  [Symbol.dispose](): void {
    this.#running[Symbol.dispose]();
    this.#timedOut[Symbol.dispose]();
  }

  /** Ends a request when the `timeout` that its client has sent is over. */
  #shorten(request: ServerRequest): Timer | undefined {
    const { clock, limits } = this.#server;
    const millis = requestMillis(request.incoming.query, limits);
    if (millis === limits.requestMillis) return undefined;
    const over = (): void => {
      if (this.#running.delete(request)) this.#late(request, millis);
    };
    return clock.after(millis, over, { owner: "late requests", upkeep: true });
  }

  #late(request: ServerRequest, millis = this.#server.limits.requestMillis): void {
    const { response } = request;
    if (response.longRunning) return;
    const about = { limit: "request timeout", ...logFields(request) };
    this.#server.log.warn("a request has taken longer than it may", about, about.route);
    if (response.responded) {
      response.responder.destroy();
      return;
    }
    this.#timedOut.add(request);
    void attempt(
      () => respondWithFailure(this.#server, request, timedOut(millis)),
      (error) => {
        this.#server.faults.report("request", error, about);
        response.responder.destroy();
      },
    );
  }
}
