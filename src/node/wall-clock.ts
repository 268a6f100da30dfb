/**
 * Notices that the wall clock has gone another way than the steady one: the machine has slept, or somebody has set its clock. Timers do
 * not know of either, so what is due by the wall clock (a token, a certificate) would be seen too late.
 *
 * @module
 */
import type { Clock, Timer } from "../util/clock.ts";

const LOOK_MS = 10_000;
/** Less is the work of a daemon that keeps the clock right. */
const JUMP_MS = 2000;

/** Looks at both clocks every ten seconds, and tells of a jump; until it is disposed of. */
export class WallClockWatch implements Disposable {
  readonly #clock: Clock;
  readonly #jumped: () => void;
  #ahead: number;
  #timer: Timer | undefined;

  constructor(clock: Clock, jumped: () => void) {
    this.#clock = clock;
    this.#jumped = jumped;
    this.#ahead = clock.now() - clock.steady();
    this.#wait();
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
  }

  #wait(): void {
    this.#timer = this.#clock.after(LOOK_MS, () => this.#look(), { owner: "wall clock", upkeep: true });
  }

  #look(): void {
    const ahead = this.#clock.now() - this.#clock.steady();
    const jump = Math.abs(ahead - this.#ahead);
    this.#ahead = ahead;
    this.#wait();
    if (jump >= JUMP_MS) this.#jumped();
  }
}
