import { type Activity, ActivityCount, runCounted } from "./activity.ts";
import { type BackoffOptions, backoff } from "./backoff.ts";
import type { Clock, Random, Timer } from "./clock.ts";

/** The priority of a key: `low` for a first list and a resync, which do not mean that an object changed. */
export type Priority = "normal" | "low";

/** Milliseconds after which a key is requeued; where they double, each time in a row, up to the longest wait of `retry`. */
export type Later = number | { readonly millis: number; readonly doubles: true };

/** What a work queue is built from. */
export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Handles one key, for the `attempt`th time since the last success; a failure requeues the key after a backoff. Resolves to
   * when the key is requeued, or to undefined.
   */
  readonly work: (key: string, attempt: number) => Promise<Later | void>;
  /** The name of the queue, for people. Default `work queue`. */
  readonly name?: string;
  /** Called before a key is queued: a promise delays the key until it resolves. A delayed key does not count as activity. */
  readonly ready?: (key: string) => Promise<void> | undefined;
  /**
   * Waits for running work, such as one pass of the event loop. A key is handled after the first call during which it was not added
   * again, or after {@link MAX_WAITS} calls: so a hundred changes that arrive together are handled once.
   */
  readonly together?: (() => Promise<void>) | undefined;
  /** How many keys are handled at once. Default 4. */
  readonly workers?: number;
  readonly retry?: BackoffOptions;
  /** Counts the keys that wait or are handled, but not those that wait for a timer. */
  readonly activity?: Pick<Activity, "begin"> | undefined;
  /** Called before each attempt. */
  readonly started?: (key: string) => void;
  /** Called after each failure. */
  readonly failed?: (key: string, error: unknown) => void;
}

/** The keys that are due at the same time. */
interface DueKeys {
  readonly timer: Timer;
  readonly keys: Set<Key>;
}

/** A key that waits, is handled or has a timer. */
interface Key {
  readonly name: string;
  /** The priority with which the key was added since its last attempt began. */
  added: Priority | undefined;
  busy: boolean;
  /** Whether {@link WorkQueueOptions.ready} delays the key. */
  delayed: boolean;
  failures: number;
  /** How often in a row it was requeued after a time that doubles. */
  doubled: number;
  /** The time of the steady clock before which the key is not queued: the end of the first wait after a failure. */
  notBefore: number;
  requeue: { readonly at: number; readonly priority: Priority } | undefined;
  /** The unit of the activity. */
  count: ActivityCount | undefined;
}

/** How often a key waits for more of the same before it is handled. */
const MAX_WAITS = 32;

const RETRY: BackoffOptions = { first: 50, most: 30_000 };
/** How many keys of normal priority are taken in a row while one of low priority waits. */
const MAX_NORMAL_IN_A_ROW = 4;

/**
 * A first-in, first-out queue. Keys that were taken leave holes at the front of the set; the iterator continues after them,
 * so that `take` stays fast with 100,000 keys.
 */
class Fifo {
  readonly #keys = new Set<Key>();
  #front = this.#keys.values();

  get size(): number {
    return this.#keys.size;
  }

  add(key: Key): void {
    this.#keys.add(key);
  }

  delete(key: Key): void {
    this.#keys.delete(key);
  }

