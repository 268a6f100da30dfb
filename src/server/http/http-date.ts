import type { Clock } from "../../util/clock.ts";

/** The time of day as headers have it (RFC 9110 5.6.7), written once a second. */
export class HttpDate {
  readonly #clock: Pick<Clock, "now">;
  #second = -1;
  #text = "";

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Such as `Sun, 06 Nov 1994 08:49:37 GMT`. */
  get text(): string {
    const now = this.#clock.now();
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(now).toUTCString();
    }
    return this.#text;
  }
}
