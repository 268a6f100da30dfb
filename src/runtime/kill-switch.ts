import { endingWith } from "../client/bodies.ts";
import type { ResponseBody, Transport, TransportResponse } from "../client/index.ts";
import type { Activity } from "../util/activity.ts";
import type { Clock, Timer } from "../util/clock.ts";

/** Its stack is not used, and a stack trace would be most of the cost of a kill. */
const KILLED = "killed";

/** The requests of one signal, which are aborted together. */
interface RequestGroup {
  readonly controller: AbortController;
  requests: number;
}

/**
 * Simulates the death of a process: once it is killed, no request, timer or pending call returns, so no `catch` and no
 * `finally` runs.
 */
export class KillSwitch {
  readonly #open = new Set<RequestGroup>();
  readonly #groups = new WeakMap<AbortSignal, RequestGroup>();
  readonly #units = new Set<() => void>();
  readonly #timers = new Set<Timer>();
  #isKilled = false;

  get isKilled(): boolean {
    return this.#isKilled;
  }

  /** Ends everything; the server sees its connections end. */
  kill(): void {
    this.#isKilled = true;
    for (const { controller } of this.#open) controller.abort(KILLED);
    this.#open.clear();
    for (const end of this.#units) end();
    this.#units.clear();
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  /** Returns an activity that counts nothing after the kill. */
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

  /** Wraps a transport. */
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
          (response): TransportResponse => ({ ...response, body: this.#body(response.body, done) }),
          (error: unknown) => {
            done();
            throw error;
          },
        ),
      );
    };

  /** Wraps a clock. */
  clock(clock: Clock): Clock {
    return {
      loop: clock.loop,
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
        (error: unknown) => void (this.#isKilled || reject(error)),
      );
    });
  }

  #body(body: ResponseBody, done: () => void): ResponseBody {
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
