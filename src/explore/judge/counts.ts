/**
 * How often objects are made and deleted in a run.
 *
 * @module
 */
import type { Actor, Trace } from "../contract/trace.ts";
import type { Identity, RunNames } from "./names.ts";
import { isProgram } from "./suspect.ts";

/** The lives of the objects of one identity. */
export interface Count {
  readonly identity: Identity;
  creates: number;
  /** Deletions by all actors; a deletion counts when it begins. */
  deletes: number;
  /** Deletions by all actors but the user. */
  deletesByOthers: number;
  readonly byProgram: Map<Actor, number>;
  /** The deletions by programs, with their steps. */
  readonly programDeletes: { readonly actor: Actor; readonly seq: number; readonly step: number }[];
  /** The last deletion by an actor other than the user. */
  lastDeleteByOthers?: { readonly actor: Actor; readonly seq: number };
  /** The entry of the last create. */
  lastCreate: number;
  /** The number of objects at the same time that were not being deleted, by the step. */
  readonly peaks: Map<number, number>;
}

/** The maximum number at the same time in a step, or in the whole run. */
export const peakOf = ({ peaks }: Count, step?: number): number =>
  step === undefined ? Math.max(0, ...peaks.values()) : (peaks.get(step) ?? 0);

/** The number of deletions by programs in a step. */
export const deletesIn = ({ programDeletes }: Count, step: number): number =>
  programDeletes.filter((one) => one.step === step).length;

/** Counts creates and deletions by the key of the identity. */
export function countsOf(trace: Trace, names: RunNames): ReadonlyMap<string, Count> {
  const counts = new Map<string, Count>();
  let step = -1;
  const living = new Map<string, Set<string>>();
  const ending = new Set<string>();
  for (const entry of trace) {
    if (entry.type === "step" && entry.phase === "begun") {
      step = entry.step;
      for (const [key, alive] of living) counts.get(key)!.peaks.set(step, alive.size);
    }
    if (entry.type !== "change") continue;
    const identity = names.identity(entry.object);
    let count = counts.get(identity.key);
    if (!count) {
      count = {
        identity,
        creates: 0,
        deletes: 0,
        deletesByOthers: 0,
        byProgram: new Map(),
        programDeletes: [],
        lastCreate: -1,
        peaks: new Map(),
      };
      counts.set(identity.key, count);
      living.set(identity.key, new Set());
    }
    const alive = living.get(identity.key)!;
    if (entry.change === "created") {
      count.creates++;
      count.lastCreate = entry.seq;
      alive.add(entry.uid);
    } else if (entry.change === "deleted" || entry.after.metadata.deletionTimestamp !== undefined) {
      alive.delete(entry.uid);
      if (!ending.has(entry.uid)) countDelete(count, entry.actor, entry.seq, step);
      ending.add(entry.uid);
    } else alive.add(entry.uid);
    count.peaks.set(step, Math.max(count.peaks.get(step) ?? 0, alive.size));
  }
  return counts;
}

function countDelete(count: Count, actor: Actor, seq: number, step: number): void {
  count.deletes++;
  if (actor === "user") return;
  count.deletesByOthers++;
  count.lastDeleteByOthers = { actor, seq };
  if (!isProgram(actor)) return;
  count.byProgram.set(actor, (count.byProgram.get(actor) ?? 0) + 1);
  count.programDeletes.push({ actor, seq, step });
}
