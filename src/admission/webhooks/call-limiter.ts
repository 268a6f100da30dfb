/**
 * Bounds on calls that run side by side: of one webhook, of all of them, and in bytes.
 * A waiting call gets the next free slot; of several webhooks, the one with the fewest running calls is first. So webhooks that do not
 * respond fill their own slots, and those that respond need not wait for them.
 *
 * @module
 */

/** How many calls run side by side. */
export interface CallBounds {
  /** Of one webhook. */
  readonly each: number;
  readonly all: number;
  /** The bytes of all requests that are sent; one call may always run. */
  readonly bytes: number;
}

interface Waiting {
  readonly bytes: number;
  readonly begin: () => void;
}

interface Queue {
  running: number;
  readonly waiting: Set<Waiting>;
}

/** Limits concurrent calls of webhooks. */
export class CallLimiter {
  readonly #bounds: CallBounds;
  /** The webhooks that have calls, by their keys. */
  readonly #queues = new Map<string, Queue>();
  #running = 0;
  #bytes = 0;

  constructor(bounds: CallBounds) {
    this.#bounds = bounds;
  }

  /** How many calls run. */
  get running(): number {
    return this.#running;
  }

  /** Whether a call may begin at once. */
  hasPlace(key: string, bytes: number): boolean {
    const queue = this.#queueOf(key);
    return queue.waiting.size === 0 && this.#hasPlace(queue, bytes);
  }

  /** Takes a slot; {@link leave} releases it. */
  enter(key: string, bytes: number): void {
    this.#begin(this.#queueOf(key), bytes);
  }

  /** Takes a slot when one is free. Rejects with the reason of the signal where that is aborted first. */
  wait(key: string, bytes: number, signal: AbortSignal): Promise<void> {
    return this.#wait(key, this.#queueOf(key), bytes, signal);
  }

  /** Releases the slot of a call. */
  leave(key: string, bytes: number): void {
    const queue = this.#queueOf(key);
    queue.running--;
    this.#running--;
    this.#bytes -= bytes;
    this.#forgetUnused(key, queue);
    for (let next = this.#next(); next; next = this.#next()) this.#admit(next);
  }

  #queueOf(key: string): Queue {
    let queue = this.#queues.get(key);
    if (!queue) this.#queues.set(key, (queue = { running: 0, waiting: new Set() }));
    return queue;
  }

  #hasPlace({ running }: Queue, bytes: number): boolean {
    const { each, all, bytes: maxBytes } = this.#bounds;
    const fits = this.#running === 0 || this.#bytes + bytes <= maxBytes;
    return running < each && this.#running < all && fits;
  }

  #begin(queue: Queue, bytes: number): void {
    queue.running++;
    this.#running++;
    this.#bytes += bytes;
  }

  /** The queue of the webhook with the fewest running calls, of those whose first waiting call can get a slot. */
  #next(): Queue | undefined {
    let best: Queue | undefined;
    for (const queue of this.#queues.values()) {
      const [first] = queue.waiting;
      if (!first || !this.#hasPlace(queue, first.bytes)) continue;
      if (!best || queue.running < best.running) best = queue;
    }
    return best;
  }

  #admit(queue: Queue): void {
    const [first] = queue.waiting;
    if (!first) return;
    queue.waiting.delete(first);
    this.#begin(queue, first.bytes);
    first.begin();
  }

  #wait(key: string, queue: Queue, bytes: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const cancel = (): void => {
      queue.waiting.delete(waiting);
      this.#forgetUnused(key, queue);
      reject(signal.reason);
    };
    const waiting: Waiting = {
      bytes,
      begin: () => {
        signal.removeEventListener("abort", cancel);
        resolve();
      },
    };
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    queue.waiting.add(waiting);
    signal.addEventListener("abort", cancel, { once: true });
    return promise;
  }

  #forgetUnused(key: string, { running, waiting }: Queue): void {
    if (running === 0 && waiting.size === 0) this.#queues.delete(key);
  }
}
