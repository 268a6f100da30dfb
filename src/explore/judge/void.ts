/**
 * Runs that say nothing from a step on: the user went on before the programs could follow.
 *
 * A user waits until what was asked for is there. A plan goes on to the next step while watches are held or a program is down; where that
 * step is then refused, as it needs what is not there yet, it is not what the user would have done.
 *
 * @module
 */
import type { Complaint, RunRecord } from "../contract/laboratory.ts";
import { Periods } from "./periods.ts";

/** Returns a run up to the first step that is void; the run itself where none is. */
export function withoutVoidSteps(run: RunRecord): RunRecord {
  const refused = run.complaints.filter((complaint) => complaint.type === "step-failed");
  if (refused.length === 0) return run;
  const { disturbances } = new Periods(run);
  const begins = run.trace.filter((entry) => entry.type === "step" && entry.phase === "begun");
  const first = begins.find(
    (entry) =>
      entry.type === "step" &&
      refused.some(({ step }) => step === entry.step) &&
      disturbances.some(({ from, to }) => from < entry.seq && to > entry.seq),
  );
  if (first?.type !== "step") return run;
  const later = new Set(begins.flatMap((entry) => (entry.type === "step" && entry.seq >= first.seq ? entry.step : [])));
  const isBefore = (complaint: Complaint): boolean =>
    "step" in complaint ? !later.has(complaint.step) : "seq" in complaint && complaint.seq < first.seq;
  return {
    ...run,
    trace: run.trace.slice(0, first.seq),
    states: run.states.filter(({ step }) => !later.has(step)),
    complaints: run.complaints.filter(isBefore),
    restlessWrites: 0,
  };
}
