import { type BackoffOptions, backoff } from "./backoff.ts";
import type { Clock, Random, Timer } from "./clock.ts";

/** What a work queue needs. */
export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Handles one key; when it fails the key comes back later. Resolves to milliseconds after which to come back anyway. */
  readonly work: (key: string) => Promise<number | void>;
  /** How many keys are handled side by side. Default 4. */
  readonly workers?: number;
  readonly retry?: BackoffOptions;
  /** Hears of failures; the key is tried again whatever it does. */
  readonly failed?: (key: string, error: unknown) => void;
}

/**
 * A queue of keys, each there once: the heart of a controller.
 *
 * A key that is added while it waits is not added again; one that is added while it is handled is handled once more
 * afterwards. A key is never handled twice at the same time.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #waiting = new Set<string>();
  readonly #busy = new Set<string>();
  readonly #again = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, { readonly at: number; readonly timer: Timer }>();
  /** Resolved when the queue is closed and its last key has been handled. */
  readonly #idle = Promise.withResolvers<void>();
  #closed = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Asks for `key` to be handled. */
  add(key: string): void {
    if (this.#closed) return;
    this.#timers.get(key)?.timer.cancel();
    this.#timers.delete(key);
    if (this.#busy.has(key)) this.#again.add(key);
    else this.#waiting.add(key);
    this.#start();
  }

  /** Asks for `key` to be handled in `ms` milliseconds, unless it is added before; of two times the earlier one counts. */
  addAfter(key: string, ms: number): void {
    if (this.#closed || this.#waiting.has(key)) return;
    const { clock } = this.#options;
    const at = clock.steady() + ms;
    const set = this.#timers.get(key);
    if (set && set.at <= at) return;
    set?.timer.cancel();
    this.#timers.set(key, { at, timer: clock.after(ms, () => this.add(key)) });
  }

  /** Keys that wait or are handled. */
  get size(): number {
    return this.#waiting.size + this.#busy.size;
  }

  /** Forgets what waits; resolves when nothing is handled any more. */
  close(): Promise<void> {
    this.#closed = true;
    for (const { timer } of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    this.#waiting.clear();
    this.#again.clear();
    if (this.#busy.size === 0) this.#idle.resolve();
    return this.#idle.promise;
  }

  #start(): void {
    while (!this.#closed && this.#busy.size < (this.#options.workers ?? 4)) {
      const next = this.#waiting.values().next();
      if (next.done) return;
      this.#waiting.delete(next.value);
      this.#busy.add(next.value);
      void this.#handle(next.value);
    }
  }

  async #handle(key: string): Promise<void> {
    const { work, failed, random, retry = { first: 50, most: 30_000 } } = this.#options;
    let later: number | undefined;
    try {
      later = (await work(key)) ?? undefined;
      this.#failures.delete(key);
    } catch (error) {
      const failures = this.#failures.get(key) ?? 0;
      this.#failures.set(key, failures + 1);
      later = backoff(failures, retry, random);
      failed?.(key, error);
    }
    this.#busy.delete(key);
    if (this.#closed && this.#busy.size === 0) this.#idle.resolve();
    if (this.#again.delete(key)) this.add(key);
    else if (later !== undefined) this.addAfter(key, later);
    this.#start();
  }
}
