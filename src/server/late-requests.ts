/**
 * The longest that a request from a socket may take, from its head to the last byte of its answer: a body that trickles
 * in, work that does not end, an answer that nobody reads. As in kube-apiserver, what is not answered by then is answered
 * with 504; an answer that is under way is broken off.
 *
 * @module
 */
import { timeout } from "../meta/status.ts";
import { Deadlines } from "../util/deadlines.ts";
import { answerFailure } from "./answer/answer-failure.ts";
import type { ServerContext } from "./context.ts";
import type { ServerRequest } from "./request.ts";
import { whoAsks } from "./who-asks.ts";

/** How long the answer that a request was too late may take. */
const ANSWER_MS = 5_000;

/** See the head of this file. */
export class LateRequests implements Disposable {
  readonly #server: ServerContext;
  readonly #running: Deadlines<ServerRequest>;
  readonly #answered: Deadlines<ServerRequest>;

  constructor(server: ServerContext) {
    const { clock, limits } = server;
    this.#server = server;
    this.#running = new Deadlines({
      clock,
      millis: limits.requestMillis,
      owner: "late requests",
      over: (request) => this.#late(request),
    });
    this.#answered = new Deadlines({
      clock,
      millis: ANSWER_MS,
      owner: "late requests",
      over: ({ exchange }) => exchange.destroy(),
    });
  }

  /** Gives a request its time. */
  follow(request: ServerRequest): void {
    this.#running.add(request);
    request.exchange.onOver(() => {
      if (!this.#running.delete(request)) this.#answered.delete(request);
      request.over();
    });
  }

  [Symbol.dispose](): void {
    this.#running[Symbol.dispose]();
    this.#answered[Symbol.dispose]();
  }

  #late(request: ServerRequest): void {
    if (request.longRunning) return;
    const about = { limit: "request timeout", ...whoAsks(request) };
    this.#server.log.warn("a request has taken longer than it may", about, about.route);
    if (request.exchange.answered) {
      request.exchange.destroy();
      return;
    }
    this.#answered.add(request);
    const seconds = this.#server.limits.requestMillis / 1000;
    answerFailure(this.#server, request, timeout(`expected the request to be done within ${seconds} seconds`));
  }
}
