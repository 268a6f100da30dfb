import type { Messages } from "../../server/index.ts";
import type { Clock, Timer } from "../../util/clock.ts";

/** Messages that a client may send in a second, and as many at once. A client that scrolls sends one for each frame. */
const A_SECOND = 200;
/** A KiB of a message counts as a message. */
const BYTES = 1024;
/** Another list counts as so many messages: rights are asked for, and it may have to be sorted. */
const A_LIST = 10;
const UPKEEP = { owner: "windows of the console", upkeep: true };

/** Reads a client that sends too many messages more slowly. */
export class MessageRate {
  readonly #clock: Clock;
  readonly #messages: Pick<Messages, "pause" | "resume">;
  #left = A_SECOND;
  #at: number;
  #resume: Timer | undefined;

  constructor(clock: Clock, messages: Pick<Messages, "pause" | "resume">) {
    this.#clock = clock;
    this.#messages = messages;
    this.#at = clock.steady();
  }

  /** Counts a message. */
  count(bytes: number): void {
    const now = this.#clock.steady();
    this.#left = Math.min(A_SECOND, this.#left + ((now - this.#at) * A_SECOND) / 1000);
    this.#at = now;
    this.#take(1 + bytes / BYTES);
  }

  /** Counts what beginning another list costs. */
  countList(): void {
    this.#take(A_LIST);
  }

  close(): void {
    this.#resume?.cancel();
  }

  #take(cost: number): void {
    this.#left -= cost;
    if (this.#left >= 0 || this.#resume) return;
    this.#messages.pause();
    this.#wait();
  }

  #wait(): void {
    const millis = Math.ceil((-this.#left * 1000) / A_SECOND) + 1;
    this.#resume = this.#clock.after(
      millis,
      () => {
        this.#resume = undefined;
        this.count(-BYTES);
        if (!this.#resume) this.#messages.resume();
      },
      UPKEEP,
    );
  }
}
