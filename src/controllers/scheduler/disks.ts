/** Inline disks of Pods that only one node, or one Pod, may write at a time (SCHED-49). */
import type { Pod } from "../../client/kinds/index.ts";
import type { SchedulerNames } from "./names.ts";

/** An inline disk of a Pod. */
export interface InlineDisk {
  /** Disks with a common ID are the same. */
  readonly ids: readonly string[];
  /** Whether several readers may share it. */
  readonly canBeShared: boolean;
  readonly isReadOnly: boolean;
}

interface Source {
  readonly readOnly?: boolean;
  readonly [member: string]: unknown;
}

/** Returns the inline disks of a Pod. */
export function inlineDisks({ spec }: Pod, { elasticDisk }: SchedulerNames): readonly InlineDisk[] {
  return (spec.volumes ?? []).flatMap((volume) => {
    const sources = volume as unknown as Readonly<Record<string, Source | undefined>>;
    const { iscsi, gcePersistentDisk, rbd, [elasticDisk]: elastic } = sources;
    if (iscsi) return diskOf([`iscsi ${text(iscsi["iqn"])}`], iscsi);
    if (gcePersistentDisk) return diskOf([`disk ${text(gcePersistentDisk["pdName"])}`], gcePersistentDisk);
    if (rbd) return diskOf(imagesOf(rbd), rbd);
    // It is never shared, not even read-only.
    return elastic ? { ...diskOf([`elastic ${text(elastic["volumeID"])}`], elastic), canBeShared: false } : [];
  });
}

/** Whether two Pods on one node conflict over these disks. */
export function conflicts(a: InlineDisk, b: InlineDisk): boolean {
  if (!a.ids.some((id) => b.ids.includes(id))) return false;
  return !(a.canBeShared && a.isReadOnly && b.isReadOnly);
}

const diskOf = (ids: readonly string[], { readOnly }: Source): InlineDisk => ({
  ids,
  canBeShared: true,
  isReadOnly: readOnly === true,
});

/** The same image may be named by any of its monitors. */
function imagesOf({ monitors, pool, image }: Source): readonly string[] {
  const all = Array.isArray(monitors) ? (monitors as readonly unknown[]) : [];
  return all.map((monitor) => `rbd ${text(monitor)} ${text(pool)} ${text(image)}`);
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
