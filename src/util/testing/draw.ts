/**
 * Random values for generators of tests.
 *
 * @module
 */
import { type Random, seededRandom } from "../clock.ts";

/** Draws the same values for the same seed. */
export class Draw {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** Returns an integer from 0, below `end`. */
  below(end: number): number {
    return Math.floor(this.#random.next() * end);
  }

  /** Returns an integer from 0, below `end`; higher ones are rarer. */
  small(end: number): number {
    return Math.floor(this.#random.next() ** 3 * end);
  }

  chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }

  /** Calls one of several functions. */
  one<T>(...functions: readonly (() => T)[]): T {
    return this.pick(functions)();
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.below(256)));
  }

  /** Returns the results of `count` calls. */
  many<T>(count: number, make: (i: number) => T): T[] {
    return Array.from({ length: count }, (_, i) => make(i));
  }
}
