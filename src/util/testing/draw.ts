/**
 * Chance as generators use it: the same draws for the same seed.
 *
 * @module
 */
import { type Random, seededRandom } from "../clock.ts";

/** Draws by a seed. */
export class Draw {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** A whole number from 0, below `end`. */
  below(end: number): number {
    return Math.floor(this.#random.next() * end);
  }

  /** A whole number from 0, below `end`; the higher the rarer. */
  small(end: number): number {
    return Math.floor(this.#random.next() ** 3 * end);
  }

  chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }

  /** One of several things to do. */
  one<T>(...ways: readonly (() => T)[]): T {
    return this.pick(ways)();
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.below(256)));
  }

  /** What `make` makes, `count` times. */
  many<T>(count: number, make: (i: number) => T): T[] {
    return Array.from({ length: count }, (_, i) => make(i));
  }
}
