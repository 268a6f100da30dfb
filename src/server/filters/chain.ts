/**
 * The way of a request through the filters of a server, and who is told what on it. `contract.ts` says what a filter is.
 *
 * @module
 */
import { type Activity, Count } from "../../util/activity.ts";
import { attempt } from "../../util/attempt.ts";
import { AlreadyAnswered } from "../already-answered.ts";
import { answerFailure } from "../answer/answer-failure.ts";
import type { ServerContext } from "../request/context.ts";
import type { ServerRequest, Taps } from "../request/request.ts";
import { whoAsks } from "../request/log-fields.ts";
import type { Filter } from "./contract.ts";

/** The filters of a server. */
export class FilterChain implements Taps {
  readonly #server: ServerContext;
  readonly #filters: readonly Filter[];
  /** Those that do something when a request comes by, and when it has been answered: most have nothing to do then. */
  readonly #entered: readonly Filter[];
  readonly #left: readonly Filter[];
  readonly #activity: Activity | undefined;
  /** Whether a filter wants to hear more than that requests come and go. */
  readonly #tapped: boolean;

  /** @param activity is told how long each request is under way */
  constructor(server: ServerContext, filters: readonly Filter[], activity?: Activity) {
    this.#server = server;
    this.#filters = filters;
    this.#entered = filters.filter((one) => "enter" in one);
    this.#left = filters.filter((one) => "leave" in one).toReversed();
    this.#activity = activity;
    this.#tapped = filters.some((one) => "decoded" in one || "handled" in one || "ended" in one);
  }

  /** Sends a request on its way; resolves when it has been answered (a watch: when it has begun). Never rejects. */
  run(request: ServerRequest): void | Promise<void> {
    const followed = this.#tapped || this.#activity ? this.#follow(request) : undefined;
    try {
      const rest = this.#enter(request, 0);
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

  decoded(request: ServerRequest): void | Promise<void> {
    return this.#tap(request, "decoded", 0);
  }

  handled(request: ServerRequest): void | Promise<void> {
    return this.#tap(request, "handled", 0);
  }

  /** The filters from `from` on; goes on later when one of them has to wait. */
  #enter(request: ServerRequest, from: number): void | Promise<void> {
    const filters = this.#entered;
    for (let i = from; i < filters.length; i++) {
      if (request.exchange.answered) return;
      const wait = filters[i]!.enter!(this.#server, request);
      if (wait) return i + 1 < filters.length ? wait.then(() => this.#enter(request, i + 1)) : wait;
    }
  }

  #tap(request: ServerRequest, moment: "decoded" | "handled", from: number): void | Promise<void> {
    const filters = this.#filters;
    for (let i = from; i < filters.length; i++) {
      const wait = filters[i]![moment]?.(this.#server, request);
      if (wait) return wait.then(() => this.#tapRest(request, moment, i + 1));
      if (request.exchange.answered) throw new AlreadyAnswered();
    }
  }

  #tapRest(request: ServerRequest, moment: "decoded" | "handled", from: number): void | Promise<void> {
    if (request.exchange.answered) throw new AlreadyAnswered();
    return this.#tap(request, moment, from);
  }

  #fail(request: ServerRequest, followed: Followed | undefined, error: unknown): void | Promise<void> {
    const wait = attempt(
      () => (error instanceof AlreadyAnswered ? undefined : answerFailure(this.#server, request, error)),
      (failure) => this.#failed(request, failure),
    );
    if (wait) return wait.then(() => this.#leave(request, followed));
    this.#leave(request, followed);
  }

  #leave(request: ServerRequest, followed: Followed | undefined): void {
    request.room?.[Symbol.dispose]();
    for (const filter of this.#left) {
      try {
        filter.leave!(this.#server, request);
      } catch (error) {
        this.#failed(request, error);
      }
    }
    followed?.left(request.longRunning);
  }

  /** Something has failed that must not: the request is broken off, and the rest of the way is gone all the same. */
  #failed(request: ServerRequest, error: unknown): void {
    this.#server.faults.report("request", error, { ...whoAsks(request) });
    request.exchange.destroy();
  }

  #follow(request: ServerRequest): Followed {
    const { exchange, rawPath } = request;
    if (this.#tapped) request.taps = this;
    const activity = this.#activity;
    request.counted = activity && new Count(() => activity.begin(`${exchange.method} ${rawPath.slice(0, 200)}`));
    const followed = new Followed(() => this.#ended(request), request.counted);
    exchange.onOver(() => followed.over());
    return followed;
  }

  #ended(request: ServerRequest): void {
    const filters = this.#filters;
    for (let i = filters.length - 1; i >= 0; i--) {
      try {
        filters[i]!.ended?.(this.#server, request);
      } catch (error) {
        this.#failed(request, error);
      }
    }
  }
}

/** A request from its arrival to its very end: it has left the filters, and its exchange is over, in either order. */
class Followed {
  readonly #ended: () => void;
  readonly #count: Count | undefined;
  #left = false;
  #over = false;

  /** @param count what counts it as under way: a watch that has begun is not */
  constructor(ended: () => void, count: Count | undefined) {
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
