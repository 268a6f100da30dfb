import { describe, expect, test } from "vitest";
import type { PersistentVolumeClaim, Pod, StatefulSet } from "../../client/kinds/index.ts";
import { isStale, newClaims, withOwners } from "./claims.ts";

const setOf = (whenDeleted: string, whenScaled: string): StatefulSet =>
  ({
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "t", namespace: "n", uid: "set" },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: "a" } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
      volumeClaimTemplates: [{ metadata: { name: "data", labels: { l: "m" }, annotations: { x: "y" } }, spec: {} }],
    },
  }) as unknown as StatefulSet;
const podOf = (ordinal: number): Pod =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `t-${ordinal}`, namespace: "n", uid: `pod-${ordinal}` },
  }) as unknown as Pod;
const claimOf = (...ownerReferences: readonly object[]): PersistentVolumeClaim =>
  ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data-t-0", ownerReferences },
  }) as unknown as PersistentVolumeClaim;

const TO_SET = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  name: "t",
  uid: "set",
  controller: true,
  blockOwnerDeletion: true,
};
const TO_POD = { apiVersion: "v1", kind: "Pod", name: "t-1", uid: "pod-1", controller: true, blockOwnerDeletion: true };
const OTHER = { apiVersion: "v1", kind: "ConfigMap", name: "c", uid: "c" };

describe("WL-STS-11: the owners of a claim", () => {
  test.each([
    ["Retain", "Retain", 0, [TO_SET], []],
    ["Retain", "Retain", 1, [], undefined],
    ["Delete", "Retain", 0, [], [TO_SET]],
    ["Delete", "Retain", 1, [TO_SET], undefined],
    ["Retain", "Delete", 0, [], undefined],
    ["Retain", "Delete", 1, [], [TO_POD]],
    ["Delete", "Delete", 0, [], [TO_SET]],
    ["Delete", "Delete", 1, [TO_SET], [TO_POD]],
    ["Delete", "Delete", 1, [OTHER, TO_SET], [OTHER, TO_POD]],
    // A reference that is not the controller becomes one.
    ["Delete", "Retain", 0, [{ ...TO_SET, controller: false }], [TO_SET]],
    // It belongs to an earlier set or Pod with that name: the garbage collector deletes it.
    ["Delete", "Retain", 0, [{ ...TO_SET, uid: "earlier" }], undefined],
    ["Delete", "Delete", 1, [{ ...TO_POD, uid: "earlier" }], undefined],
    // Another controller owns it.
    ["Delete", "Retain", 0, [{ ...OTHER, controller: true }], undefined],
    [
      "Delete",
      "Retain",
      0,
      [
        { ...OTHER, controller: true },
        { ...TO_SET, controller: false },
      ],
      [{ ...OTHER, controller: true }],
    ],
  ])("whenDeleted %s, whenScaled %s, ordinal %d, with %j", (whenDeleted, whenScaled, ordinal, before, expected) => {
    const written = withOwners(setOf(whenDeleted, whenScaled), ordinal, podOf(ordinal), claimOf(...before));
    expect(written?.metadata.ownerReferences).toEqual(expected);
  });
});

test("WL-STS-11: a claim of an earlier Pod of that name is stale where it goes with its Pod", () => {
  expect(isStale(setOf("Retain", "Delete"), 1, claimOf(TO_POD))).toBe(true);
  expect(isStale(setOf("Retain", "Retain"), 1, claimOf(TO_POD))).toBe(false);
  expect(isStale(setOf("Retain", "Delete"), 0, claimOf(TO_POD))).toBe(false);
});

test("WL-STS-10: a claim has its name, the labels of template and selector, and the annotations", () => {
  expect(newClaims(setOf("Retain", "Retain"), 3)).toEqual([
    {
      metadata: { name: "data-t-3", namespace: "n", labels: { l: "m", app: "a" }, annotations: { x: "y" } },
      spec: {},
    },
  ]);
});
