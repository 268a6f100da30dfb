/**
 * An index of the available volumes: the best one for a claim is found without a look at all of them.
 *
 * A shelf holds volumes of one class, volumeMode and attributes class; on it those of equal access modes stand in the order of
 * their sizes. The best is of the fewest access modes, then the smallest that is large enough (CTL-BIND-12).
 *
 * @module
 */
import type { PersistentVolume, PersistentVolumeClaim } from "../client/kinds/index.ts";
import { compareQuantities } from "../meta/quantity.ts";
import { capacityOf, covers, fits, modesText, requestOf, shelfOf } from "./fit.ts";
import type { BinderNames } from "./annotations.ts";

interface Standing {
  readonly name: string;
  readonly size: string;
  readonly volume: PersistentVolume;
}

/** By access modes. */
type Shelf = Map<string, Standing[]>;

/** The index; see the head of this file. */
export class AvailableVolumes {
  readonly #names: BinderNames;
  readonly #shelves = new Map<string, Shelf>();
  /** Where each volume stands. */
  readonly #places = new Map<string, { readonly shelf: string; readonly modes: string; readonly standing: Standing }>();

  constructor(names: BinderNames) {
    this.#names = names;
  }

  /** Adds a volume, in place of what was known of it. */
  put(volume: PersistentVolume): void {
    const { name } = volume.metadata;
    this.take(name);
    const place = { shelf: shelfOf(volume, this.#names), modes: modesText(volume) };
    const standing = { name, size: capacityOf(volume), volume };
    const shelf = this.#shelves.get(place.shelf) ?? new Map<string, Standing[]>();
    const row = shelf.get(place.modes) ?? [];
    this.#shelves.set(place.shelf, shelf.set(place.modes, row));
    row.splice(lowerBound(row, standing), 0, standing);
    this.#places.set(name, { ...place, standing });
  }

  /** Removes a volume, if it is there. */
  take(name: string): void {
    const place = this.#places.get(name);
    if (!place) return;
    this.#places.delete(name);
    const shelf = this.#shelves.get(place.shelf)!;
    const row = shelf.get(place.modes)!;
    row.splice(lowerBound(row, place.standing), 1);
    if (row.length === 0) shelf.delete(place.modes);
    if (shelf.size === 0) this.#shelves.delete(place.shelf);
  }

  /** How many volumes there are. */
  get size(): number {
    return this.#places.size;
  }

  /**
   * The smallest volume for a claim among those that fit it and are accepted, whatever its access modes (SCHED-24).
   *
   * @param shelf {@link shelfOf} the claim, for those who ask often
   */
  smallest(
    claim: PersistentVolumeClaim,
    shelf: string,
    accepts: (volume: PersistentVolume) => boolean,
  ): PersistentVolume | undefined {
    let smallest: Standing | undefined;
    const least = { name: "", size: requestOf(claim) };
    for (const [modes, row] of this.#shelves.get(shelf) ?? []) {
      if (!covers(modes, claim)) continue;
      for (let i = lowerBound(row, least); i < row.length; i++) {
        const one = row[i]!;
        if (smallest && !isBefore(one, smallest)) break;
        if (fits(one.volume, claim) && accepts(one.volume)) smallest = one;
      }
    }
    return smallest?.volume;
  }

  /** The best volume for a claim among those that fit it. */
  best(claim: PersistentVolumeClaim): PersistentVolume | undefined {
    const shelf = this.#shelves.get(shelfOf(claim, this.#names));
    if (!shelf) return undefined;
    const rows = [...shelf].filter(([modes]) => covers(modes, claim)).toSorted(([a], [b]) => byModes(a, b));
    const least = { name: "", size: requestOf(claim) };
    for (const [, row] of rows) {
      for (let i = lowerBound(row, least); i < row.length; i++) if (fits(row[i]!.volume, claim)) return row[i]!.volume;
    }
    return undefined;
  }
}

/** Whether of two volumes that fit a claim the first is given to it. */
export function isBetter(a: PersistentVolume, b: PersistentVolume): boolean {
  const [modes, others] = [modesText(a), modesText(b)];
  return modes === others ? isBefore(placed(a), placed(b)) : byModes(modes, others) < 0;
}

const placed = (volume: PersistentVolume): Pick<Standing, "name" | "size"> => ({
  name: volume.metadata.name,
  size: capacityOf(volume),
});

const byModes = (a: string, b: string): number => a.split(" ").length - b.split(" ").length || (a < b ? -1 : 1);

/** The place of the first that is not before `wanted`. */
function lowerBound(row: readonly Standing[], wanted: Pick<Standing, "name" | "size">): number {
  let [from, to] = [0, row.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isBefore(row[middle]!, wanted)) from = middle + 1;
    else to = middle;
  }
  return from;
}

function isBefore(a: Pick<Standing, "name" | "size">, b: Pick<Standing, "name" | "size">): boolean {
  const order = compareQuantities(a.size, b.size);
  return order === 0 ? a.name < b.name : order < 0;
}
