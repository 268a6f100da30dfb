/**
 * What an exploration is asked for, tells of its progress, and returns.
 *
 * @module
 */
import type { Clock } from "../util/clock.ts";
import type { Finding } from "./contract/finding.ts";
import type { RunRecord } from "./contract/laboratory.ts";
import type { PerturbationType } from "./contract/plan.ts";
import type { Coverage } from "./coverage.ts";

/** How far an exploration is. */
export interface Progress {
  /** Plans and comparisons that were tried. */
  readonly plans: number;
  /** Plans of one perturbation, and comparisons, that are worth trying. */
  readonly planned: number;
  /** How many of those are left. */
  readonly left: number;
  /** Combinations of several perturbations that were tried; they have no end. */
  readonly combinations: number;
  readonly faults: number;
  readonly notices: number;
  /** What has been confirmed just now. */
  readonly finding?: Finding;
}

/** What a finding says of where it comes from. */
export type Origin = Pick<Finding, "scenario" | "command" | "programs" | "csi" | "versions">;

export interface ExploreOptions {
  /** Measures the budget; the clock of the machine, not that of a cluster. */
  readonly clock: Pick<Clock, "steady">;
  readonly origin: Origin;
  readonly seed: number;
  /** How long runs may begin, in ms; without an end by default. */
  readonly budgetMillis?: number;
  /** How many plans and comparisons are tried; as many as there are by default. */
  readonly plans?: number;
  readonly stopAtFirst?: boolean;
  /** Whether what is found is made smaller; true by default. Without it a fault is reported after a few runs. */
  readonly shrinks?: boolean;
  /** The types of perturbations; all that the laboratory can play by default. */
  readonly only?: readonly PerturbationType[];
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

/**
 * Why an exploration ended: nothing was left to try, a limit was reached, a step of the user is refused without any perturbation, or
 * it could not go on (`failed`).
 */
export type Ending = "done" | "budget" | "plans" | "cancelled" | "first" | "step-failed" | "failed" | "replayed";

/** What an exploration found. */
export interface Exploration {
  readonly findings: readonly Finding[];
  /** What is wasteful or unusual, and what did not show again when it was played again. */
  readonly notices: readonly Finding[];
  readonly coverage: Coverage;
  readonly plans: number;
  /** Runs of all kinds: clean ones, plans, and those that confirm and shrink. */
  readonly runs: number;
  readonly seconds: number;
  readonly seed: number;
  readonly ended: Ending;
  /** Why it could not continue, if `ended` is `failed`: the result has what was found until then. */
  readonly failure?: Error;
  /** The clean runs of the usual steps. */
  readonly clean: readonly RunRecord[];
  /** The runs of each finding and notice. */
  readonly evidence: ReadonlyMap<Finding, FindingRuns>;
}

/** The runs that show a finding. */
export interface FindingRuns {
  /** A clean run of the same steps. */
  readonly clean: RunRecord;
  /** Other clean runs of these steps: what differs between them is drawn by chance. */
  readonly otherClean: readonly RunRecord[];
  /** The run that shows it. */
  readonly run: RunRecord;
}
