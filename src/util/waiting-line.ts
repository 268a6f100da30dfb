import type { Clock } from "./clock.ts";

/** How many do something side by side, how many more wait for it, and how long, in ms. */
export interface LineBounds {
  readonly running: number;
  readonly waiting: number;
  readonly millis: number;
}

/** Too many wait, or somebody has waited too long. */
export class Crowded extends Error {
  override readonly name = "Crowded";
}

/** Lets some do something side by side, and others wait for their turn in the order in which they came. */
export class WaitingLine {
  readonly #clock: Pick<Clock, "after">;
  readonly #bounds: LineBounds;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(clock: Pick<Clock, "after">, bounds: LineBounds) {
    this.#clock = clock;
    this.#bounds = bounds;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** What comes of the work, which is begun at once or later. Rejects with {@link Crowded} where it is never begun. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#bounds.running) await this.#turn();
    else this.#running++;
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  /** Waits for the place of somebody who has done. */
  #turn(): Promise<void> {
    const { waiting, millis } = this.#bounds;
    if (this.#waiting.size >= waiting) throw new Crowded(`expected at most ${waiting} to wait`);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const begin = (): void => {
      timer.cancel();
      resolve();
    };
    const timer = this.#clock.after(millis, () => {
      this.#waiting.delete(begin);
      reject(new Crowded(`expected a turn within ${millis / 1000} s`));
    });
    this.#waiting.add(begin);
    return promise;
  }

  /** Gives the place to whoever has waited for longest. */
  #next(): void {
    const [first] = this.#waiting;
    if (!first) {
      this.#running--;
      return;
    }
    this.#waiting.delete(first);
    first();
  }
}
