/**
 * The definition of one type of perturbation.
 *
 * @module
 */
import type { CleanRun } from "../causality.ts";
import type { Proposal, ScenarioOutline } from "../contract/laboratory.ts";
import type { Perturbation, PerturbationType } from "../contract/plan.ts";

export type PerturbationOf<T extends PerturbationType> = Extract<Perturbation, { readonly type: T }>;

/** A proposal with what coverage counts it for. */
export interface Candidate extends Proposal {
  /** The shape of the write that it is about. */
  readonly write?: string;
  /** The pairs of cause and write that it takes apart. */
  readonly pairs?: readonly string[];
}

/** One type of perturbation. */
export interface PerturbationRule<T extends PerturbationType> {
  readonly type: T;
  /** A few words: the heading of its part of the page. */
  readonly title: string;
  /** Why Kubernetes permits it, with the source. */
  readonly permitted: string;
  /** Returns a plain sentence without its full stop. */
  describe(perturbation: PerturbationOf<T>): string;
  /** Returns the perturbations worth trying, from a clean run. */
  propose(run: CleanRun, outline: ScenarioOutline): readonly Candidate[];
}
