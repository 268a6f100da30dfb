/**
 * Plays a finding again.
 *
 * @module
 */
import type { Fault, Finding } from "../../explore/contract/finding.ts";
import type { MakeJudge } from "../../explore/contract/judge.ts";
import type { Laboratory, RunOrder, RunRecord } from "../../explore/contract/laboratory.ts";

/** What became of a finding that was played again. */
export interface Replayed {
  /** In how many runs it showed. */
  readonly shown: number;
  readonly of: number;
  /** The fault as the last run that showed it has it. */
  readonly fault?: Fault;
  /** A run that showed it, or else the last one. */
  readonly run: RunRecord;
  readonly clean: RunRecord;
}

const CLEAN_RUNS = 3;
/** What the seeds of clean runs are apart. */
const STRIDE = 0x9e3779b1;

/**
 * Plays a finding again, after clean runs of the same steps.
 *
 * @param times how often; 1 by default
 * @throws Error where a run cannot be played
 */
export async function replayFinding(
  lab: Laboratory,
  makeJudge: MakeJudge,
  { seed, plan, steps, fault: { key } }: Pick<Finding, "seed" | "plan" | "steps" | "fault">,
  times = 1,
): Promise<Replayed> {
  const some = steps && { steps };
  const comparison = steps && lab.scenario.comparisons.find(({ changed }) => `${changed}` === `${steps}`);
  const isCompared = plan.length === 0 && comparison !== undefined;
  const cleanOrder = (i: number): RunOrder => {
    const own = (seed + Math.imul(STRIDE, i + 1)) >>> 0;
    return { seed: own, plan: [], ...(isCompared ? { steps: comparison.fresh } : some) };
  };
  const clean: RunRecord[] = [];
  for (let i = 0; i < CLEAN_RUNS; i++) clean.push(await lab.run(cleanOrder(i)));
  const judge = makeJudge(clean);
  const faultsOf = (run: RunRecord): readonly Fault[] => {
    if (isCompared) return [...judge.compare(clean[0]!, run, comparison), ...makeJudge([run]).cleanFaults()];
    return plan.length === 0 ? makeJudge([run]).cleanFaults() : judge.faults(run);
  };
  let [shown, of] = [0, 0];
  let fault: Fault | undefined;
  let run: RunRecord | undefined;
  for (; of < times; of++) {
    const played = await lab.run({ seed, plan, ...some });
    const found = faultsOf(played).find((one) => one.key === key);
    if (found) shown++;
    if (found || !fault) run = played;
    fault = found ?? fault;
  }
  return { shown, of, run: run!, clean: clean[0]!, ...(fault && { fault }) };
}
