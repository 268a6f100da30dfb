import { isMaster } from "../../auth/admin.ts";
import type { Identity } from "../../auth/contract.ts";
import { tooManyRequests } from "../../meta/status.ts";

/** A watch that is counted; giving it back twice is giving it back once. */
export type WatchPlace = Disposable;

const UNCOUNTED: WatchPlace = { [Symbol.dispose]() {} };

/**
 * How many watches somebody has open: one user's do not take the memory of everybody's. Members of `system:masters` are not
 * counted. It keeps nothing of those who have none.
 */
export class WatchPlaces {
  readonly #most: number;
  readonly #taken = new Map<string, number>();

  /** @param most watches of one user at the same time; 0 for no limit */
  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a place, until it is disposed; 429 where the user has as many as one may have. */
  take(identity: Identity): WatchPlace {
    if (this.#most === 0 || isMaster(identity)) return UNCOUNTED;
    const { user } = identity;
    const taken = this.#taken.get(user) ?? 0;
    if (taken >= this.#most) {
      throw tooManyRequests(
        `expected at most ${this.#most} watches of one user at a time (--max-watches-per-user), found as many open`,
        "watches",
      );
    }
    this.#taken.set(user, taken + 1);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#giveBack(user);
        isHeld = false;
      },
    };
  }

  #giveBack(user: string): void {
    const left = this.#taken.get(user)! - 1;
    if (left > 0) this.#taken.set(user, left);
    else this.#taken.delete(user);
  }

  /** Users who have a watch. */
  get users(): number {
    return this.#taken.size;
  }
}
