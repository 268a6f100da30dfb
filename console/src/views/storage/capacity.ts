/**
 * How much storage is used and how much is free, by class and by topology.
 *
 * @module
 */
import type { Dialect } from "../../../../src/meta/dialect.ts";
import { requestOf } from "../../../../src/claims/fit.ts";
import { bytesOf, type StorageObjects, topologyOfVolume, topologyText } from "./objects.ts";
import { Waits } from "./waits.ts";

/** The figures of a class in a topology. */
export interface CapacityRow {
  readonly storageClass: string;
  /** `zone=a`; empty for volumes that can be used everywhere, and for claims without a volume. */
  readonly topology: string;
  readonly volumes: number;
  /** Bytes of volumes that are bound, of those that are not, and that waiting claims ask for. */
  readonly bound: number;
  readonly unbound: number;
  readonly requested: number;
  /** Bytes that drivers report as free; undefined where none does. */
  readonly free?: number;
  /** The largest volume that can be made, in bytes; undefined where no driver says it. */
  readonly largest?: number;
}

/** Returns the rows by class, then by topology. */
export function capacityOf(objects: StorageObjects, dialect: Dialect): readonly CapacityRow[] {
  const waits = new Waits([], objects.classes, dialect);
  const rows = new Map<string, { -readonly [K in keyof CapacityRow]: CapacityRow[K] }>();
  const rowOf = (storageClass: string, topology: string): { -readonly [K in keyof CapacityRow]: CapacityRow[K] } => {
    const key = `${storageClass}\0${topology}`;
    const row = rows.get(key) ?? { storageClass, topology, volumes: 0, bound: 0, unbound: 0, requested: 0 };
    rows.set(key, row);
    return row;
  };
  for (const { metadata } of objects.classes) rowOf(metadata.name, "");
  for (const volume of objects.volumes) {
    const row = rowOf(waits.classOf(volume), topologyOfVolume(volume));
    const bytes = bytesOf(volume.spec.capacity?.["storage"]);
    row.volumes++;
    if (volume.status.phase === "Bound") row.bound += bytes;
    else row.unbound += bytes;
  }
  for (const claim of objects.claims) {
    if (claim.status.phase !== "Bound") rowOf(waits.classOf(claim), "").requested += bytesOf(requestOf(claim));
  }
  for (const { storageClassName, nodeTopology, capacity, maximumVolumeSize } of objects.capacities) {
    const row = rowOf(storageClassName, topologyText(nodeTopology?.matchLabels));
    if (capacity !== undefined) row.free = (row.free ?? 0) + bytesOf(capacity);
    if (maximumVolumeSize !== undefined) row.largest = Math.max(row.largest ?? 0, bytesOf(maximumVolumeSize));
  }
  const isEmpty = (row: CapacityRow): boolean =>
    row.topology === "" && row.volumes === 0 && row.requested === 0 && row.free === undefined;
  // The row of a class stands where it has no other one.
  return [...rows.values()]
    .filter(
      (row) =>
        !isEmpty(row) || ![...rows.values()].some((other) => other !== row && other.storageClass === row.storageClass),
    )
    .toSorted((a, b) =>
      a.storageClass === b.storageClass ? order(a.topology, b.topology) : order(a.storageClass, b.storageClass),
    );
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