  take(): Key | undefined {
    if (this.#keys.size === 0) return undefined;
    let { value: key } = this.#front.next();
    if (!key) ({ value: key } = (this.#front = this.#keys.values()).next());
    if (key) this.#keys.delete(key);
    return key;
  }

  clear(): void {
    this.#keys.clear();
  }
}

/**
 * The work queue of a controller: a queue of distinct keys.
 *
 * A key that is added while it waits is not added again; one that is added while it is handled is handled once more
 * afterwards. A key is never handled twice at the same time. The order is first in, first out, but one of five keys is of
 * low priority if one waits.
 *
 * A failed key is requeued after a wait that doubles. An addition shortens the wait, but never below the first one: so work
 * that fails after each of its own writes makes no hot loop. A success resets the number of failures.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #keys = new Map<string, Key>();
  readonly #waiting = { normal: new Fifo(), low: new Fifo() };
  /** The keys with a timer, by the time of the steady clock: those of one time are queued together. */
  readonly #due = new Map<number, DueKeys>();
  #busy = 0;
  /** How many keys of normal priority were taken in a row while one of low priority waited. */
  #normalInARow = 0;
  /** Resolved when the queue is closed and its last key has been handled. */
  readonly #idle = Promise.withResolvers<void>();
  #closed = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Adds a key that is to be handled. */
  add(key: string, priority: Priority = "normal"): void {
    if (this.#closed) return;
    const known = this.#keyOf(key);
    known.added = higher(known.added, priority);
    if (known.busy || known.delayed) return;
    if (known.notBefore > this.#options.clock.steady()) this.#requeue(known, known.notBefore, priority);
    else this.#enqueue(known);
  }

  /** The number of keys that wait or are handled. */
  get size(): number {
    return this.#waiting.normal.size + this.#waiting.low.size + this.#busy;
  }

  /** Discards the keys that wait; resolves when no key is handled any more. */
  close(): Promise<void> {
    this.#closed = true;
    this.#waiting.normal.clear();
    this.#waiting.low.clear();
    for (const { timer } of this.#due.values()) timer.cancel();
    this.#due.clear();
    this.#keys.clear();
    if (this.#busy === 0) this.#idle.resolve();
    return this.#idle.promise;
  }

  #keyOf(name: string): Key {
    let key = this.#keys.get(name);
    if (!key) {
      key = {
        name,
        added: undefined,
        busy: false,
        delayed: false,
        failures: 0,
        doubled: 0,
        notBefore: 0,
        requeue: undefined,
        count: undefined,
      };
      this.#keys.set(name, key);
    }
    return key;
  }

  /** Queues a key. */
  #enqueue(key: Key): void {
    this.#cancelRequeue(key);
    const delay = this.#options.ready?.(key.name);
    if (delay) {
      this.#delay(key, delay);
      return;
    }
    this.#waiting[key.added ?? "normal"].add(key);
    if (key.added === "normal") this.#waiting.low.delete(key);
    this.#start();
  }

  #delay(key: Key, until: Promise<void>): void {
    key.delayed = true;
    void until.then(() => {
      key.delayed = false;
      if (!this.#closed) this.#enqueue(key);
    });
  }

  /** Queues a key at `at`, or earlier if it is due earlier, but not before `notBefore`. */
  #requeue(key: Key, at: number, priority: Priority): void {
    const due = Math.max(key.notBefore, Math.min(at, key.requeue?.at ?? Infinity));
    const highest = higher(key.requeue?.priority, priority);
    if (key.requeue?.at === due && key.requeue.priority === highest) return;
    this.#cancelRequeue(key);
    key.requeue = { at: due, priority: highest };
    const known = this.#due.get(due);
    if (known) known.keys.add(key);
    else this.#due.set(due, { timer: this.#timerAt(due), keys: new Set([key]) });
  }

  #timerAt(due: number): Timer {
    const { clock, name: owner = "work queue" } = this.#options;
    const work = (): void => {
      const { keys } = this.#due.get(due)!;
      this.#due.delete(due);
      for (const key of keys) {
        // The work of a previous key may have added this key, which removed its timer or set another one.
        if (key.requeue?.at !== due) continue;
        key.added = higher(key.added, key.requeue.priority);
        key.requeue = undefined;
        if (!key.busy && !key.delayed) this.#enqueue(key);
      }
    };
    return clock.after(due - clock.steady(), work, { owner });
  }

  #cancelRequeue(key: Key): void {
    if (!key.requeue) return;
    const { at } = key.requeue;
    key.requeue = undefined;
    const due = this.#due.get(at);
    if (!due?.keys.delete(key) || due.keys.size > 0) return;
    due.timer.cancel();
    this.#due.delete(at);
  }

  #start(): void {
    while (this.#busy < (this.#options.workers ?? 4)) {
      const key = this.#take();
      if (!key) return;
      void this.#handle(key);
    }
  }

  /** Takes the next key. */
  #take(): Key | undefined {
    const { normal, low } = this.#waiting;
    const isLow = low.size > 0 && (normal.size === 0 || this.#normalInARow >= MAX_NORMAL_IN_A_ROW);
    this.#normalInARow = isLow || low.size === 0 ? 0 : this.#normalInARow + 1;
    return (isLow ? low : normal).take();
  }

  async #handle(key: Key): Promise<void> {
    const {
      work,
      started,
      failed,
      clock,
      random,
      together,
      retry = RETRY,
      activity,
      name = "work queue",
    } = this.#options;
    // Waiting keys do not count: the workers that they wait for do, unless these wait for the clock themselves.
    key.count = activity && new ActivityCount(() => activity.begin(`${name} ${key.name}`));
    key.notBefore = 0;
    key.busy = true;
    this.#busy++;
    const priority = together ? await this.#waitForMore(key, together) : (key.added ?? "normal");
    key.added = undefined;
    let later: number | void = undefined;
    try {
      if (!this.#closed || !together) {
        started?.(key.name);
        later = this.#millisOf(key, await runCounted(key.count, () => work(key.name, key.failures + 1)));
      }
      key.failures = 0;
    } catch (error) {
      later = backoff(key.failures++, retry, random);
      key.notBefore = clock.steady() + Math.min(later, retry.first);
      failed?.(key.name, error);
    }
    key.busy = false;
    this.#busy--;
    key.count?.end();
    key.count = undefined;
    if (!this.#closed) this.#finish(key, later ?? undefined, priority);
    if (this.#closed && this.#busy === 0) this.#idle.resolve();
    this.#start();
  }

  #millisOf(key: Key, later: Later | void): number | undefined {
    if (typeof later !== "object") {
      key.doubled = 0;
      return later ?? undefined;
    }
    const { retry = RETRY } = this.#options;
    return Math.min(Math.max(later.millis, retry.most), later.millis * 2 ** Math.min(key.doubled++, 30));
  }

  /** Waits while a key is added again and again; returns the highest priority with which it was added. */
  async #waitForMore(key: Key, together: () => Promise<void>): Promise<Priority> {
    let priority = key.added ?? "normal";
    for (let waits = 0; waits < MAX_WAITS; waits++) {
      key.added = undefined;
      await together();
      if (key.added === undefined || this.#closed) break;
      priority = higher(priority, key.added);
    }
    return priority;
  }

  /** Queues a handled key again, sets its timer, or removes it. */
  #finish(key: Key, later: number | undefined, priority: Priority): void {
    const failed = key.notBefore > 0;
    if (key.added !== undefined && !failed) {
      this.#enqueue(key);
      return;
    }
    const now = this.#options.clock.steady();
    if (key.added !== undefined) this.#requeue(key, key.notBefore, priority);
    else if (later !== undefined) this.#requeue(key, now + later, priority);
    else if (!key.requeue) this.#keys.delete(key.name);
  }
}

const higher = (a: Priority | undefined, b: Priority): Priority => (a === "normal" ? a : b);
