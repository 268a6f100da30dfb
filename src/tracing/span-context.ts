/**
 * The span of the work that runs, which follows the work through promises and timers.
 *
 * Work that a request starts and that outlives it, such as a connection, keeps the context of that request: its span has ended then,
 * and counts as none.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { CurrentSpan, Span } from "../util/span.ts";

/** What has the current span of work. */
export interface SpanHolder {
  /** Undefined once it has ended. */
  readonly current: Span | undefined;
}

/** See the head of this file. */
export class SpanContext {
  readonly #storage = new AsyncLocalStorage<SpanHolder>();

  /** Runs work with a holder, and what the work awaits or starts. */
  run<T>(holder: SpanHolder, work: () => T): T {
    return this.#storage.run(holder, work);
  }

  readonly current: CurrentSpan = () => this.#storage.getStore()?.current;
}
