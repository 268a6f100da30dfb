/**
 * What ties a manager to the world: while it holds, requests and waits go through; once it is cut nothing comes back, as
 * if the process had died. Calls in flight never settle, so no `catch` and no `finally` runs.
 *
 * @module
 */
import type { Transport, TransportAnswer } from "../client/index.ts";
import type { Activity } from "../util/activity.ts";
import type { Clock, Timer } from "../util/clock.ts";

/** See the head of this file. */
export class Lifeline {
  readonly #open = new Set<AbortController>();
  readonly #units = new Set<() => void>();
  readonly #timers = new Set<Timer>();
  #cut = false;

  get isCut(): boolean {
    return this.#cut;
  }

  /** Nothing goes through any more; the server sees its connections end. */
  cut(): void {
    this.#cut = true;
    for (const request of this.#open) request.abort();
    this.#open.clear();
    for (const end of this.#units) end();
    this.#units.clear();
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  /** Counts what is under way; nothing is any more when the line is cut. */
  activity(activity: Pick<Activity, "begin"> | undefined): Pick<Activity, "begin"> | undefined {
    if (!activity) return undefined;
    return {
      begin: (what) => {
        if (this.#cut) return () => {};
        const end = activity.begin(what);
        this.#units.add(end);
        return () => {
          this.#units.delete(end);
          end();
        };
      },
    };
  }

  /** A transport that ends with the line. */
  readonly transport =
    (transport: Transport): Transport =>
    (request) => {
      if (this.#cut) return never();
      const own = new AbortController();
      const give = (): void => own.abort(request.signal!.reason);
      this.#open.add(own);
      if (request.signal?.aborted) give();
      request.signal?.addEventListener("abort", give);
      const done = (): void => {
        this.#open.delete(own);
        request.signal?.removeEventListener("abort", give);
      };
      return this.#hold(
        transport({ ...request, signal: own.signal }).then(
          (answer): TransportAnswer => ({ ...answer, body: this.#body(answer.body, done) }),
          (error: unknown) => {
            done();
            throw error;
          },
        ),
      );
    };

  /** A clock whose timers end with the line. */
  clock(clock: Clock): Clock {
    return {
      goesOn: clock.goesOn === true,
      now: () => clock.now(),
      steady: () => clock.steady(),
      after: (ms, work, ...more) => {
        if (this.#cut) return { cancel: () => {} };
        const timer = clock.after(
          ms,
          () => {
            this.#timers.delete(timer);
            work();
          },
          ...more,
        );
        this.#timers.add(timer);
        return {
          cancel: () => {
            this.#timers.delete(timer);
            timer.cancel();
          },
        };
      },
    };
  }

  #hold<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      work.then(
        (value) => void (this.#cut || resolve(value)),
        (error: unknown) => void (this.#cut || reject(error as Error)),
      );
    });
  }

  async *#body(body: AsyncIterable<Uint8Array>, done: () => void): AsyncGenerator<Uint8Array> {
    const pieces = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.#hold(pieces.next());
        if (next.done) return;
        yield next.value;
      }
    } finally {
      done();
      await pieces.return?.();
    }
  }
}

const never = <T>(): Promise<T> => new Promise(() => {});
