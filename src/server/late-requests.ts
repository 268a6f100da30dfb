/**
 * The longest that a request from a socket may take, from its head to the last byte of its answer: a body that trickles
 * in, work that does not end, an answer that nobody reads. As in kube-apiserver, what is not answered by then is answered
 * with 504; an answer that is under way is broken off. Its client may give it less time (LIMIT-3).
 *
 * @module
 */
import { type ApiError, timeout } from "../meta/status.ts";
import { attempt } from "../util/attempt.ts";
import type { Timer } from "../util/clock.ts";
import { Deadlines } from "../util/deadlines.ts";
import { answerFailure } from "./answer/answer-failure.ts";
import type { ServerContext } from "./request/context.ts";
import { requestMillis } from "./request/timeout.ts";
import type { ServerRequest } from "./request/request.ts";
import { whoAsks } from "./request/log-fields.ts";

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
    const own = this.#shorten(request);
    request.exchange.onOver(() => {
      own?.cancel();
      if (!this.#running.delete(request)) this.#answered.delete(request);
      request.over();
    });
  }

  [Symbol.dispose](): void {
    this.#running[Symbol.dispose]();
    this.#answered[Symbol.dispose]();
  }

  /** Ends a request when its own time is over, where its client says one. */
  #shorten(request: ServerRequest): Timer | undefined {
    const { clock, limits } = this.#server;
    const millis = requestMillis(request.query, limits);
    if (millis === limits.requestMillis) return undefined;
    const over = (): void => {
      if (this.#running.delete(request)) this.#late(request, millis);
    };
    return clock.after(millis, over, { owner: "late requests", upkeep: true });
  }

  #late(request: ServerRequest, millis = this.#server.limits.requestMillis): void {
    if (request.longRunning) return;
    const about = { limit: "request timeout", ...whoAsks(request) };
    this.#server.log.warn("a request has taken longer than it may", about, about.route);
    if (request.exchange.answered) {
      request.exchange.destroy();
      return;
    }
    this.#answered.add(request);
    void attempt(
      () => answerFailure(this.#server, request, lateAnswer(millis)),
      (error) => {
        this.#server.faults.report("request", error, about);
        request.exchange.destroy();
      },
    );
  }
}

/** 504, for a request that had so many ms. */
export const lateAnswer = (millis: number): ApiError =>
  timeout(`expected the request to be done within ${millis / 1000} seconds`);
