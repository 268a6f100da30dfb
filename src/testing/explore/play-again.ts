/**
 * Plays the run of a finding again, and says how often it shows the same fault.
 *
 * @module
 */
import type { Fault, Finding } from "../../explore/contract/finding.ts";
import type { MakeJudge } from "../../explore/contract/judge.ts";
import type { Laboratory, RunOrder, RunRecord } from "../../explore/contract/laboratory.ts";
import { CoverageCounter } from "../../explore/coverage.ts";
import type { Exploration } from "../../explore/explore.ts";
import { References, Runs, faultOf } from "../../explore/runs.ts";
import type { Clock } from "../../util/clock.ts";

/** How a finding is played again. */
export interface PlayAgainOptions {
  /** How often. */
  readonly times: number;
  readonly clock: Pick<Clock, "steady">;
  readonly signal: AbortSignal;
  readonly onRun?: (played: number, shown: number) => void;
}

/** The order of the run of a finding. */
export const orderOf = ({ seed, plan, steps }: Finding): RunOrder => ({ seed, plan, ...(steps && { steps }) });

/** Plays the run of a finding again; the result has the finding where it has shown at least once. @throws LaboratoryError */
export async function playAgain(
  lab: Laboratory,
  makeJudge: MakeJudge,
  finding: Finding,
  { times, clock, signal, onRun }: PlayAgainOptions,
): Promise<Exploration> {
  const runs = new Runs(lab, { clock, budgetMillis: Number.POSITIVE_INFINITY, signal });
  const reference = await new References(runs, makeJudge, finding.seed).of(freshSteps(lab, finding) ?? finding.steps);
  let [played, shown] = [0, 0];
  let seen: { readonly fault: Fault; readonly record: RunRecord } | undefined;
  while (reference && played < times) {
    const batch = Array.from({ length: Math.min(lab.parallel, times - played) }, () => runs.play(orderOf(finding)));
    for (const record of await Promise.all(batch)) {
      if (!record) continue;
      const fault = faultOf(faultsOf(lab, reference, record, finding), finding.fault);
      played++;
      if (fault) shown++;
      if (fault) seen ??= { fault, record };
    }
    onRun?.(played, shown);
    if (signal.aborted) break;
  }
  const found = seen && { ...finding, fault: seen.fault, replayed: { shown, of: played } };
  const clean = reference?.runs[0];
  return {
    findings: found ? [found] : [],
    notices: [],
    // Nothing is looked for.
    coverage: { ...new CoverageCounter([], [], lab.perturbations, 0).coverage, sentences: [], cannot: [] },
    plans: played,
    runs: runs.count,
    seconds: runs.millis / 1000,
    seed: finding.seed,
    ended: signal.aborted ? "cancelled" : reference?.stepFailed ? "step-failed" : "done",
    clean: reference?.runs ?? [],
    evidence: new Map(found && clean ? [[found, { clean, run: seen!.record }]] : []),
  };
}

/** The steps that make an object at once, where a finding compares them with its own. */
const freshSteps = ({ scenario }: Laboratory, { fault, steps }: Finding): readonly number[] | undefined =>
  fault.kind === "remembers" ? comparisonOf(scenario, steps)?.fresh : undefined;

const comparisonOf = ({ comparisons }: Laboratory["scenario"], steps: readonly number[] | undefined) =>
  comparisons.find(({ changed }) => changed.join() === steps?.join());

function faultsOf(
  lab: Laboratory,
  { judge, runs }: { readonly judge: ReturnType<MakeJudge>; readonly runs: readonly RunRecord[] },
  record: RunRecord,
  { fault, plan, steps }: Finding,
): readonly Fault[] {
  const comparison = fault.kind === "remembers" ? comparisonOf(lab.scenario, steps) : undefined;
  if (comparison) return judge.compare(runs[0]!, record, comparison);
  return [...judge.faults(record), ...(plan.length === 0 ? judge.cleanFaults() : [])];
}
