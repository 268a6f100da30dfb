/**
 * Plans of several perturbations, drawn by a seed.
 *
 * @module
 */
import { type Random, seededRandom } from "../../util/clock.ts";
import type { Perturbation, Plan } from "../contract/plan.ts";
import type { Candidate } from "../perturbations/index.ts";
import { planHash } from "./hash.ts";

/** How many draws in a row may give known plans, before larger ones are drawn. */
const MAX_KNOWN = 200;
/** How often a fault is applied twice at the same request: the second time to the retry. */
const AGAIN = 0.15;
const THREE = 0.3;

/** The same at the next request that is alike: most often the retry of the program. */
const again = (perturbation: Perturbation): Perturbation | undefined =>
  perturbation.type === "crash" || perturbation.type === "answer-lost" || perturbation.type === "refused"
    ? { ...perturbation, at: { ...perturbation.at, occurrence: perturbation.at.occurrence + 1 } }
    : undefined;

/** Draws plans from single perturbations that are worth trying: those with more weight more often. */
export class Combinations {
  readonly #candidates: readonly Candidate[];
  /** The sums of worths up to each candidate. */
  readonly #sums: readonly number[];
  readonly #random: Random;
  readonly #tried: Set<number>;
  #least = 2;

  /** @param tried the hashes of plans that were tried; those that are drawn are added */
  constructor(candidates: readonly Candidate[], seed: number, tried: Set<number>) {
    this.#candidates = candidates;
    let sum = 0;
    this.#sums = candidates.map(({ worth }) => (sum += worth));
    this.#random = seededRandom(seed);
    this.#tried = tried;
  }

  /** Returns a plan that was not tried; undefined when there is none left. */
  next(): { readonly plan: Plan; readonly parts: readonly Candidate[] } | undefined {
    for (let known = 0; this.#least <= Math.max(2, this.#candidates.length);) {
      const drawn = this.#draw();
      const hash = drawn && planHash(drawn.plan);
      if (hash !== undefined && !this.#tried.has(hash)) {
        this.#tried.add(hash);
        return drawn;
      }
      if (++known < MAX_KNOWN) continue;
      this.#least++;
      known = 0;
    }
    return undefined;
  }

  #draw(): { readonly plan: Plan; readonly parts: readonly Candidate[] } | undefined {
    if (this.#candidates.length === 0) return undefined;
    const first = this.#one();
    const second = this.#random.next() < AGAIN ? again(this.#candidates[first]!.perturbation) : undefined;
    const size = this.#least + (this.#random.next() < THREE ? 1 : 0);
    const chosen = new Set([first]);
    for (let draws = 0; chosen.size < size - (second ? 1 : 0) && draws < 4 * size; draws++) chosen.add(this.#one());
    const parts = [...chosen].sort((a, b) => a - b).map((index) => this.#candidates[index]!);
    const plan = [...parts.map(({ perturbation }) => perturbation), ...(second ? [second] : [])];
    return plan.length < 2 ? undefined : { plan, parts };
  }

  /** Draws an index by worth. */
  #one(): number {
    const at = this.#random.next() * this.#sums.at(-1)!;
    let [low, high] = [0, this.#sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#sums[middle]! > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
