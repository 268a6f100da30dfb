import type { Clock, Timer } from "./clock.ts";
import { PassingMap } from "./passing.ts";

/** How long work may wait for its turn and keep it. */
export interface LockLimits {
  readonly clock: Clock;
  /** Milliseconds after which work that waits gives up. */
  readonly waitMillis: number;
  /** Milliseconds that a turn lasts, from when somebody waits for its end or it has asked for its signal. */
  readonly holdMillis: number;
  /** How many may wait for one key. Default 1000. */
  readonly mostWaiting?: number | undefined;
}

/** Why a lock was not given or was taken away: work `waited` too long, too many waited (`crowded`), or it was `held` too long. */
export class LockTimeout extends Error {
  readonly why: "waited" | "crowded" | "held";

  constructor(why: LockTimeout["why"], message: string) {
    super(message);
    this.name = "LockTimeout";
    this.why = why;
  }
}

/** What work is given with its turn. */
export interface Turn {
  /** Aborted with a {@link LockTimeout} when the turn is over. Work that waits for others passes it on. */
  readonly signal: AbortSignal;
}

/**
 * Runs work one after another for each key, and side by side for different keys.
 *
 * Writers of one object take turns instead of racing for its version and losing; writers of different objects never
 * wait for each other.
 *
 * With limits nobody waits without an end. Work whose turn is over has been told so, and the next one begins: what it
 * still does, it does beside others, so it must be safe by itself, as a write is that names the version it replaces.
 * Work that nobody waits for and that asks for no signal costs no timer.
 */
export class KeyedLock {
  readonly #limits: LockLimits | undefined;
  readonly #times: Times | undefined;
  readonly #held = new PassingMap<string, HeldTurn>();
  #alone = 0;

  /** @param limits without them work may wait, and keep its turn, for ever */
  constructor(limits?: LockLimits) {
    this.#limits = limits;
    this.#times = limits && { ...limits, over: (turn) => this.#pass(turn) };
  }

  /** Runs `work` when all earlier work for `key` has ended, however it ended, or has lost its turn. */
  run<T>(key: string, work: (turn: Turn) => Promise<T>): Promise<T> {
    const held = this.#held.get(key);
    return held === undefined ? this.#begin(key, work, undefined) : this.#wait(held, key, work);
  }

  /** Runs work at once that shares its key with no other, with a turn as any other has one. */
  alone<T>(work: (turn: Turn) => Promise<T>): Promise<T> {
    return this.#begin(`\0${this.#alone++}`, work, undefined);
  }

  /** How many keys have work under way. */
  get size(): number {
    return this.#held.size;
  }

  #begin<T>(key: string, work: (turn: Turn) => Promise<T>, waiting: Waiting | undefined): Promise<T> {
    const turn = new HeldTurn(this.#times, key, waiting);
    this.#held.set(key, turn);
    let result: Promise<T>;
    try {
      result = work(turn);
    } catch (error) {
      result = Promise.reject(error as Error);
    }
    const end = (): void => this.#pass(turn);
    result.then(end, end);
    return result;
  }

  #wait<T>(held: HeldTurn, key: string, work: (turn: Turn) => Promise<T>): Promise<T> {
    const { clock, waitMillis = 0, mostWaiting = 1000 } = this.#limits ?? {};
    const waiting = (held.waiting ??= new Set());
    if (clock && waiting.size >= mostWaiting) {
      return Promise.reject(new LockTimeout("crowded", `${waiting.size} others wait for their turn already`));
    }
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const begin = (): void => {
      timer?.cancel();
      resolve(this.#begin(key, work, waiting));
    };
    const giveUp = (): void => {
      waiting.delete(begin);
      reject(new LockTimeout("waited", `waited ${waitMillis} ms for others to end`));
    };
    waiting.add(begin);
    const timer = clock?.after(waitMillis, giveUp, TIMER);
    held.count();
    return promise;
  }

  /** Ends a turn, unless it has ended before, and gives the next one to who has waited longest. */
  #pass(turn: HeldTurn): void {
    if (turn.over) return;
    turn.close();
    const { key, waiting } = turn;
    if (waiting === undefined || waiting.size === 0) {
      this.#held.delete(key);
      return;
    }
    const [begin] = waiting;
    waiting.delete(begin!);
    begin!();
    if (waiting.size > 0) this.#held.get(key)?.count();
  }
}

/** Those who wait for the end of a turn, in the order in which they came; called when it is theirs. */
type Waiting = Set<() => void>;

/** How the end of a turn is timed: what a lock with limits has once, for all turns. */
interface Times extends LockLimits {
  readonly over: (turn: HeldTurn) => void;
}

const TIMER = { owner: "lock of an object" };

class HeldTurn implements Turn {
  readonly key: string;
  waiting: Waiting | undefined;
  over = false;
  readonly #times: Times | undefined;
  #timer: Timer | undefined = undefined;
  #abort: AbortController | undefined = undefined;

  constructor(times: Times | undefined, key: string, waiting: Waiting | undefined) {
    this.#times = times;
    this.key = key;
    this.waiting = waiting;
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      this.count();
    }
    return this.#abort.signal;
  }

  /** From now on the time of the turn counts. */
  count(): void {
    const times = this.#times;
    if (this.over) return;
    this.#timer ??= times?.clock.after(times.holdMillis, () => this.#expire(times), TIMER);
  }

  close(): void {
    this.over = true;
    this.#timer?.cancel();
  }

  #expire(times: Times): void {
    const why = new LockTimeout("held", `did not end within ${times.holdMillis} ms`);
    (this.#abort ??= new AbortController()).abort(why);
    times.over(this);
  }
}
