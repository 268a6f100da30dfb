/**
 * Time, random numbers and the event loop, passed in.
 *
 * Every room takes a {@link Clock}, with the loop that its timers run on, and a {@link Random}. Only this file, `loop.ts` and `app/`
 * use the globals behind them, so a test can move time, repeat random numbers and choose what runs next.
 *
 * @module
 */
import { Heap, type HeapItem } from "./heap.ts";
import { EventLoop, type Loop } from "./loop.ts";

/** A timer that can be cancelled. */
export interface Timer {
  cancel(): void;
}

/** Properties of a timer. */
export interface TimerOptions {
  /** The owner of the timer, for people: `work queue`, `watch wheel`. */
  readonly owner?: string;
  /** The timer may fire late, and once in place of several times: bookmarks, sweeps, checks. */
  readonly upkeep?: boolean;
  /** Whether a pending timer keeps the process alive; only the clock of the machine knows this. */
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

/** A source of random numbers. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** A version 4 UUID (RFC 9562). */
  uuid(): string;
}

/** The longest timeout of Node, in ms (24.8 days); a longer one would fire at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Returns a clock of the machine with a loop of its own, for one cluster or one program. */
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
    // A time that has passed is now, and a value that is no number, too: Node warns about both.
    arm(ms > 0 ? ms : 0);
    return { cancel: () => clearTimeout(timer) };
  },
});

/** The clock of the process, for parts that belong to no cluster. */
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

/** Random numbers of the machine. */
export const systemRandom: Random = {
  next: () => Math.random(),
  uuid: () => crypto.randomUUID(),
};

/** A timer that waits for a {@link ManualClock} to move. */
export interface SetTimer extends TimerOptions {
  /** When it is due, in milliseconds since the epoch. */
  readonly at: number;
}

interface ManualTimer extends HeapItem {
  /** Of the steady counter. */
  readonly at: number;
  readonly order: number;
  readonly work: () => void;
  readonly options: TimerOptions;
}

/** A pause between two steps of a clock that moves: until all microtasks have run, or until all work has ended. */
type Pause = "microtasks" | "settle";

/** How many timers may be set for the current instant, one after the other, before they count as an endless loop. */
const MAX_ROUNDS = 10_000;

const sooner = (a: ManualTimer, b: ManualTimer): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/**
 * A clock that does not advance until a caller moves it.
 *
 * A move stops at each instant at which a timer is due, and fires all timers of that instant in the order in which they were
 * set; timers that are set during the move fire, too.
 *
 * A move does not stop for timers that are marked as upkeep. Those that are due by its end fire there once each, after all
 * others; upkeep that they set waits for the next move. So a day costs one bookmark, not fourteen hundred.
 */
export class ManualClock implements Clock {
  readonly loop: Loop;
  /** The time of the wall clock when the steady counter is 0. */
  readonly #zero: number;
  #steady: number;
  readonly #timers = new Heap<ManualTimer>(sooner);
  readonly #upkeep = new Heap<ManualTimer>(sooner);
  #order = 0;
  #moving = false;

  /**
   * @param start milliseconds since the epoch
   * @param steady the value of the steady counter
   * @param loop by default one whose slices never end
   */
  constructor(start = Date.UTC(2026, 0, 1), steady = 0, loop: Loop = new EventLoop({ isTimed: false })) {
    this.loop = loop;
    this.#zero = start - steady;
    this.#steady = steady;
  }

  now(): number {
    // A random backoff has fractions of a millisecond; a wall clock has none.
    return Math.floor(this.#zero + this.#steady);
  }

  steady(): number {
    return this.#steady;
  }

  after(ms: number, work: () => void, options: TimerOptions = {}): Timer {
    const timer = { at: this.#steady + Math.max(0, ms), order: this.#order++, work, options, heapIndex: -1 };
    const timers = options.upkeep ? this.#upkeep : this.#timers;
    timers.add(timer);
    return { cancel: () => void timers.delete(timer) };
  }

  /** The pending timers in the order in which they are due. */
  timers(): readonly SetTimer[] {
    const set = [...this.#timers.values(), ...this.#upkeep.values()].toSorted((a, b) => (sooner(a, b) ? -1 : 1));
    return set.map(({ at, options }) => ({ ...options, at: this.#zero + at }));
  }

  /** Moves the clock forward and fires the timers that become due, without a pause for work that follows from them. */
  advance(ms: number): void {
    for (const _ of this.#walk(() => this.#steady + ms));
  }

  /**
   * Moves the clock forward; `settle` resolves when the work that follows from the timers has ended.
   *
   * The move awaits it before the first step, after the timers of each instant and at the end; all microtasks run between two
   * timers of one instant. So code that sleeps 100 ms twice continues at 100 and at 200, however far the clock moves.
   */
  async advanceSettled(ms: number, settle: () => Promise<void>): Promise<void> {
    await this.#paced(() => this.#steady + ms, settle);
  }

  /**
   * Moves the clock to the next instant at which a timer other than upkeep is due, as {@link advanceSettled} does.
   * Returns false and does not move it where none is due within `most` milliseconds.
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

  /** Moves to `end`, which is called when all work has ended, with a pause wherever work may follow from timers. */
  *#walk(end: () => number): Generator<Pause, void> {
    if (this.#moving) throw new Error("expected one move of the clock at a time; wait for the end of the previous one");
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
      if (rounds > MAX_ROUNDS) {
        throw new Error(`expected the clock to move, found that ${ownerOf(next)} sets timers for the current instant`);
      }
      this.#steady = next.at;
      yield* this.#fire(this.#timers);
      yield "settle";
    }
  }

  /** Fires the timers that are due, without those that are set meanwhile. */
  *#fire(timers: Heap<ManualTimer>): Generator<Pause, void> {
    const end = this.#order;
    for (let due = timers.first; due && due.at <= this.#steady && due.order < end; due = timers.first) {
      timers.delete(due);
      due.work();
      yield "microtasks";
    }
  }
}

const ownerOf = ({ options, work }: ManualTimer): string => options.owner ?? (work.name || "an unnamed function");

/** Random numbers of a seed, which another generator can continue. */
export interface SeededRandom extends Random {
  /** The state; a generator with this seed continues the sequence. */
  readonly position: number;
  /** Returns an independent generator that continues the sequence. */
  fork(): SeededRandom;
}

/** What each number adds to the state. */
const STRIDE = 0x6d2b79f5;

const HEX = "0123456789abcdef";

/** Returns a generator (mulberry32) that gives the same sequence for the same seed, after so many numbers of it. */
export function seededRandom(seed: number, drawn = 0): SeededRandom {
  let state = (seed + Math.imul(STRIDE, drawn)) >>> 0;
  const next = (): number => {
    state = (state + STRIDE) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const hex = (digits: number): string => {
    let text = "";
    for (let i = 0; i < digits; i++) text += HEX[Math.floor(next() * 16)];
    return text;
  };
  return {
    next,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    get position() {
      return state;
    },
    fork: () => seededRandom(state),
  };
}
