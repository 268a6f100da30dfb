/**
 * Calls the filters of a server for a request; `contract.ts` defines a filter and when each of its members is called.
 *
 * @module
 */
import { type Activity, ActivityCount, currentCount, runCounted } from "../../util/activity.ts";
import { attempt } from "../../util/attempt.ts";
import type { Value } from "../../value/value.ts";
import { respondWithFailure } from "../response/respond-failure.ts";
import type { ServerContext } from "../request/context.ts";
import { logFields } from "../request/log-fields.ts";
import type { RequestObserver, SentOptions, ServerRequest } from "../request/request.ts";
import { AlreadyResponded, type Filter } from "./contract.ts";

/** The filters of a server. */
export class FilterChain {
  readonly #server: ServerContext;
  readonly #entered: readonly Filter[];
  readonly #observing: readonly Filter[];
  readonly #left: readonly Filter[];
  readonly #ended: readonly Filter[];
  readonly #activity: Activity | undefined;

  /** @param activity counts each running request */
  constructor(server: ServerContext, filters: readonly Filter[], activity?: Activity) {
    this.#server = server;
    this.#entered = filters.filter((one) => "enter" in one);
    this.#observing = filters.filter((one) => "decoded" in one || "handled" in one);
    this.#left = filters.filter((one) => "leave" in one).toReversed();
    this.#ended = filters.filter((one) => "ended" in one).toReversed();
    this.#activity = activity;
  }

  /** Runs the filters of a request; resolves when it has got its response (a watch: when it has begun). Never rejects. */
  run(request: ServerRequest): void | Promise<void> {
    if (this.#observing.length > 0) request.observer = new Observer(this.#server, this.#observing, request);
    const followed = this.#ended.length > 0 || this.#activity ? this.#follow(request) : undefined;
    try {
      const rest = runCounted(request.counted, () => this.#enter(request, 0));
      if (rest) {
        return rest.then(
          () => this.#leave(request, followed),
          (error: unknown) => this.#fail(request, followed, error),
        );
      }
    } catch (error) {
      return this.#fail(request, followed, error);
    }
    this.#leave(request, followed);
  }

  /** Runs the filters from `from` on; continues later when one of them has to wait. */
  #enter(request: ServerRequest, from: number): void | Promise<void> {
    const filters = this.#entered;
    for (let i = from; i < filters.length; i++) {
      if (request.response.responded) return;
      const wait = filters[i]?.enter?.(this.#server, request);
      if (wait) return i + 1 < filters.length ? wait.then(() => this.#enter(request, i + 1)) : wait;
    }
  }

  #fail(request: ServerRequest, followed: Followed | undefined, error: unknown): void | Promise<void> {
    const wait = attempt(
      () => (error instanceof AlreadyResponded ? undefined : respondWithFailure(this.#server, request, error)),
      (failure) => this.#failed(request, failure),
    );
    if (wait) return wait.then(() => this.#leave(request, followed));
    this.#leave(request, followed);
  }

  #leave(request: ServerRequest, followed: Followed | undefined): void {
    request.response.bodyMemory?.[Symbol.dispose]();
    this.#call(this.#left, "leave", request);
    followed?.left(request.response.longRunning);
  }

  /** Calls filters that must not fail; a failure of one does not affect the others. */
  #call(filters: readonly Filter[], moment: "leave" | "ended", request: ServerRequest): void {
    for (const filter of filters) {
      try {
        filter[moment]?.(this.#server, request);
      } catch (error) {
        this.#failed(request, error);
      }
    }
  }

  /** A filter or a response failed where it must not: the request is broken off. */
  #failed(request: ServerRequest, error: unknown): void {
    this.#server.faults.report("request", error, { ...logFields(request) });
    request.response.responder.destroy();
  }

  #follow(request: ServerRequest): Followed {
    const { incoming, response } = request;
    const activity = this.#activity;
    request.counted =
      activity &&
      new ActivityCount(
        () => activity.begin(`${incoming.sent.method} ${incoming.rawPath.slice(0, 200)}`),
        currentCount(),
      );
    const followed = new Followed(() => this.#call(this.#ended, "ended", request), request.counted);
    response.responder.onOver(() => followed.over());
    return followed;
  }
}

/** Calls the filters that observe the verb of one request. */
class Observer implements RequestObserver {
  readonly #server: ServerContext;
  readonly #filters: readonly Filter[];
  readonly #request: ServerRequest;

  constructor(server: ServerContext, filters: readonly Filter[], request: ServerRequest) {
    this.#server = server;
    this.#filters = filters;
    this.#request = request;
  }

  decoded(body: Value | undefined, options: SentOptions | undefined): void | Promise<void> {
    this.#request.body = body;
    this.#request.options = options;
    return this.#call("decoded", 0);
  }

  handled(): void | Promise<void> {
    return this.#call("handled", 0);
  }

  #call(moment: "decoded" | "handled", from: number): void | Promise<void> {
    for (let i = from; i < this.#filters.length; i++) {
      const wait = this.#filters[i]?.[moment]?.(this.#server, this.#request);
      if (wait) return wait.then(() => this.#goOn(moment, i + 1));
      if (this.#request.response.responded) throw new AlreadyResponded();
    }
  }

  #goOn(moment: "decoded" | "handled", from: number): void | Promise<void> {
    if (this.#request.response.responded) throw new AlreadyResponded();
    return this.#call(moment, from);
  }
}

/** A request from its arrival to its end: it has left the filters and its exchange is over, in either order. */
class Followed {
  readonly #ended: () => void;
  readonly #count: ActivityCount | undefined;
  #left = false;
  #over = false;

  /** @param count counts it as running: a watch that has begun is not */
  constructor(ended: () => void, count: ActivityCount | undefined) {
    this.#ended = ended;
    this.#count = count;
  }

  left(longRunning: boolean): void {
    this.#left = true;
    if (this.#over || longRunning) this.#count?.end();
    if (this.#over) this.#ended();
  }

  over(): void {
    this.#over = true;
    if (!this.#left) return;
    this.#ended();
    this.#count?.end();
  }
}
