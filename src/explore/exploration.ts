/**
 * The options, the progress and the result of an exploration.
 *
 * @module
 */
import type { Clock } from "../util/clock.ts";
import type { Finding } from "./contract/finding.ts";
import type { RunRecord } from "./contract/laboratory.ts";
import type { PerturbationType } from "./contract/plan.ts";
import type { Coverage } from "./coverage.ts";

/** The progress of an exploration. */
export interface Progress {
  /** Plans and comparisons that were tried. */
  readonly plans: number;
  /** Plans of one perturbation, and comparisons, that are worth trying. */
  readonly planned: number;
  /** The number of remaining ones. */
  readonly left: number;
  /** Combinations of several perturbations that were tried; they have no end. */
  readonly combinations: number;
  readonly faults: number;
  readonly notices: number;
  /** The finding that has just been confirmed. */
  readonly finding?: Finding;
}

/** The origin of a finding. */
export type Origin = Pick<Finding, "scenario" | "command" | "programs" | "csi" | "versions">;

export interface ExploreOptions {
  /** Measures the budget; the clock of the machine, not that of a cluster. */
  readonly clock: Pick<Clock, "steady">;
  readonly origin: Origin;
  readonly seed: number;
  /** How long new runs may begin, in ms; without an end by default. */
  readonly budgetMillis?: number;
  /** The maximum number of plans and comparisons; all by default. */
  readonly plans?: number;
  readonly stopAtFirst?: boolean;
  /** Whether findings are shrunk; true by default. Without it a fault is reported after a few runs. */
  readonly shrinks?: boolean;
  /** The types of perturbations; all that the laboratory can play by default. */
  readonly only?: readonly PerturbationType[];
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

/**
 * Why an exploration ended: nothing was left to try, a limit was reached, a step of the user is refused without any perturbation, or it
 * could not continue (`failed`).
 */
export type Ending = "done" | "budget" | "plans" | "cancelled" | "first" | "step-failed" | "failed" | "replayed";

/** The result of an exploration. */
export interface Exploration {
  readonly findings: readonly Finding[];
  /** Notices: wasteful or unusual behaviour, and faults that did not show again when they were played again. */
  readonly notices: readonly Finding[];
  readonly coverage: Coverage;
  readonly plans: number;
  /** Runs of all kinds: clean ones, plans, and those that confirm and shrink. */
  readonly runs: number;
  readonly seconds: number;
  readonly seed: number;
  readonly ended: Ending;
  /** Why it could not continue, if `ended` is `failed`: the result has the findings until then. */
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
