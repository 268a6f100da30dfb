import type { Timers } from "../api/timers.ts";

/** Timers that a test moves. */
export class FakeTimers implements Timers {
  readonly random = { next: () => 1, uuid: () => "" };
  #now = 0;
  #waiting: { readonly at: number; readonly call: () => void }[] = [];

  /** Milliseconds until the next one is called back; undefined without any. */
  get next(): number | undefined {
    return this.#waiting.length === 0 ? undefined : Math.min(...this.#waiting.map(({ at }) => at)) - this.#now;
  }

  after(ms: number, call: () => void): () => void {
    const one = { at: this.#now + ms, call };
    this.#waiting.push(one);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== one);
    };
  }

  /** Lets this time pass, and calls back what ends in it. */
  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = this.#waiting.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#now = due.at;
      this.#waiting = this.#waiting.filter((other) => other !== due);
      due.call();
    }
    this.#now = end;
  }
}
