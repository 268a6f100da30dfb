import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "./clock.ts";
import { PassingSet } from "./passing.ts";

/** Something that is under way. */
export interface Unit {
  /** What it is, for people: `GET /api/v1/pods`, `replica-sets default/web`. */
  readonly what: string;
  /** When it began, in ms of the steady clock. */
  readonly since: number;
}

/**
 * What is under way, counted, so that somebody can wait until nothing is.
 *
 * Parts take `activity?: Activity` and say `const end = activity?.begin("...")`, which costs nothing where there is none.
 * Work that hands over to other work begins that one before it ends itself; then there is no gap to be mistaken for rest.
 * What only waits for the clock to move is not under way.
 */
export class Activity {
  readonly #clock: Pick<Clock, "steady" | "loop">;
  readonly #units = new PassingSet<Unit>();
  #begun = 0;
  /** Resolved when the count falls to zero; there while somebody waits for that. */
  #rest: PromiseWithResolvers<void> | undefined;

  /** @param clock tells since when each unit is under way */
  constructor(clock: Pick<Clock, "steady" | "loop">) {
    this.#clock = clock;
  }

  /** Counts `what` until the function that it gives back is called; calling that again is harmless. */
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

  /** How many units are under way. */
  get count(): number {
    return this.#units.size;
  }

  /** What is under way, in the order of beginning. */
  list(): readonly Unit[] {
    return [...this.#units];
  }

  /** Resolves when nothing is under way, a whole turn of the event loop has passed and nothing began in it. */
  async settled(): Promise<void> {
    for (let begun = -1; begun !== this.#begun || this.count > 0; await this.#clock.loop.pass()) {
      if (this.count > 0) await (this.#rest ??= Promise.withResolvers()).promise;
      begun = this.#begun;
    }
  }
}

/** Something under way that is left out of the count while it waits for the clock. */
export class Count {
  readonly #begin: () => () => void;
  #stop: (() => void) | undefined;
  #pauses = 0;
  #ended = false;

  /** @param begin counts it until what it gives back is called */
  constructor(begin: () => () => void) {
    this.#begin = begin;
    this.#stop = begin();
  }

  /** Leaves it out until it is resumed as often. */
  pause(): void {
    if (this.#pauses++ === 0) this.#leave();
  }

  resume(): void {
    if (--this.#pauses === 0 && !this.#ended) this.#stop = this.#begin();
  }

  /** It is under way no more; calling this again is harmless. */
  end(): void {
    this.#ended = true;
    this.#leave();
  }

  #leave(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}

/** What the code that runs now is part of. */
const doing = new AsyncLocalStorage<Count>();

/** Does `work` as what `count` counts, so that {@link parked} finds it. */
export const countedAs = <T>(count: Count | undefined, work: () => T): T => (count ? doing.run(count, work) : work());

/** Leaves what this code is part of out of the count until what is given back is disposed: it waits for the clock to move. */
export function parked(): Disposable {
  const count = doing.getStore();
  count?.pause();
  return { [Symbol.dispose]: () => count?.resume() };
}
