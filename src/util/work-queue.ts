import { type Activity, Count, countedAs } from "./activity.ts";
import { type BackoffOptions, backoff } from "./backoff.ts";
import type { Clock, Random, Timer } from "./clock.ts";

/** How urgent a key is: `low` is what a first list or a resync asks for, when nothing is known to have happened. */
export type Priority = "normal" | "low";

/** What a work queue needs. */
export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Handles one key, for the `attempt`th time since it last succeeded; when it fails the key comes back later. Resolves
   * to milliseconds after which to come back anyway.
   */
  readonly work: (key: string, attempt: number) => Promise<number | void>;
  /** Whose queue it is, for people. Default `work queue`. */
  readonly name?: string;
  /**
   * Asked before a key gets in line: a promise holds it back until that resolves. What holds it is not counted here.
   */
  readonly ready?: (key: string) => Promise<void> | undefined;
  /** How many keys are handled side by side. Default 4. */
  readonly workers?: number;
  readonly retry?: BackoffOptions;
  /** Counts keys that wait or are handled; what only waits for its time is not under way. */
  readonly activity?: Pick<Activity, "begin"> | undefined;
  /** Hears of each beginning. */
  readonly started?: (key: string) => void;
  /** Hears of failures; the key is tried again whatever it does. */
  readonly failed?: (key: string, error: unknown) => void;
}

/** A key that waits, is handled or is to come back. */
interface Key {
  readonly name: string;
  /** What has asked for it since it was last begun. */
  wanted: Priority | undefined;
  busy: boolean;
  /** Whether {@link WorkQueueOptions.ready} holds it back. */
  held: boolean;
  failures: number;
  /** The time of the steady clock before which nothing brings it back: the end of its first wait after a failure. */
  floor: number;
  back: { readonly at: number; readonly priority: Priority; readonly timer: Timer } | undefined;
  /** Ends what {@link Activity} counts of it. */
  count: Count | undefined;
}

const RETRY: BackoffOptions = { first: 50, most: 30_000 };
/** Keys taken before one of low priority, while one waits. */
const MOST_BEFORE_LOW = 4;

/**
 * First come, first served. What has been taken leaves a hole at the front of a set; the iterator remembers where they
 * end, so taking stays cheap with a hundred thousand in the line.
 */
class Line {
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
    let next = this.#front.next();
    if (next.done) next = (this.#front = this.#keys.values()).next();
    this.#keys.delete(next.value!);
    return next.value;
  }

  clear(): void {
    this.#keys.clear();
  }
}

