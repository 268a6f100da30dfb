/**
 * What ties a manager to the world: while it holds, requests and waits go through; once it is cut nothing comes back, as
 * if the process had died. Calls in flight never settle, so no `catch` and no `finally` runs.
 *
 * @module
 */
import { endingWith } from "../client/bodies.ts";
import type { AnswerBody, Transport, TransportAnswer } from "../client/index.ts";
import type { Activity } from "../util/activity.ts";
import type { Clock, Timer } from "../util/clock.ts";

/** What ends the requests of one signal, and how many of them are open. */
interface Line {
  readonly controller: AbortController;
  requests: number;
}

/** See the head of this file. */
export class Lifeline {
  /** Those of which requests are open. */
  readonly #open = new Set<Line>();
  /** By the signal of requests: those of one signal end together. */
  readonly #lines = new WeakMap<AbortSignal, Line>();
  readonly #units = new Set<() => void>();
  readonly #timers = new Set<Timer>();
  #cut = false;

  get isCut(): boolean {
    return this.#cut;
  }

  /** Nothing goes through any more; the server sees its connections end. */
  cut(): void {
    this.#cut = true;
    for (const { controller } of this.#open) controller.abort();
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
      const line = this.#lineOf(request.signal);
      line.requests++;
      this.#open.add(line);
      let isOpen = true;
      const done = (): void => {
        if (isOpen && --line.requests === 0) this.#open.delete(line);
        isOpen = false;
      };
      return this.#hold(
        transport({ ...request, signal: line.controller.signal }).then(
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
      loop: clock.loop,
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

  #body(body: AnswerBody, done: () => void): AnswerBody {
    const { text } = body;
    return {
      ...(text ? { text: () => this.#hold(text().finally(done)) } : {}),
      [Symbol.asyncIterator]: () => {
        const pieces = body[Symbol.asyncIterator]();
        const held = { next: () => this.#hold(pieces.next()), return: () => pieces.return?.() ?? ended };
        return endingWith(held, done);
      },
    };
  }

  #lineOf(signal: AbortSignal | undefined): Line {
    const known = signal && this.#lines.get(signal);
    if (known) return known;
    const line: Line = { controller: new AbortController(), requests: 0 };
    if (!signal) return line;
    this.#lines.set(signal, line);
    const give = (): void => line.controller.abort(signal.reason);
    if (signal.aborted) give();
    else signal.addEventListener("abort", give, { once: true });
    return line;
  }
}

const ended = Promise.resolve({ done: true as const, value: undefined });
const never = <T>(): Promise<T> => new Promise(() => {});
