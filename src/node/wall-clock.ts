/**
 * Notices jumps of the wall clock against the steady clock: the machine has slept, or its clock was set. Timers do not know
 * of either, so the renewal of a token or a certificate would be too late.
 *
 * @module
 */
import type { Clock, Timer } from "../util/clock.ts";

const CHECK_INTERVAL_MS = 10_000;
/** Smaller jumps are adjustments by a time daemon. */
const MIN_JUMP_MS = 2000;

/** Compares both clocks periodically, and calls an observer after a jump. */
export class WallClockWatch implements Disposable {
  readonly #clock: Clock;
  readonly #onJump: () => void;
  #ahead: number;
  #timer: Timer | undefined;

  constructor(clock: Clock, onJump: () => void) {
    this.#clock = clock;
    this.#onJump = onJump;
    this.#ahead = clock.now() - clock.steady();
    this.#wait();
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
  }

  #wait(): void {
    this.#timer = this.#clock.after(CHECK_INTERVAL_MS, () => this.#check(), { owner: "wall clock", upkeep: true });
  }

  #check(): void {
    const ahead = this.#clock.now() - this.#clock.steady();
    const jump = Math.abs(ahead - this.#ahead);
    this.#ahead = ahead;
    this.#wait();
    if (jump >= MIN_JUMP_MS) this.#onJump();
  }
}