/**
 * A queue of keys, each there once: the heart of a controller.
 *
 * A key that is added while it waits is not added again; one that is added while it is handled is handled once more
 * afterwards. A key is never handled twice at the same time. First come, first served, but of five keys taken one is of
 * low priority if one waits.
 *
 * A key that failed comes back after a wait that doubles. Being added brings it forward, but never to before the first
 * wait is over: who fails after each of his own writes makes no hot loop. A success forgets the failures.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #keys = new Map<string, Key>();
  readonly #waiting = { normal: new Line(), low: new Line() };
  #busy = 0;
  /** Keys taken in a row while one of low priority waited. */
  #row = 0;
  /** Resolved when the queue is closed and its last key has been handled. */
  readonly #idle = Promise.withResolvers<void>();
  #closed = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Asks for `key` to be handled. */
  add(key: string, priority: Priority = "normal"): void {
    if (this.#closed) return;
    const known = this.#keyOf(key);
    known.wanted = higher(known.wanted, priority);
    if (known.busy || known.held) return;
    if (known.floor > this.#options.clock.steady()) this.#park(known, known.floor, priority);
    else this.#enqueue(known);
  }

  /** Keys that wait or are handled. */
  get size(): number {
    return this.#waiting.normal.size + this.#waiting.low.size + this.#busy;
  }

  /** Forgets what waits; resolves when nothing is handled any more. */
  close(): Promise<void> {
    this.#closed = true;
    this.#waiting.normal.clear();
    this.#waiting.low.clear();
    for (const key of this.#keys.values()) {
      key.back?.timer.cancel();
      if (!key.busy) key.count?.end();
    }
    this.#keys.clear();
    if (this.#busy === 0) this.#idle.resolve();
    return this.#idle.promise;
  }

  #keyOf(name: string): Key {
    let key = this.#keys.get(name);
    if (!key) {
      key = {
        name,
        wanted: undefined,
        busy: false,
        held: false,
        failures: 0,
        floor: 0,
        back: undefined,
        count: undefined,
      };
      this.#keys.set(name, key);
    }
    return key;
  }

  /** Lets a key that is wanted wait for its turn. */
  #enqueue(key: Key): void {
    const { activity, name = "work queue", ready } = this.#options;
    key.back?.timer.cancel();
    key.back = undefined;
    const held = ready?.(key.name);
    if (held) {
      this.#hold(key, held);
      return;
    }
    key.count ??= activity && new Count(() => activity.begin(`${name} ${key.name}`));
    this.#waiting[key.wanted!].add(key);
    if (key.wanted === "normal") this.#waiting.low.delete(key);
    this.#start();
  }

  #hold(key: Key, until: Promise<void>): void {
    key.held = true;
    this.#leave(key);
    void until.then(() => {
      key.held = false;
      if (!this.#closed) this.#enqueue(key);
    });
  }

  /** Lets a key come back at `at`, or earlier if that was agreed, but not before its floor. */
  #park(key: Key, at: number, priority: Priority): void {
    const { clock, name: owner = "work queue" } = this.#options;
    const due = Math.max(key.floor, Math.min(at, key.back?.at ?? Infinity));
    const urgent = higher(key.back?.priority, priority);
    if (key.back?.at === due && key.back.priority === urgent) return;
    key.back?.timer.cancel();
    const work = (): void => {
      key.back = undefined;
      key.wanted = higher(key.wanted, urgent);
      if (!key.busy && !key.held) this.#enqueue(key);
    };
    key.back = { at: due, priority: urgent, timer: clock.after(due - clock.steady(), work, { owner }) };
  }

  #start(): void {
    while (this.#busy < (this.#options.workers ?? 4)) {
      const key = this.#take();
      if (!key) return;
      void this.#handle(key);
    }
  }

  /** The key whose turn it is. */
  #take(): Key | undefined {
    const { normal, low } = this.#waiting;
    const isLow = low.size > 0 && (normal.size === 0 || this.#row >= MOST_BEFORE_LOW);
    this.#row = isLow || low.size === 0 ? 0 : this.#row + 1;
    return (isLow ? low : normal).take();
  }

  async #handle(key: Key): Promise<void> {
    const { work, started, failed, clock, random, retry = RETRY } = this.#options;
    const priority = key.wanted!;
    key.wanted = undefined;
    key.floor = 0;
    key.busy = true;
    this.#busy++;
    started?.(key.name);
    let later: number | void;
    try {
      later = await countedAs(key.count, () => work(key.name, key.failures + 1));
      key.failures = 0;
    } catch (error) {
      later = backoff(key.failures++, retry, random);
      key.floor = clock.steady() + Math.min(later, retry.first);
      failed?.(key.name, error);
    }
    key.busy = false;
    this.#busy--;
    if (this.#closed) this.#leave(key);
    else this.#goOn(key, later ?? undefined, priority);
    if (this.#closed && this.#busy === 0) this.#idle.resolve();
    this.#start();
  }

  /** A key has been handled: it waits again, comes back or is forgotten. */
  #goOn(key: Key, later: number | undefined, priority: Priority): void {
    const failed = key.floor > 0;
    if (key.wanted !== undefined && !failed) {
      this.#enqueue(key);
      return;
    }
    const now = this.#options.clock.steady();
    if (key.wanted !== undefined) this.#park(key, key.floor, priority);
    else if (later !== undefined) this.#park(key, now + later, priority);
    else if (!key.back) this.#keys.delete(key.name);
    this.#leave(key);
  }

  /** A key is not under way any more. */
  #leave(key: Key): void {
    key.count?.end();
    key.count = undefined;
  }
}

const higher = (a: Priority | undefined, b: Priority): Priority => (a === "normal" ? a : b);
