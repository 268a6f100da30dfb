/**
 * Comparisons of operations: an object that was changed to a state, and one that was made in it at once.
 *
 * @module
 */
import type { Fault } from "./contract/finding.ts";
import type { MakeJudge } from "./contract/judge.ts";
import type { Comparison, RunRecord } from "./contract/laboratory.ts";
import type { Findings } from "./findings.ts";
import { seedOf } from "./plans/hash.ts";
import { faultOf, ifPlayed, Reference, type Runs } from "./runs.ts";

/** The parts with which comparisons are made. */
export interface CompareOptions {
  readonly runs: Runs;
  readonly makeJudge: MakeJudge;
  readonly findings: Findings;
  readonly seed: number;
  /** Called when both orders are played, before anything is reported. */
  readonly onPlayed: (isRefused: boolean) => void;
}

/** Plays the two orders of a comparison, and reports what clean runs of them show, and what differs in the end. */
export async function compare(comparison: Comparison, options: CompareOptions): Promise<void> {
  const { runs, makeJudge, findings, onPlayed } = options;
  const seed = seedOf(options.seed, comparison.name);
  const both = async (of: number): Promise<readonly [RunRecord, RunRecord] | undefined> => {
    const fresh = await runs.play({ seed: seedOf(seed, of), plan: [], steps: comparison.fresh });
    const changed = fresh && (await runs.play({ seed: seedOf(seed, of), plan: [], steps: comparison.changed }));
    return changed && [fresh, changed];
  };
  const played = await both(0);
  if (!played) return;
  const [fresh, changed] = played;
  const references = [fresh, changed].map((run) => new Reference(makeJudge, [run]));
  const isRefused = references.some(({ stepFailed }) => stepFailed);
  onPlayed(isRefused);
  if (isRefused) return;
  await findings.reportClean(references[0]!, comparison.fresh);
  await findings.reportClean(references[1]!, comparison.changed);
  const differs = (a: RunRecord, b: RunRecord): readonly Fault[] =>
    references[0]!.judge.compare(a, b, comparison).filter((fault) => findings.isNew(fault));
  if (differs(fresh, changed).length === 0) return;
  const others = [await ifPlayed(both(1)), await ifPlayed(both(2))].flatMap((pair) => (pair ? [pair] : []));
  for (const fault of differs(fresh, changed)) {
    // Members that differ between two runs of the same steps differ by chance.
    const isChance = others.some(([f, c]) => faultOf(differs(fresh, f), fault) ?? faultOf(differs(changed, c), fault));
    if (isChance || !findings.claim(fault)) continue;
    const shown = others.filter((pair) => faultOf(references[0]!.judge.compare(...pair, comparison), fault)).length;
    const order = { seed: changed.order.seed, plan: [], steps: comparison.changed };
    await findings.report({ order, fault }, changed, { shown: shown + 1, of: others.length + 1 }, fresh);
  }
}
