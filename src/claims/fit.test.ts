import fc from "fast-check";
import { expect, test } from "vitest";
import type { PersistentVolume, PersistentVolumeClaim } from "../client/kinds/index.ts";
import { kubernetes } from "../meta/dialect.ts";
import { binderNames } from "./annotations.ts";
import {
  isAvailable,
  covers,
  fits,
  lostReason,
  mismatches,
  modesText,
  objections,
  bucketOf,
  shortcomings,
} from "./fit.ts";
import { someClaim, someVolume } from "./testing/arbitraries.ts";

test("CTL-BIND-12: a volume without objections is one that the binder would choose", () => {
  const names = binderNames(kubernetes);
  fc.assert(
    fc.property(someVolume, someClaim, (volume, claim) => {
      const isChosen =
        isAvailable(volume) &&
        bucketOf(volume, names) === bucketOf(claim, names) &&
        covers(modesText(volume), claim) &&
        fits(volume, claim);
      expect(objections(volume, claim, names).length === 0).toBe(isChosen);
    }),
    { numRuns: 500 },
  );
});

const claimOf = (spec: object = {}) =>
  ({
    metadata: { name: "c", namespace: "n", uid: "1" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } }, ...spec },
    status: {},
  }) as unknown as PersistentVolumeClaim;
const volumeOf = (spec: object = {}, metadata: object = {}) =>
  ({
    metadata: { name: "v", ...metadata },
    spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "2Gi" }, ...spec },
    status: {},
  }) as unknown as PersistentVolume;

test.each<[string, PersistentVolume, readonly string[]]>([
  ["nothing", volumeOf(), []],
  ["room", volumeOf({ capacity: { storage: "1Gi" } }), ["expected at least 2Gi, it has 1Gi"]],
  ["the mode", volumeOf({ volumeMode: "Block" }), ['expected volumeMode "Filesystem", it has "Block"']],
  [
    "the attributes",
    volumeOf({ volumeAttributesClassName: "gold" }),
    ['expected volumeAttributesClassName "", it has "gold"'],
  ],
  [
    "an access mode",
    volumeOf({ accessModes: ["ReadOnlyMany"] }),
    ["expected accessModes ReadWriteOnce, it has ReadOnlyMany"],
  ],
  ["a future", volumeOf({}, { deletionTimestamp: "2026-01-01T00:00:00Z" }), ["it is being deleted"]],
])("CTL-BIND-26, CTL-BIND-29: a volume that lacks %s says so", (_, volume, lacks) => {
  expect(shortcomings(volume, claimOf())).toEqual(lacks);
});

test("a volume that a claim names lacks its class, too", () => {
  const names = binderNames(kubernetes);
  const volume = volumeOf({ storageClassName: "slow" });
  expect(mismatches(volume, claimOf({ storageClassName: "fast" }), names)).toEqual([
    'expected storageClassName "fast", it has "slow"',
  ]);
  expect(mismatches(volume, claimOf({ storageClassName: "slow" }), names)).toEqual([]);
});

test.each<[PersistentVolumeClaim, PersistentVolume | undefined, RegExp | undefined]>([
  [claimOf(), volumeOf(), /lost reference/],
  [claimOf({ volumeName: "v" }), undefined, /lost its PersistentVolume/],
  [claimOf({ volumeName: "v" }), volumeOf({ claimRef: { uid: "2" } }), /Two claims/],
  [claimOf({ volumeName: "v" }), volumeOf({ claimRef: { uid: "1" } }), undefined],
  [claimOf({ volumeName: "v" }), volumeOf(), undefined],
])("CTL-BIND-36, CTL-BIND-40: a bound claim that has lost its volume says why (%#)", (claim, volume, why) => {
  expect(lostReason(claim, volume) ?? "").toMatch(why ?? /^$/);
});
