/**
 * Decides whether a run shows a fault.
 *
 * @module
 */
import type { Fault } from "./finding.ts";
import type { Comparison, RunRecord } from "./laboratory.ts";

/** Compares runs with clean runs of the same steps. */
export interface Judge {
  /** The faults and notices of a perturbed run. */
  faults(run: RunRecord): readonly Fault[];
  /** The faults of clean runs alone: complaints, writes without end, fights. */
  cleanFaults(): readonly Fault[];
  /** The differences of the final states of two clean runs that should be equal. */
  compare(fresh: RunRecord, changed: RunRecord, comparison: Comparison): readonly Fault[];
}

/** Makes a judge of clean runs of the same steps, with different seeds: members that differ between them are not judged. */
export type MakeJudge = (clean: readonly RunRecord[]) => Judge;
