/**
 * Time, chance and the event loop, passed in.
 *
 * Every room takes a {@link Clock}, with the loop that its timers run on, and a {@link Random}. Only this file, `loop.ts` and `app/`
 * touch the globals behind them, so a test can move time, repeat chance and choose what runs next.
 *
 * @module
 */
import { Heap, type Placed } from "./heap.ts";
import { EventLoop, type Loop } from "./loop.ts";

/** A timer that can be called off. */
export interface Timer {
  cancel(): void;
}

/** What is known of a timer; it changes nothing but how a clock is moved by hand. */
export interface TimerOptions {
  /** Who set it, for people: `work queue`, `watch wheel`. */
  readonly owner?: string;
  /** Nothing is lost if it fires late and once where it would have fired often: bookmarks, sweeps, checks. */
  readonly upkeep?: boolean;
  /** Keeps the process alive while it waits; for the clock of the machine. */
  readonly holds?: boolean;
}

/** The time of day, a steady counter and timers. */
export interface Clock {
  /** Milliseconds since the epoch, as the wall clock shows them. */
  now(): number;
  /** Milliseconds of a steady counter: for durations, never for dates. */
  steady(): number;
  /** Runs `work` once, after `ms` milliseconds; a pending timer does not keep the process alive by default. */
  after(ms: number, work: () => void, options?: TimerOptions): Timer;
  /** Decides what runs next. Each cluster has one of its own. */
  readonly loop: Loop;
}

/** A source of chance. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** A version 4 UUID (RFC 9562). */
  uuid(): string;
}

/** The longest that a timer of the machine can wait, in ms (24.8 days); with more it would fire at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** A clock of the machine with a loop of its own: for one cluster, or one program. */
export const newSystemClock = (): Clock => ({
  loop: new EventLoop(),
  now: () => Date.now(),
  steady: () => performance.now(),
  after(ms, work, { holds = false } = {}) {
    let timer: NodeJS.Timeout;
    const arm = (left: number): void => {
      timer =
        left > MAX_TIMEOUT_MS ? setTimeout(() => arm(left - MAX_TIMEOUT_MS), MAX_TIMEOUT_MS) : setTimeout(work, left);
      if (!holds) timer.unref();
    };
    arm(ms);
    return { cancel: () => clearTimeout(timer) };
  },
});

/** The clock of the process, for what belongs to no cluster. */
export const systemClock: Clock = newSystemClock();

/** Resolves after `ms` milliseconds of `clock`, or as soon as `signal` is aborted. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal, options?: TimerOptions): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const wake = (): void => {
      timer.cancel();
      signal?.removeEventListener("abort", wake);
      resolve();
    };
    const timer = clock.after(ms, wake, options);
    signal?.addEventListener("abort", wake);
  });
}

/** Chance from the operating system. */
export const systemRandom: Random = {
  next: () => Math.random(),
  uuid: () => crypto.randomUUID(),
};

/** A timer that waits for a {@link ManualClock} to move. */
export interface SetTimer extends TimerOptions {
  /** When it is due, in milliseconds since the epoch. */
  readonly at: number;
}

interface ManualTimer extends Placed {
  /** Of the steady counter. */
  readonly at: number;
  readonly order: number;
  readonly work: () => void;
  readonly options: TimerOptions;
}

/** A pause between two steps of a clock that moves: until all microtasks have run, or until nothing is under way. */
type Pause = "microtasks" | "settle";

/** So often may timers be set for the very present, one after the other, before it counts as a loop without an end. */
const MOST_ROUNDS = 10_000;

const sooner = (a: ManualTimer, b: ManualTimer): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/**
 * A clock that stands still until it is moved by hand.
 *
 * While it moves it stops at each instant at which a timer is due, fires all timers of that instant in the order in
 * which they were set, and goes on with what is due next then: timers that were set on the way count.
 *
 * Timers that are marked as upkeep make it stop nowhere. Those that have become due by the end of a move fire there,
 * once each, when all others have fired; what they set for upkeep again waits for the next move. So a day costs one
 * bookmark, not fourteen hundred.
 */
export class ManualClock implements Clock {
  readonly loop: Loop;
  /** What the wall shows when the steady counter is at 0. */
  readonly #zero: number;
  #steady: number;
  readonly #timers = new Heap<ManualTimer>(sooner);
  readonly #upkeep = new Heap<ManualTimer>(sooner);
  #order = 0;
  #moving = false;

  /**
   * @param start milliseconds since the epoch at which the clock stands
   * @param steady where its steady counter stands
   * @param loop by default one whose work never waits because time has passed
   */
  constructor(start = Date.UTC(2026, 0, 1), steady = 0, loop: Loop = new EventLoop({ isTimed: false })) {
    this.loop = loop;
    this.#zero = start - steady;
    this.#steady = steady;
  }

