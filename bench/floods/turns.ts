/** CPU time of the turns of this thread's event loop, as long as it is followed: what others on the machine do is not in it. */
export class Turns {
  readonly #millis: number[] = [];
  #last = cpuMillis();
  #isOver = false;

  constructor() {
    const next = (): void => {
      const now = cpuMillis();
      this.#millis.push(now - this.#last);
      this.#last = now;
      if (!this.#isOver) setImmediate(next);
    };
    setImmediate(next);
  }

  /** Stops following; the 99th percentile and the longest of those in which something was done, in ms. */
  end(): { readonly p99: number; readonly most: number } {
    this.#isOver = true;
    const busy = this.#millis.filter((ms) => ms > 0.1).toSorted((a, b) => a - b);
    return { p99: busy[Math.floor(busy.length * 0.99)] ?? 0, most: busy.at(-1) ?? 0 };
  }
}

function cpuMillis(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
