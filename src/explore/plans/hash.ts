/**
 * Hashes of plans, and seeds that follow from seeds.
 *
 * @module
 */
import { fnv1aOfText } from "../../util/fnv.ts";
import type { Plan } from "../contract/plan.ts";

const OTHER_BASIS = 0x9e3779b9;

/** Returns a hash of 53 bits, equal for plans of the same perturbations in any order. */
export const planHash = (plan: Plan): number => {
  const text = plan
    .map((perturbation) => JSON.stringify(perturbation))
    .sort()
    .join("\n");
  return fnv1aOfText(text) * 2 ** 21 + (fnv1aOfText(text, OTHER_BASIS) >>> 11);
};

/** Returns a seed of 32 bits for a part of another seed. */
export const seedOf = (seed: number, part: string | number): number => fnv1aOfText(`${seed}/${part}`);
