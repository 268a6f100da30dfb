import type { PersistentVolume, PersistentVolumeClaim } from "../client/kinds/index.ts";
import { compareQuantities } from "../meta/quantity.ts";
import { capacityOf, covers, fits, modesText, requestOf, bucketOf } from "./fit.ts";
import type { BinderNames } from "./annotations.ts";

interface Entry {
  readonly name: string;
  readonly size: string;
  readonly volume: PersistentVolume;
}

type Bucket = Map<string, Entry[]>;

/**
 * An index of the available volumes, which finds the best one for a claim without a scan.
 *
 * A bucket contains the volumes of one class, volumeMode and attributes class. Within it, volumes of equal access modes
 * are sorted by size. The best volume has the fewest access modes, then the smallest sufficient size (CTL-BIND-12).
 */
export class AvailableVolumes {
  readonly #names: BinderNames;
  readonly #buckets = new Map<string, Bucket>();
  readonly #positions = new Map<string, { readonly bucket: string; readonly modes: string; readonly entry: Entry }>();

  constructor(names: BinderNames) {
    this.#names = names;
  }

  /** Adds a volume, or replaces it. */
  set(volume: PersistentVolume): void {
    const { name } = volume.metadata;
    this.delete(name);
    const position = { bucket: bucketOf(volume, this.#names), modes: modesText(volume) };
    const entry = { name, size: capacityOf(volume), volume };
    const bucket = this.#buckets.get(position.bucket) ?? new Map<string, Entry[]>();
    const entries = bucket.get(position.modes) ?? [];
    this.#buckets.set(position.bucket, bucket.set(position.modes, entries));
    entries.splice(lowerBound(entries, entry), 0, entry);
    this.#positions.set(name, { ...position, entry });
  }

  /** Removes a volume, if it is there. */
  delete(name: string): void {
    const position = this.#positions.get(name);
    if (!position) return;
    this.#positions.delete(name);
    const bucket = this.#buckets.get(position.bucket)!;
    const entries = bucket.get(position.modes)!;
    entries.splice(lowerBound(entries, position.entry), 1);
    if (entries.length === 0) bucket.delete(position.modes);
    if (bucket.size === 0) this.#buckets.delete(position.bucket);
  }

  get size(): number {
    return this.#positions.size;
  }

  /**
   * Returns the smallest accepted volume that fits a claim, whatever its access modes (SCHED-24).
   *
   * @param bucket {@link bucketOf} the claim, computed once by the caller
   */
  smallest(
    claim: PersistentVolumeClaim,
    bucket: string,
    accepts: (volume: PersistentVolume) => boolean,
  ): PersistentVolume | undefined {
    let smallest: Entry | undefined;
    const least = { name: "", size: requestOf(claim) };
    for (const [modes, entries] of this.#buckets.get(bucket) ?? []) {
      if (!covers(modes, claim)) continue;
      for (let i = lowerBound(entries, least); i < entries.length; i++) {
        const candidate = entries[i]!;
        if (smallest && !isBefore(candidate, smallest)) break;
        if (fits(candidate.volume, claim) && accepts(candidate.volume)) smallest = candidate;
      }
    }
    return smallest?.volume;
  }

  /** Returns the best volume that fits a claim. */
  best(claim: PersistentVolumeClaim): PersistentVolume | undefined {
    const bucket = this.#buckets.get(bucketOf(claim, this.#names));
    if (!bucket) return undefined;
    const candidates = [...bucket].filter(([modes]) => covers(modes, claim)).toSorted(([a], [b]) => byModes(a, b));
    const least = { name: "", size: requestOf(claim) };
    for (const [, entries] of candidates) {
      for (let i = lowerBound(entries, least); i < entries.length; i++)
        if (fits(entries[i]!.volume, claim)) return entries[i]!.volume;
    }
    return undefined;
  }
}

/** Whether the binder prefers volume `a` to volume `b` where both fit a claim. */
export function isBetter(a: PersistentVolume, b: PersistentVolume): boolean {
  const [modes, others] = [modesText(a), modesText(b)];
  return modes === others ? isBefore(sortKeyOf(a), sortKeyOf(b)) : byModes(modes, others) < 0;
}

const sortKeyOf = (volume: PersistentVolume): Pick<Entry, "name" | "size"> => ({
  name: volume.metadata.name,
  size: capacityOf(volume),
});

const byModes = (a: string, b: string): number => a.split(" ").length - b.split(" ").length || (a < b ? -1 : 1);

/** The position of the first entry that is not before `target`. */
function lowerBound(entries: readonly Entry[], target: Pick<Entry, "name" | "size">): number {
  let [from, to] = [0, entries.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isBefore(entries[middle]!, target)) from = middle + 1;
    else to = middle;
  }
  return from;
}

function isBefore(a: Pick<Entry, "name" | "size">, b: Pick<Entry, "name" | "size">): boolean {
  const order = compareQuantities(a.size, b.size);
  return order === 0 ? a.name < b.name : order < 0;
}
