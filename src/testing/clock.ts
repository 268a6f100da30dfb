/**
 * The clock of a test cluster: a virtual one, which only the test moves, or the clock of the machine.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { type Clock, ManualClock, type Timer, type TimerOptions, sleep, newSystemClock } from "../util/clock.ts";
import { type Duration, millisOf } from "../util/duration.ts";
import { EventLoop } from "../util/loop.ts";

/** A pending timer. */
export interface WaitingTimer {
  /** The time when it is due, RFC 3339. */
  readonly at: string;
  readonly owner: string;
}

/** A clock that a test reads, waits for and moves. */
export interface TestClock extends Clock {
  /** Resolves after a time of this clock, or when `signal` is aborted; rejects when the clock is set back. */
  sleep(time: Duration, signal?: AbortSignal): Promise<void>;
  /**
   * Moves the clock forward from timer to timer, and waits for `settled()` at each. Rejects as `settled()` does, inside another
   * move or a reconcile, and with the clock of the machine.
   */
  advance(by: Duration): Promise<void>;
  /** Moves the clock forward to a time (RFC 3339). */
  advanceTo(time: string): Promise<void>;
  /**
   * Moves the clock to the next timer. If none is due in `within`, it moves the clock by `within` and resolves to false. Without
   * `within` and without a timer the clock stays.
   */
  next(options?: { readonly within?: Duration }): Promise<boolean>;
  /** The pending timers, the earliest first. */
  timers(): readonly WaitingTimer[];
}

/** Set in code that the clock waits for, which must not move the clock. */
const within = new AsyncLocalStorage<string>();

/** Runs `work`, and everything that it starts, as code that the clock waits for. */
export const inside = <T>(what: string, work: () => T): T => within.run(what, work);

/** Throws in code that the clock waits for: it would wait for itself. */
export function mayWait(what: string): void {
  const who = within.getStore();
  if (who !== undefined) throw new Error(`${what} by ${who}: that would wait for itself`);
}

/** Returns a clock whose timers fire in the async context in which they were set. */
export const boundTo = (clock: Clock): Clock => ({
  loop: clock.loop,
  now: () => clock.now(),
  steady: () => clock.steady(),
  after: (ms, work, options) => clock.after(ms, AsyncLocalStorage.bind(work), options),
});

/** A clock that moves only when the test moves it. */
export class VirtualClock implements TestClock {
  readonly loop: EventLoop = new EventLoop({ isTimed: false });
  readonly #settle: () => Promise<void>;
  #manual: ManualClock;
  /** Aborted when the clock is set back. */
  #era = new AbortController();

  /** @param settle resolves when no work is running */
  constructor(now: number, steady: number, settle: () => Promise<void>) {
    this.#manual = new ManualClock(now, steady, this.loop);
    this.#settle = settle;
  }

  /** The clock for parts that end when the clock is set back. */
  get manual(): ManualClock {
    return this.#manual;
  }

  /** Sets the time; the steady counter continues, and pending sleeps reject. */
  set(now: number): void {
    this.#manual = new ManualClock(now, this.#manual.steady(), this.loop);
    const era = this.#era;
    this.#era = new AbortController();
    era.abort(new Error("The clock was set back while this slept"));
  }

  now(): number {
    return this.#manual.now();
  }

  steady(): number {
    return this.#manual.steady();
  }

  after(ms: number, work: () => void, options?: TimerOptions): Timer {
    return this.#manual.after(ms, work, options);
  }

  async sleep(time: Duration, signal?: AbortSignal): Promise<void> {
    const { signal: setBack } = this.#era;
    const either = signal ? AbortSignal.any([signal, setBack]) : setBack;
    await sleep(this.#manual, millisOf(time), either, { owner: "the test" });
    setBack.throwIfAborted();
  }

  async advance(by: Duration): Promise<void> {
    this.#mayMove();
    await this.#manual.advanceSettled(millisOf(by), this.#settle);
  }

  async advanceTo(time: string): Promise<void> {
    const to = Date.parse(time);
    if (Number.isNaN(to)) throw new RangeError(`expected a time such as 2026-01-01T00:00:00Z, got ${time}`);
    const by = to - this.now();
    if (by < 0) throw new RangeError(`expected a time from ${iso(this.now())} on, got ${time}`);
    await this.advance(by);
  }

  async next(options: { readonly within?: Duration } = {}): Promise<boolean> {
    this.#mayMove();
    const most = options.within === undefined ? Infinity : millisOf(options.within);
    const found = await this.#manual.nextSettled(this.#settle, most);
    if (!found && most < Infinity) await this.#manual.advanceSettled(most, this.#settle);
    return found;
  }

  timers(): readonly WaitingTimer[] {
    return this.#manual.timers().map(({ at, owner = "the server" }) => ({ at: iso(at), owner }));
  }

  #mayMove(): void {
    mayWait("The clock cannot be moved");
  }
}

const iso = (millis: number): string => new Date(millis).toISOString();

const cannotMove = (): Promise<never> =>
  Promise.reject(new Error('The clock of the machine cannot be moved; create the cluster with clock: "virtual"'));

/** Returns the clock of the machine for one cluster. */
export function machineClock(): TestClock {
  const clock = newSystemClock();
  return {
    ...clock,
    sleep: (time, signal) => sleep(clock, millisOf(time), signal),
    advance: cannotMove,
    advanceTo: cannotMove,
    next: cannotMove,
    timers: () => [],
  };
}
