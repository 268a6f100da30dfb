/**
 * Bounds on work of several sorts: in each lane only so much is under way at once, and what waits in one keeps nothing in another
 * from being done.
 *
 * @module
 */
import { Seats } from "./seats.ts";

interface Lane {
  readonly seats: Seats;
  /** Who has a seat or waits for one. */
  users: number;
}

/** See the head of this file. A lane is there as long as somebody is in it. */
export class Lanes {
  readonly #most: number;
  readonly #lanes = new Map<string, Lane>();

  /** @param most how much is under way in one lane at once */
  constructor(most: number) {
    this.#most = most;
  }

  /** Does work when it is its turn in its lane; rejects with the signal's reason where that comes first. */
  async run<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(name) ?? { seats: new Seats(this.#most), users: 0 };
    this.#lanes.set(name, lane);
    lane.users++;
    try {
      await lane.seats.take(signal);
      try {
        return await work();
      } finally {
        lane.seats.giveBack();
      }
    } finally {
      if (--lane.users === 0) this.#lanes.delete(name);
    }
  }

  /** How many lanes somebody is in. */
  get size(): number {
    return this.#lanes.size;
  }
}
