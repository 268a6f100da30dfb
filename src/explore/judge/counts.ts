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
  /** Deletions by anybody; a deletion counts when it begins. */
  deletes: number;
  /** Deletions by anybody but the user. */
  deletesByOthers: number;
  readonly byProgram: Map<Actor, number>;
  /** The last deletion by a program. */
  lastDelete?: { readonly actor: Actor; readonly seq: number };
  /** The last deletion by anybody but the user. */
  lastDeleteByOthers?: { readonly actor: Actor; readonly seq: number };
  /** The entry of the last create. */
  lastCreate: number;
  /** How many there were at once that were not being deleted. */
  peak: number;
}

/** Counts creates and deletions by the key of the identity. */
export function countsOf(trace: Trace, names: RunNames): ReadonlyMap<string, Count> {
  const counts = new Map<string, Count>();
  const living = new Map<string, Set<string>>();
  const ending = new Set<string>();
  for (const entry of trace) {
    if (entry.type !== "change") continue;
    const identity = names.identity(entry.object);
    let count = counts.get(identity.key);
    if (!count) {
      count = { identity, creates: 0, deletes: 0, deletesByOthers: 0, byProgram: new Map(), lastCreate: -1, peak: 0 };
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
      if (!ending.has(entry.uid)) countDelete(count, entry.actor, entry.seq);
      ending.add(entry.uid);
    } else alive.add(entry.uid);
    count.peak = Math.max(count.peak, alive.size);
  }
  return counts;
}

function countDelete(count: Count, actor: Actor, seq: number): void {
  count.deletes++;
  if (actor === "user") return;
  count.deletesByOthers++;
  count.lastDeleteByOthers = { actor, seq };
  if (!isProgram(actor)) return;
  count.byProgram.set(actor, (count.byProgram.get(actor) ?? 0) + 1);
  count.lastDelete = { actor, seq };
}
