/**
 * Disks that are described in Pods and that one node, or one Pod, may write at a time (SCHED-49).
 *
 * @module
 */
import type { Pod } from "../../client/kinds/index.ts";
import type { SchedulerNames } from "./names.ts";

/** A disk of a Pod. */
export interface InlineDisk {
  /** Disks with one of these in common are the same. */
  readonly ids: readonly string[];
  /** Whether those that only read it may share it. */
  readonly canBeShared: boolean;
  readonly isReadOnly: boolean;
}

interface Source {
  readonly readOnly?: boolean;
  readonly [member: string]: unknown;
}

/** The disks that a Pod describes. */
export function inlineDisks({ spec }: Pod, { elasticDisk }: SchedulerNames): readonly InlineDisk[] {
  return (spec.volumes ?? []).flatMap((volume) => {
    const sources = volume as unknown as Readonly<Record<string, Source | undefined>>;
    const { iscsi, gcePersistentDisk, rbd, [elasticDisk]: elastic } = sources;
    if (iscsi) return diskOf([`iscsi ${text(iscsi["iqn"])}`], iscsi);
    if (gcePersistentDisk) return diskOf([`disk ${text(gcePersistentDisk["pdName"])}`], gcePersistentDisk);
    if (rbd) return diskOf(imagesOf(rbd), rbd);
    // Nobody shares it, whatever he does with it.
    return elastic ? { ...diskOf([`elastic ${text(elastic["volumeID"])}`], elastic), canBeShared: false } : [];
  });
}

/** Whether two Pods on one node cannot have both of their disks. */
export function conflicts(a: InlineDisk, b: InlineDisk): boolean {
  if (!a.ids.some((id) => b.ids.includes(id))) return false;
  return !(a.canBeShared && a.isReadOnly && b.isReadOnly);
}

const diskOf = (ids: readonly string[], { readOnly }: Source): InlineDisk => ({
  ids,
  canBeShared: true,
  isReadOnly: readOnly === true,
});

/** An image is known by each of the monitors that lead to it. */
function imagesOf({ monitors, pool, image }: Source): readonly string[] {
  const all = Array.isArray(monitors) ? (monitors as readonly unknown[]) : [];
  return all.map((monitor) => `rbd ${text(monitor)} ${text(pool)} ${text(image)}`);
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
