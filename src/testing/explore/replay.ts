/**
 * Plays the run of a finding again, and counts how often it shows the same fault.
 *
 * @module
 */
import type { Fault, Finding } from "../../explore/contract/finding.ts";
import type { MakeJudge } from "../../explore/contract/judge.ts";
import type { Laboratory, RunOrder, RunRecord } from "../../explore/contract/laboratory.ts";
import { CoverageCounter } from "../../explore/coverage.ts";
import type { Exploration } from "../../explore/exploration.ts";
import { References, Runs, faultOf } from "../../explore/runs.ts";
import { type Clock, systemClock } from "../../util/clock.ts";

/** How a finding is played again. */
export interface ReplayOptions {
  /** The number of runs; 1 by default. */
  readonly times?: number;
  readonly clock?: Pick<Clock, "steady">;
  readonly signal?: AbortSignal;
  readonly onRun?: (played: number, shown: number) => void;
}

/** The result of a finding that was played again. */
export interface Replayed {
  /** In how many runs it showed. */
  readonly shown: number;
  /** The number of played runs: fewer than requested if it was cancelled. */
  readonly of: number;
  /** The fault as the first run that showed it has it. */
  readonly fault?: Fault;
  /** A run that showed it, or else the last one. */
  readonly run?: RunRecord;
  readonly clean: readonly RunRecord[];
  /** Whether a step is refused without a plan. */
  readonly stepFailed: boolean;
  /** Runs of all kinds, and the time that they took. */
  readonly runs: number;
  readonly millis: number;
}

/** The data about its run in a finding. */
export type Replayable = Pick<Finding, "seed" | "plan" | "steps" | "fault">;

/** How often a finding is played again before it is trusted: more often where runs differ. */
export const replaysOf = ({ deterministic }: Pick<Laboratory, "deterministic">): number => (deterministic ? 3 : 10);

/** The order of the run of a finding. */
export const orderOf = ({ seed, plan, steps }: Replayable): RunOrder => ({ seed, plan, ...(steps && { steps }) });

/** Plays a finding again, after clean runs of the same steps. @throws LaboratoryError */
export async function replayFinding(
  lab: Laboratory,
  makeJudge: MakeJudge,
  finding: Replayable,
  { times = 1, clock = systemClock, signal = NEVER, onRun }: ReplayOptions = {},
): Promise<Replayed> {
  const runs = new Runs(lab, { clock, budgetMillis: Number.POSITIVE_INFINITY, signal });
  const { plan, steps, fault: sought } = finding;
  const isCompared = plan.length === 0 ? lab.scenario.comparisons : [];
  const comparison = isCompared.find(({ changed }) => changed.join() === steps?.join());
  const reference = await new References(runs, makeJudge, finding.seed).of(comparison?.fresh ?? steps);
  const faultsOf = (run: RunRecord): readonly Fault[] => {
    const own = plan.length === 0 ? makeJudge([run]).cleanFaults() : [];
    if (comparison) return [...reference!.judge.compare(reference!.runs[0]!, run, comparison), ...own];
    return [...reference!.judge.faults(run), ...own];
  };
  let [shown, of] = [0, 0];
  let fault: Fault | undefined;
  let run: RunRecord | undefined;
  while (reference && of < times && !signal.aborted) {
    const batch = Array.from({ length: Math.min(lab.parallel, times - of) }, () => runs.play(orderOf(finding)));
    for (const record of await Promise.all(batch)) {
      if (!record) continue;
      const found = faultOf(faultsOf(record), sought);
      of++;
      if (found) shown++;
      if (!fault) run = record;
      fault ??= found;
    }
    onRun?.(of, shown);
  }
  return {
    shown,
    of,
    ...(fault && { fault }),
    ...(run && { run }),
    clean: reference?.runs ?? [],
    stepFailed: reference?.stepFailed === true,
    runs: runs.count,
    millis: runs.millis,
  };
}

const NEVER = new AbortController().signal;

/** A finding that was played again as a result that can be reported: with the finding where it has shown at least once. */
export function replayedExploration(
  { perturbations }: Pick<Laboratory, "perturbations">,
  finding: Finding,
  { shown, of, fault, run, clean, stepFailed, runs, millis }: Replayed,
  times: number,
): Exploration {
  const found = fault && { ...finding, fault, replayed: { shown, of } };
  const [first, ...otherClean] = clean;
  return {
    findings: found ? [found] : [],
    notices: [],
    // Nothing is explored.
    coverage: { ...new CoverageCounter([], [], perturbations, 0).coverage, sentences: [], cannot: [] },
    plans: of,
    runs,
    seconds: millis / 1000,
    seed: finding.seed,
    ended: stepFailed ? "step-failed" : of < times ? "cancelled" : "replayed",
    clean,
    evidence: new Map(found && first ? [[found, { clean: first, otherClean, run: run! }]] : []),
  };
}
