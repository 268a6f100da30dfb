/**
 * The order in which plans of one perturbation are tried.
 *
 * @module
 */
import type { PerturbationType } from "../contract/plan.ts";
import type { Candidate } from "../perturbations/index.ts";
import { planHash } from "./hash.ts";

/** The factor by which the next one of a type has less weight, so that no type waits until another is done. */
const FADING = 0.06;

/** Returns candidates with the most telling first, each perturbation once, the types mixed. */
export const rank = (candidates: readonly Candidate[]): readonly Candidate[] => {
  const best = new Map<number, Candidate>();
  for (const candidate of candidates) {
    const hash = planHash([candidate.perturbation]);
    const known = best.get(hash);
    if (!known || known.worth < candidate.worth) best.set(hash, candidate);
  }
  const counts = new Map<PerturbationType, number>();
  const faded = [...best.values()]
    .sort((a, b) => b.worth - a.worth)
    .map((candidate) => {
      const { type } = candidate.perturbation;
      const before = counts.get(type) ?? 0;
      counts.set(type, before + 1);
      return { candidate, worth: candidate.worth / (1 + FADING * before) };
    });
  return faded.sort((a, b) => b.worth - a.worth).map(({ candidate }) => candidate);
};
