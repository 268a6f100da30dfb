/** Arbitrary volumes and claims with few values, so that many of them fit each other. */
import fc from "fast-check";
import type { PersistentVolume, PersistentVolumeClaim } from "../../client/kinds/index.ts";

const some = <T>(...values: T[]) => fc.constantFrom(...values);

/** Arbitrary volumes, also unavailable ones; names may repeat. */
export const someVolume = fc
  .record({
    metadata: fc.record({
      name: some("a", "b", "c", "d", "e", "f"),
      labels: some({}, { disk: "fast" }),
      deletionTimestamp: some(undefined, "2026-01-01T00:00:00Z"),
    }),
    spec: fc.record({
      capacity: fc.record({ storage: some("1Gi", "2Gi", "2048Mi", "3Gi") }),
      accessModes: some(["ReadWriteOnce"], ["ReadOnlyMany"], ["ReadWriteOnce", "ReadOnlyMany"]),
      storageClassName: some("", "c"),
      volumeMode: some(undefined, "Block"),
      claimRef: some(undefined, { namespace: "default", name: "other" }),
    }),
    status: fc.record({ phase: some("Available", "Released", "Pending") }),
  })
  .map((volume) => volume as unknown as PersistentVolume);

/** Arbitrary unbound claims. */
export const someClaim = fc
  .record({
    metadata: fc.record({ name: some("data"), namespace: some("default"), uid: some("u") }),
    spec: fc.record({
      resources: fc.record({ requests: fc.record({ storage: some("1Gi", "2Gi") }) }),
      accessModes: some(["ReadWriteOnce"], ["ReadOnlyMany"]),
      storageClassName: some("", "c"),
      volumeMode: some("Filesystem", "Block"),
      selector: some(undefined, { matchLabels: { disk: "fast" } }),
    }),
  })
  .map((claim) => claim as unknown as PersistentVolumeClaim);
