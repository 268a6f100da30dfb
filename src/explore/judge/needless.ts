/**
 * Objects that a program deletes, and does not delete without the perturbation.
 *
 * - A claim of storage that an actor other than the user deletes more often than in any clean run: its data is lost.
 * - An object that a program deletes more often, and that is created again: needless, whatever the final state is.
 * - One of several with generated names, while there were more of them at once than in any clean run, or in that step of any: it was made
 *   twice, and put right.
 *
 * Deletions by others count, too: where the collector deletes an object in a clean run, a program may do it instead.
 *
 * @module
 */
import { type Count, deletesIn, peakOf } from "./counts.ts";
import type { Identity } from "./names.ts";
import type { Suspect } from "./suspect.ts";

type Counts = ReadonlyMap<string, Count>;

interface Judged {
  readonly onlyData: boolean;
  readonly stepAt: (seq: number) => number;
}

/** Compares the counts of a run with those of clean runs. */
export function needlessDeletes(
  clean: readonly Counts[],
  run: Counts,
  isJudged: (identity: Identity) => boolean,
  { onlyData, stepAt }: Judged,
): readonly Suspect[] {
  const suspects: Suspect[] = [];
  for (const [key, count] of run) {
    if (!isJudged(count.identity)) continue;
    const most = (of: (count: Count) => number): number =>
      Math.max(0, ...clean.map((counts) => (counts.has(key) ? of(counts.get(key)!) : 0)));
    if (count.deletes <= most(({ deletes }) => deletes)) continue;
    const suspect = judgeCount(count, most, { onlyData, stepAt });
    if (suspect) suspects.push({ ...suspect, identity: count.identity, step: stepAt(suspect.seq!) });
  }
  return suspects;
}

type Found = Omit<Suspect, "identity" | "step">;

function judgeCount(
  count: Count,
  most: (of: (count: Count) => number) => number,
  { onlyData, stepAt }: Judged,
): Found | undefined {
  const isSurplusIn = (step?: number): boolean => {
    const peak = most((clean) => peakOf(clean, step));
    return peak > 0 && peakOf(count, step) > peak;
  };
  const isSurplus = (seq: number): boolean =>
    count.identity.name.includes("*") && (isSurplusIn() || isSurplusIn(stepAt(seq)));
  const isClaim = count.identity.group === "" && count.identity.kind === "PersistentVolumeClaim";
  const byOthers = count.lastDeleteByOthers;
  if (
    isClaim &&
    byOthers &&
    !isSurplus(byOthers.seq) &&
    count.deletesByOthers > most(({ deletesByOthers }) => deletesByOthers)
  )
    return { kind: "data-lost", severity: "fault", seq: byOthers.seq, actors: [byOthers.actor] };
  const { programDeletes } = count;
  const isMore = ({ step }: { readonly step: number }): boolean =>
    deletesIn(count, step) > most((clean) => deletesIn(clean, step));
  const byProgram = programDeletes.findLast(isMore) ?? programDeletes.at(-1);
  if (onlyData || !byProgram) return undefined;
  const more = [...count.byProgram].find(([actor, times]) => times > most(({ byProgram: by }) => by.get(actor) ?? 0));
  if (!more) return undefined;
  const found = { seq: byProgram.seq, actors: [more[0]] };
  if (isSurplus(byProgram.seq)) return { kind: "made-twice", severity: "notice", ...found };
  return count.creates > most(({ creates }) => creates) && count.lastCreate > byProgram.seq
    ? { kind: "deleted-needlessly", severity: "fault", ...found }
    : undefined;
}
