import fc from "fast-check";
import { expect, test } from "vitest";
import type { PersistentVolume, PersistentVolumeClaim } from "../client/kinds/index.ts";
import { kubernetes } from "../meta/dialect.ts";
import { compareQuantities } from "../meta/quantity.ts";
import { binderNames } from "./annotations.ts";
import { AvailableVolumes, isBetter } from "./available-volumes.ts";
import { capacityOf, covers, fits, modesText, bucketOf } from "./fit.ts";
import { someClaim, someVolume } from "./testing/arbitraries.ts";

const names = binderNames(kubernetes);
const nameOf = (volume: PersistentVolume | undefined): string | undefined => volume?.metadata.name;
const modesOf = (volume: PersistentVolume): number => volume.spec.accessModes!.length;

/** Volumes that were set and deleted one after the other, and those that are left, found by a scan. */
const history = fc.array(fc.record({ volume: someVolume, isTaken: fc.boolean() })).map((steps) => {
  const available = new AvailableVolumes(names);
  const left = new Map<string, PersistentVolume>();
  for (const { volume, isTaken } of steps) {
    const { name } = volume.metadata;
    if (isTaken) available.delete(name);
    else available.set(volume);
    if (isTaken) left.delete(name);
    else left.set(name, volume);
  }
  return { available, left: [...left.values()] };
});

const fitting = (left: readonly PersistentVolume[], claim: PersistentVolumeClaim): PersistentVolume[] =>
  left.filter(
    (one) => bucketOf(one, names) === bucketOf(claim, names) && covers(modesText(one), claim) && fits(one, claim),
  );

const bySize = (a: PersistentVolume, b: PersistentVolume): number =>
  compareQuantities(capacityOf(a), capacityOf(b)) || (nameOf(a)! < nameOf(b)! ? -1 : 1);

const byModes = (a: PersistentVolume, b: PersistentVolume): number => {
  const [x, y] = [modesText(a), modesText(b)];
  return modesOf(a) - modesOf(b) || (x === y ? 0 : x < y ? -1 : 1);
};

test("CTL-BIND-12: the best volume has the fewest access modes, and is the smallest of those", () => {
  fc.assert(
    fc.property(history, someClaim, ({ available, left }, claim) => {
      const best = fitting(left, claim).toSorted((a, b) => byModes(a, b) || bySize(a, b));
      expect(nameOf(available.best(claim))).toBe(nameOf(best[0]));
      expect(available.size).toBe(left.length);
      for (const other of best.slice(1))
        expect([isBetter(best[0]!, other), isBetter(other, best[0]!)]).toEqual([true, false]);
    }),
    { numRuns: 500 },
  );
});

test("SCHED-24: the smallest volume that is accepted is found among those of all access modes", () => {
  fc.assert(
    fc.property(history, someClaim, fc.constantFrom("a", "b", "c", "none"), ({ available, left }, claim, refused) => {
      const accepts = (volume: PersistentVolume): boolean => nameOf(volume) !== refused;
      const smallest = fitting(left, claim).filter(accepts).toSorted(bySize);
      expect(nameOf(available.smallest(claim, bucketOf(claim, names), accepts))).toBe(nameOf(smallest[0]));
    }),
    { numRuns: 500 },
  );
});