  now(): number {
    // Chance in a backoff makes fractions; a wall clock has none.
    return Math.floor(this.#zero + this.#steady);
  }

  steady(): number {
    return this.#steady;
  }

  after(ms: number, work: () => void, options: TimerOptions = {}): Timer {
    const timer = { at: this.#steady + Math.max(0, ms), order: this.#order++, work, options, place: -1 };
    const timers = options.upkeep ? this.#upkeep : this.#timers;
    timers.add(timer);
    return { cancel: () => void timers.delete(timer) };
  }

  /** What waits for the clock, in the order in which it is due. */
  timers(): readonly SetTimer[] {
    const set = [...this.#timers.values(), ...this.#upkeep.values()].toSorted((a, b) => (sooner(a, b) ? -1 : 1));
    return set.map(({ at, options }) => ({ ...options, at: this.#zero + at }));
  }

  /** Moves the clock forward and runs what becomes due on the way, without a pause for what that has woken. */
  advance(ms: number): void {
    for (const _ of this.#walk(() => this.#steady + ms));
  }

  /**
   * Moves the clock forward; `settle` resolves when all that was woken has come to rest.
   *
   * It is awaited before the first step, after the timers of each instant and at the end; all microtasks run between two
   * timers of one instant. So who sleeps 100 ms twice wakes at 100 and at 200, however far the clock is moved.
   */
  async advanceSettled(ms: number, settle: () => Promise<void>): Promise<void> {
    await this.#paced(() => this.#steady + ms, settle);
  }

  /**
   * Moves the clock to the next instant at which a timer other than upkeep is due, as {@link advanceSettled} does.
   * Where none is due within `most` milliseconds it stays and tells so: false.
   */
  async nextSettled(settle: () => Promise<void>, most = Infinity): Promise<boolean> {
    let found = false;
    const next = (): number => {
      const at = this.#timers.first?.at ?? Infinity;
      found = at < Infinity && at <= this.#steady + most;
      return found ? at : this.#steady;
    };
    await this.#paced(next, settle);
    return found;
  }

  async #paced(end: () => number, settle: () => Promise<void>): Promise<void> {
    for (const pause of this.#walk(end)) {
      await (pause === "settle" ? settle() : new Promise<void>((resolve) => process.nextTick(resolve)));
    }
  }

  /** The way to `end`, which is asked for when all has settled, with a pause wherever what was woken may act. */
  *#walk(end: () => number): Generator<Pause, void> {
    if (this.#moving) throw new Error("The clock is moving already: wait for the end of one move before the next");
    this.#moving = true;
    try {
      yield "settle";
      const to = end();
      yield* this.#until(to);
      this.#steady = to;
      yield* this.#fire(this.#upkeep);
      yield "settle";
      yield* this.#until(to);
    } finally {
      this.#moving = false;
    }
  }

  *#until(end: number): Generator<Pause, void> {
    let rounds = 0;
    for (let next = this.#timers.first; next && next.at <= end; next = this.#timers.first) {
      rounds = next.at > this.#steady ? 0 : rounds + 1;
      if (rounds > MOST_ROUNDS) throw new Error(`Time stands still: ${ownerOf(next)} sets timers for the present`);
      this.#steady = next.at;
      yield* this.#fire(this.#timers);
      yield "settle";
    }
  }

  /** Fires what is due by now, without what is set meanwhile. */
  *#fire(timers: Heap<ManualTimer>): Generator<Pause, void> {
    const end = this.#order;
    for (let due = timers.first; due && due.at <= this.#steady && due.order < end; due = timers.first) {
      timers.delete(due);
      due.work();
      yield "microtasks";
    }
  }
}

const ownerOf = ({ options, work }: ManualTimer): string => options.owner ?? (work.name || "somebody without a name");

/** Chance that can be continued elsewhere. */
export interface SeededRandom extends Random {
  /** Where it stands; as a seed it continues from there. */
  readonly position: number;
  /** A second one that continues from where this one stands; neither moves the other. */
  fork(): SeededRandom;
}

/** What a number that is drawn adds to the state. */
const STRIDE = 0x6d2b79f5;

/** Chance that repeats itself: the same seed gives the same sequence (mulberry32), here after so many numbers of it. */
export function seededRandom(seed: number, drawn = 0): SeededRandom {
  let state = (seed + Math.imul(STRIDE, drawn)) >>> 0;
  const next = (): number => {
    state = (state + STRIDE) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join("");
  return {
    next,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    get position() {
      return state;
    },
    fork: () => seededRandom(state),
  };
}
