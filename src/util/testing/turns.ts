/**
 * How long one turn of the event loop lasts: while it does, nobody else is answered.
 *
 * @module
 */

/** Kept from the beginning: a test may put its own into the global. */
const { setImmediate } = globalThis;

/** Milliseconds of CPU that this thread has used: other processes and the helpers of the collector do not count. */
function threadMillis(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Looks at each turn of the loop until it is stopped. */
export class TurnMeter {
  #since = threadMillis();
  #running = true;
  longest = 0;

  constructor() {
    this.#next();
  }

  /** Counts what this turn has taken so far; the longest of all. */
  stop(): number {
    this.#running = false;
    this.#look();
    return this.longest;
  }

  #next(): void {
    setImmediate(() => {
      if (!this.#running) return;
      this.#look();
      this.#next();
    });
  }

  #look(): void {
    const now = threadMillis();
    this.longest = Math.max(this.longest, now - this.#since);
    this.#since = now;
  }
}

/**
 * The longest turn of the event loop that `work` makes, in ms of CPU: the shortest such turn of three tries, because a
 * collection of garbage falls into some turn of most.
 *
 * @param prepare makes what each try works on; its own turns do not count
 */
export async function longestTurn<T>(prepare: () => T, work: (on: Awaited<T>) => unknown): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 3; i++) {
    const on = await prepare();
    const meter = new TurnMeter();
    await work(on);
    least = Math.min(least, meter.stop());
  }
  return least;
}
