import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "./clock.ts";
import { ShortLivedSet } from "./short-lived.ts";

/** One piece of work that is running. */
export interface ActivityUnit {
  /** Its description for people: `GET /api/v1/pods`, `replica-sets default/web`. */
  readonly what: string;
  /** When it began, in ms of the steady clock. */
  readonly since: number;
}

/**
 * Counts the work that is running, so that a caller can wait until there is none.
 *
 * Parts take `activity?: Activity` and call `const end = activity?.begin("...")`, which costs nothing without one.
 * Work that starts other work begins that one before it ends itself, so that the count is not zero in between.
 * Work that only waits for the clock to advance does not count.
 */
export class Activity {
  readonly #clock: Pick<Clock, "steady" | "loop">;
  readonly #units = new ShortLivedSet<ActivityUnit>();
  #begun = 0;
  /** Resolved when the count falls to zero; undefined while no caller waits for that. */
  #rest: PromiseWithResolvers<void> | undefined;

  constructor(clock: Pick<Clock, "steady" | "loop">) {
    this.#clock = clock;
  }

  /** Counts `what` until the returned function is called; further calls do nothing. */
  begin(what: string): () => void {
    const unit = { what, since: this.#clock.steady() };
    this.#units.add(unit);
    this.#begun++;
    return () => {
      if (!this.#units.delete(unit) || this.#units.size > 0) return;
      this.#rest?.resolve();
      this.#rest = undefined;
    };
  }

  /** How many units are running. */
  get count(): number {
    return this.#units.size;
  }

  /** Grows with each unit that begins or ends. */
  get progress(): number {
    return 2 * this.#begun - this.count;
  }

  /** The running units in the order in which they began. */
  list(): readonly ActivityUnit[] {
    return [...this.#units];
  }

  /** Resolves when nothing is running and nothing began during a whole pass of the event loop. */
  async idle(): Promise<void> {
    for (let begun = -1; begun !== this.#begun || this.count > 0; await this.#clock.loop.pass()) {
      if (this.count > 0) await (this.#rest ??= Promise.withResolvers()).promise;
      begun = this.#begun;
    }
  }
}

/** A running unit that does not count while it waits for the clock. */
export class ActivityCount {
  readonly #begin: () => () => void;
  readonly #outer: ActivityCount | undefined;
  /** Units that wait while this one does. */
  readonly #followers = new Set<ActivityCount>();
  #stop: (() => void) | undefined;
  #pauses = 0;
  #ended = false;

  /**
   * @param begin counts the unit until the returned function is called
   * @param outer the unit that waits for this one, and with it for the clock
   */
  constructor(begin: () => () => void, outer?: ActivityCount) {
    this.#begin = begin;
    this.#outer = outer;
    this.#stop = begin();
  }

  /** Stops counting the unit until {@link resume} has been called as often as this. */
  pause(): void {
    if (this.#pauses++ === 0) {
      this.#leave();
      for (const unit of this.#followers) unit.pause();
    }
    this.#outer?.pause();
  }

  resume(): void {
    this.#outer?.resume();
    if (--this.#pauses > 0) return;
    if (!this.#ended) this.#stop = this.#begin();
    for (const unit of this.#followers) unit.resume();
  }

  /** Whether units follow this one. */
  get isFollowed(): boolean {
    return this.#followers.size > 0;
  }

  /** Pauses `unit` while this one is paused, until the returned function is called. */
  leads(unit: ActivityCount): () => void {
    this.#followers.add(unit);
    if (this.#pauses > 0) unit.pause();
    return () => void this.#followers.delete(unit);
  }

  /** Ends the unit; further calls do nothing. */
  end(): void {
    this.#ended = true;
    this.#leave();
  }

  #leave(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}

/** The unit that the running code is part of. */
const current = new AsyncLocalStorage<ActivityCount>();

/** Runs `work` as part of a unit, so that {@link pauseCount} finds that unit. */
export const runCounted = <T>(count: ActivityCount | undefined, work: () => T): T =>
  count ? current.run(count, work) : work();

/** The unit that the running code is part of. */
export const currentCount = (): ActivityCount | undefined => current.getStore();

/** Stops counting the unit of the running code, which waits for the clock to advance, until the result is disposed of. */
export function pauseCount(): Disposable {
  const count = current.getStore();
  count?.pause();
  return { [Symbol.dispose]: () => count?.resume() };
}
