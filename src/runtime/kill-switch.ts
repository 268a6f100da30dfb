/**
 * What ties a manager to the world: while it holds, requests and waits go through; once it is kill nothing comes back, as
 * if the process had died. Calls in flight never settle, so no `catch` and no `finally` runs.
 *
 * @module
 */
import { endingWith } from "../client/bodies.ts";
import type { AnswerBody, Transport, TransportAnswer } from "../client/index.ts";
import type { Activity } from "../util/activity.ts";
import type { Clock, Timer } from "../util/clock.ts";

/** What ends the requests of one signal, and how many of them are open. */
interface RequestGroup {
  readonly controller: AbortController;
  requests: number;
}

/** See the head of this file. */
export class KillSwitch {
  /** Those of which requests are open. */
  readonly #open = new Set<RequestGroup>();
  /** By the signal of requests: those of one signal end together. */
  readonly #groups = new WeakMap<AbortSignal, RequestGroup>();
  readonly #units = new Set<() => void>();
  readonly #timers = new Set<Timer>();
  #isKilled = false;

  get isKilled(): boolean {
    return this.#isKilled;
  }

  /** Nothing goes through any more; the server sees its connections end. */
  kill(): void {
    this.#isKilled = true;
    for (const { controller } of this.#open) controller.abort();
    this.#open.clear();
    for (const end of this.#units) end();
    this.#units.clear();
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  /** Counts what is under way; nothing is any more when the group is kill. */
  activity(activity: Pick<Activity, "begin"> | undefined): Pick<Activity, "begin"> | undefined {
    if (!activity) return undefined;
    return {
      begin: (what) => {
        if (this.#isKilled) return () => {};
        const end = activity.begin(what);
        this.#units.add(end);
        return () => {
          this.#units.delete(end);
          end();
        };
      },
    };
  }

  /** A transport that ends with the group. */
  readonly transport =
    (transport: Transport): Transport =>
    (request) => {
      if (this.#isKilled) return never();
      const group = this.#groupOf(request.signal);
      group.requests++;
      this.#open.add(group);
      let isOpen = true;
      const done = (): void => {
        if (isOpen && --group.requests === 0) this.#open.delete(group);
        isOpen = false;
      };
      return this.#unlessKilled(
        transport({ ...request, signal: group.controller.signal }).then(
          (answer): TransportAnswer => ({ ...answer, body: this.#body(answer.body, done) }),
          (error: unknown) => {
            done();
            throw error;
          },
        ),
      );
    };

  /** A clock whose timers end with the group. */
  clock(clock: Clock): Clock {
    return {
      goesOn: clock.goesOn === true,
      now: () => clock.now(),
      steady: () => clock.steady(),
      after: (ms, work, ...more) => {
        if (this.#isKilled) return { cancel: () => {} };
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

  #unlessKilled<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      work.then(
        (value) => void (this.#isKilled || resolve(value)),
        (error: unknown) => void (this.#isKilled || reject(error as Error)),
      );
    });
  }

  #body(body: AnswerBody, done: () => void): AnswerBody {
    const { text } = body;
    return {
      ...(text ? { text: () => this.#unlessKilled(text().finally(done)) } : {}),
      [Symbol.asyncIterator]: () => {
        const pieces = body[Symbol.asyncIterator]();
        const held = { next: () => this.#unlessKilled(pieces.next()), return: () => pieces.return?.() ?? ended };
        return endingWith(held, done);
      },
    };
  }

  #groupOf(signal: AbortSignal | undefined): RequestGroup {
    const known = signal && this.#groups.get(signal);
    if (known) return known;
    const group: RequestGroup = { controller: new AbortController(), requests: 0 };
    if (!signal) return group;
    this.#groups.set(signal, group);
    const give = (): void => group.controller.abort(signal.reason);
    if (signal.aborted) give();
    else signal.addEventListener("abort", give, { once: true });
    return group;
  }
}

const ended = Promise.resolve({ done: true as const, value: undefined });
const never = <T>(): Promise<T> => new Promise(() => {});
