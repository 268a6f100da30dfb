/**
 * Cuts clean runs for a run whose quiet at the end is shorter, since elections would renew a Lease all the time.
 *
 * @module
 */
import { isAside } from "../aside.ts";
import type { RunRecord } from "../contract/laboratory.ts";
import type { StoredObject } from "../contract/state.ts";
import type { StepEntry, Trace } from "../contract/trace.ts";

/** The last step where all of it is played: the quiet at the end, or the last step of the user in a brief run. */
function lastStep(trace: Trace): { readonly begun: StepEntry; readonly quiet: StepEntry } | undefined {
  const last = (phase: StepEntry["phase"]) =>
    trace.findLast((entry): entry is StepEntry => entry.type === "step" && entry.phase === phase);
  const [begun, quiet] = [last("begun"), last("quiet")];
  return begun && quiet && begun.step === quiet.step ? { begun, quiet } : undefined;
}

/** The duration of the last step of a run, with its step; undefined where it was not played to its end. */
export function quietOf({ trace }: RunRecord): { readonly step: number; readonly millis: number } | undefined {
  const last = lastStep(trace);
  return last && { step: last.begun.step, millis: last.quiet.at - last.begun.at };
}

/** A run as it would be if its last step had taken less time. */
export function withQuiet(run: RunRecord, millis: number): RunRecord {
  const last = lastStep(run.trace);
  const state = run.states.at(-1);
  if (!last || state?.step !== last.begun.step || last.quiet.at - last.begun.at <= millis) return run;
  const at = last.begun.at + millis;
  const before = run.trace.filter((entry) => entry.seq <= last.begun.seq || entry.at <= at);
  const objects = new Map<string, StoredObject>();
  for (const object of run.states.at(-2)?.state.objects ?? []) objects.set(object.metadata.uid, object);
  for (const entry of before) {
    if (entry.type !== "change" || entry.seq < last.begun.seq) continue;
    if (entry.change === "deleted" || isAside(entry.object, entry.after)) objects.delete(entry.uid);
    else objects.set(entry.uid, entry.after);
  }
  return {
    ...run,
    trace: [...before, { ...last.quiet, seq: before.length, at }],
    states: [...run.states.slice(0, -1), { ...state, state: { ...state.state, objects: [...objects.values()] } }],
  };
}
