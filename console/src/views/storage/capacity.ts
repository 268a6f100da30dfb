/**
 * How much storage is used and how much is free, by class and by topology.
 *
 * @module
 */
import type { Dialect } from "../../../../src/meta/dialect.ts";
import { binderNames } from "../../../../src/claims/annotations.ts";
import { classOf, requestOf } from "../../../../src/claims/fit.ts";
import type { Steps } from "../../../../src/util/steps.ts";
import { inSteps } from "../../ui/sliced.ts";
import { bytesOf, type StorageObjects, topologyOfVolume, topologyText } from "./objects.ts";

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

type OpenRow = { -readonly [K in keyof CapacityRow]: CapacityRow[K] };

/** Sums up the rows, by class, then by topology. */
export function* capacitySteps(objects: StorageObjects, dialect: Dialect): Steps<readonly CapacityRow[]> {
  const names = binderNames(dialect);
  const rows = new Map<string, Map<string, OpenRow>>();
  const rowOf = (storageClass: string, topology: string): OpenRow => {
    const ofClass = rows.get(storageClass) ?? new Map<string, OpenRow>();
    rows.set(storageClass, ofClass);
    const row = ofClass.get(topology) ?? { storageClass, topology, volumes: 0, bound: 0, unbound: 0, requested: 0 };
    ofClass.set(topology, row);
    return row;
  };
  yield* inSteps(objects.volumes, (volume) => {
    const row = rowOf(classOf(volume, names), topologyOfVolume(volume));
    const bytes = bytesOf(volume.spec.capacity?.["storage"]);
    row.volumes++;
    if (volume.status.phase === "Bound") row.bound += bytes;
    else row.unbound += bytes;
  });
  yield* inSteps(objects.claims, (claim) => {
    if (claim.status.phase !== "Bound") rowOf(classOf(claim, names), "").requested += bytesOf(requestOf(claim));
  });
  yield* inSteps(objects.capacities, ({ storageClassName, nodeTopology, capacity, maximumVolumeSize }) => {
    const row = rowOf(storageClassName, topologyText(nodeTopology?.matchLabels));
    if (capacity !== undefined) row.free = (row.free ?? 0) + bytesOf(capacity);
    if (maximumVolumeSize !== undefined) row.largest = Math.max(row.largest ?? 0, bytesOf(maximumVolumeSize));
  });
  // A class without anything has a row of its own.
  for (const { metadata } of objects.classes) if (!rows.has(metadata.name)) rowOf(metadata.name, "");
  yield;
  return [...rows]
    .toSorted(([a], [b]) => order(a, b))
    .flatMap(([, ofClass]) => [...ofClass.values()].toSorted((a, b) => order(a.topology, b.topology)));
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
