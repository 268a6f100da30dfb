import { expect, test } from "vitest";
import { binderNames } from "../../../claims/annotations.ts";
import type { PersistentVolume, Pod } from "../../../client/kinds/index.ts";
import { kubernetes } from "../../../meta/dialect.ts";
import { isRecyclerOf, recycledBy, recyclerOf } from "./recycler-pod.ts";

const names = binderNames(kubernetes);
const volumeOf = (storage: string, source: object = { hostPath: { path: "/data" } }) =>
  ({
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "v", uid: "1" },
    spec: { capacity: { storage }, claimRef: { uid: "2" }, ...source },
  }) as unknown as PersistentVolume;

test.each<[string, string, string | undefined]>([
  ["default", "recycler-for-v", "v"],
  ["default", "v", undefined],
  ["other", "recycler-for-v", undefined],
])("the volume that a Pod empties in %s by the name %s", (namespace, name, volume) => {
  expect(recycledBy({ metadata: { namespace, name } } as unknown as Pod)).toBe(volume);
});

test("a Pod empties a volume of its owner, after the claim that it names", () => {
  const volume = volumeOf("1Gi");
  const { metadata } = recyclerOf(volume, names) as unknown as Pod;
  const isOf = (more: object): boolean =>
    isRecyclerOf({ metadata: { ...metadata, ...more } } as unknown as Pod, volume, names);
  expect([isOf({}), isOf({ annotations: {} }), isOf({ ownerReferences: [] })]).toEqual([true, false, false]);
});

const NFS = { nfs: { server: "s", path: "/p" } };
test.each<[string, object | undefined, number]>([
  ["1Gi", undefined, 60],
  ["3Gi", undefined, 90],
  ["1Gi", NFS, 300],
  ["11Gi", NFS, 330],
  ["1Ei", undefined, 2 ** 31 - 1],
])("CTL-RECLAIM-14: %s of %j are emptied within %d s", (storage, source, seconds) => {
  expect(recyclerOf(volumeOf(storage, source), names)).toMatchObject({ spec: { activeDeadlineSeconds: seconds } });
});
