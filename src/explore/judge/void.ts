/**
 * Runs that prove nothing from a step on: the user continued before the programs could follow.
 * A user waits for the requested objects. A plan continues with the next step while watches are held, a program is down, or it waits before
 * it retries a refused request. If that step is then refused because it needs an object that does not exist yet, a user would not have done
 * it.
 *
 * @module
 */
import type { Complaint, RunRecord } from "../contract/laboratory.ts";
import type { RequestEntry, StepEntry } from "../contract/trace.ts";
import { type Disturbance, Periods } from "./periods.ts";

/** A run up to its first step that is void. */
export interface SoundRun {
  readonly run: RunRecord;
  /** Whether it is a part only. */
  readonly isCut: boolean;
  /** Whether a program waits at the end before it retries a refused request, and is excused. */
  readonly isWaiting: boolean;
}

/** Returns a run up to the first step that is void; all of it where none is. */
export function withoutVoidSteps(run: RunRecord): SoundRun {
  const whole = { run, isCut: false, isWaiting: false };
  const refused = run.complaints.filter((complaint) => complaint.type === "step-failed");
  if (refused.length === 0) return whole;
  const waits = waitsOf(run);
  const disturbances = [...new Periods(run).disturbances, ...waits];
  const begins = run.trace.filter((entry) => entry.type === "step" && entry.phase === "begun");
  const first = begins.find(
    (entry) =>
      entry.type === "step" &&
      refused.some(({ step }) => step === entry.step) &&
      disturbances.some((one) => isWithin(one, entry)),
  );
  if (first?.type !== "step") return whole;
  const later = new Set(begins.flatMap((entry) => (entry.type === "step" && entry.seq >= first.seq ? entry.step : [])));
  const isBefore = (complaint: Complaint): boolean =>
    "step" in complaint ? !later.has(complaint.step) : "seq" in complaint && complaint.seq < first.seq;
  const part: RunRecord = {
    ...run,
    trace: run.trace.slice(0, first.seq),
    states: run.states.filter(({ step }) => !later.has(step)),
    complaints: run.complaints.filter(isBefore),
    restlessWrites: 0,
  };
  return { run: part, isCut: true, isWaiting: waits.some((one) => isWithin(one, first)) };
}

type Period = Pick<Disturbance, "from" | "to" | "endedAt">;

/** Whether a step begins in a period, or at the moment of its end: no program could follow yet. */
const isWithin = ({ from, to, endedAt }: Period, { seq, at }: StepEntry): boolean =>
  from < seq && (to > seq || endedAt >= at);

/** The times from a request that was refused by the plan until it was sent again; none where a program gave it up. */
function waitsOf({ trace, order }: RunRecord): readonly Period[] {
  const found: Period[] = [];
  const refused = new Map<string, number>();
  for (const entry of trace) {
    if (entry.type !== "request") continue;
    const key = requestText(entry);
    const from = refused.get(key);
    if (from !== undefined) found.push({ from, to: entry.seq, endedAt: entry.at });
    const isRefused = entry.perturbation !== undefined && order.plan[entry.perturbation]?.type === "refused";
    if (isRefused) refused.set(key, entry.seq);
    else refused.delete(key);
  }
  return found;
}

const requestText = ({ actor, verb, object, subresource, generateName }: RequestEntry): string =>
  JSON.stringify([actor, verb, object.group, object.kind, object.namespace, object.name, subresource, generateName]);
