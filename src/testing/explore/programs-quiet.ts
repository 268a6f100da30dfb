/**
 * Whether programs of other processes are at rest, as a server sees it.
 * A server cannot see the state of a program. It sees requests, changes and deliveries: each of them is an activity. Programs are at rest
 * when the server has no work, no request of them is expected, and there was no activity for a window of time. Watches and renewals of
 * Leases never end, and do not count. A program that reads again and again without end counts as at rest when nothing has changed for
 * several windows.
 * The window is learned: it is twice the longest pause between an activity and the write that follows it in the clean runs. Time in which
 * this process had to wait for the machine does not count.
 *
 * @module
 */
import { type Clock, sleep } from "../../util/clock.ts";

/** The window before the first run has been measured, and its bounds, in ms. */
const FIRST_WINDOW_MS = 1000;
const MIN_WINDOW_MS = 250;
const MAX_WINDOW_MS = 2000;
/** Reads without a change for so many windows are polling. */
const POLLING_WINDOWS = 4;
const LOOK_MS = 20;

/** The length of the window without activity; learned in clean runs, and shared by all runs of a laboratory. */
export class QuietWindow {
  #longest = 0;
  #runs = 0;

  get millis(): number {
    if (this.#runs === 0) return FIRST_WINDOW_MS;
    return Math.min(MAX_WINDOW_MS, Math.max(MIN_WINDOW_MS, 2 * this.#longest));
  }

  /** Notes the longest pause of a run in which nothing went wrong. */
  learn(pauseMillis: number): void {
    this.#longest = Math.max(this.#longest, pauseMillis);
    this.#runs++;
  }
}

/** How waiting has ended: `restless` when changes continued until the limit. */
export type Rest = "quiet" | "restless";

/** Follows what stirs in one run. */
export class Quiet {
  readonly #clock: Clock;
  readonly #window: QuietWindow;
  readonly #isBusy: () => boolean;
  /** The expected requests of programs, each with the time at which it is no longer expected. */
  readonly #expected = new Map<object, number>();
  #lastRead = 0;
  #lastStir = 0;
  /** The last request of a program, change or delivery that a write may follow. */
  #lastCause = 0;
  #longest = 0;
  /** The sum of all delays, in ms. */
  #delayed = 0;

  /**
   * @param clock of the machine, by which programs run
   * @param isBusy whether the server has work, such as a request without a response
   */
  constructor(clock: Clock, window: QuietWindow, isBusy: () => boolean) {
    this.#clock = clock;
    this.#window = window;
    this.#isBusy = isBusy;
    this.stir();
  }

  /** The longest pause between a stir and a write that followed it, in ms. */
  get longestPause(): number {
    return this.#longest;
  }

  /** Something has changed, or was delivered to a program. */
  stir(): void {
    this.#lastStir = this.#clock.steady();
    this.#lastCause = this.#lastStir;
  }

  /** A request of a program begins; the result is called when it has got its response or lost it. */
  request(isWrite: boolean): () => void {
    const began = this.#clock.steady();
    if (isWrite) this.#longest = Math.max(this.#longest, began - this.#lastCause);
    const stir = (isChange: boolean): void => {
      this.#lastRead = this.#clock.steady();
      this.#lastCause = this.#lastRead;
      if (isChange) this.#lastStir = this.#lastRead;
    };
    stir(isWrite);
    // A read with a slow response is no polling.
    return () => stir(isWrite || this.#clock.steady() - began >= this.#window.millis);
  }

  /** Something is expected of a program for some time: a new watch, a retry, a restart. The result is called when it has come. */
  expect(withinMillis: number): () => void {
    const unit = {};
    this.#expected.set(unit, this.#clock.steady() + withinMillis);
    return () => {
      if (this.#expected.delete(unit)) this.stir();
    };
  }

  /** A request is delayed for a time, which does not count against the limit of a rest. The result is called when it continues. */
  delay(millis: number): () => void {
    this.#delayed += millis;
    // The clock of who delays it may be a little behind.
    return this.expect(millis + MAX_WINDOW_MS);
  }

  get isQuiet(): boolean {
    if (this.#isBusy()) return false;
    const now = this.#clock.steady();
    for (const [unit, until] of this.#expected) if (until <= now) this.#expected.delete(unit);
    if (this.#expected.size > 0) return false;
    const { millis } = this.#window;
    const still = now - this.#lastStir;
    return still >= millis && (now - this.#lastRead >= millis || still >= POLLING_WINDOWS * millis);
  }

  /** Resolves when programs are at rest, or after a time limit, to which delays are added. */
  async rest(limitMillis: number, signal?: AbortSignal): Promise<Rest> {
    const end = this.#clock.steady() + limitMillis - this.#delayed;
    while (!this.isQuiet) {
      signal?.throwIfAborted();
      const before = this.#clock.steady();
      if (before >= end + this.#delayed) return "restless";
      await sleep(this.#clock, LOOK_MS, signal, { holds: true });
      this.#leaveOut(this.#clock.steady() - before - LOOK_MS);
    }
    return "quiet";
  }

  /** The machine was so busy that it let this process wait: it may have let programs wait as long. */
  #leaveOut(millis: number): void {
    this.#lastStir += millis;
    this.#lastRead += millis;
  }
}
