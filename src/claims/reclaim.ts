/** Decides what happens to a volume whose claim was deleted (CTL-RECLAIM-3..13). */
import type { PersistentVolume } from "../client/kinds/index.ts";
import type { Migration } from "./plugin-migration.ts";
import type { BinderNames } from "./annotations.ts";

/** What happens to the volume; `who` is its provisioner, `why` the reason of the failure. */
export type ReclaimAction =
  | { readonly is: "kept" | "deleted" | "recycled" }
  | { readonly is: "deleted elsewhere"; readonly who: string }
  | { readonly is: "failed"; readonly why: string };

/** A volume below this directory is deleted with its data. */
const SCRATCH_PATH = /^\/tmp\/.+/;

/** The finalizer of volumes of in-tree provisioners (CTL-RECLAIM-17). */
export const builtInVolumeFinalizer = (labelDomain: string): string => `${labelDomain}/pv-controller`;

/** The finalizer of external provisioners; it has this name in every dialect. */
export const EXTERNAL_FINALIZER = "external-provisioner.volume.kubernetes.io/finalizer";

/** Returns what the reclaim policy of a volume requires once its claim is deleted. */
export function reclaimActionOf(
  { metadata, spec }: PersistentVolume,
  { names, migration }: { readonly names: BinderNames; readonly migration: Migration },
): ReclaimAction {
  const driver = metadata.annotations?.[migration.annotation];
  const policy = spec.persistentVolumeReclaimPolicy;
  if (driver) return policy === "Delete" ? { is: "deleted elsewhere", who: driver } : { is: "kept" };
  if (policy === "Recycle") return { is: "recycled" };
  if (policy !== "Delete") return { is: "kept" };
  // The provisioner decides; the volume source does only where none is recorded (CTL-RECLAIM-7, 10).
  const provisioner = metadata.annotations?.[names.provisionedBy] || undefined;
  if (provisioner !== undefined && !provisioner.startsWith(names.builtIn))
    return { is: "deleted elsewhere", who: provisioner };
  // A volume that no component can delete has failed (CTL-RECLAIM-9..11).
  if (provisioner !== undefined && provisioner !== `${names.builtIn}host-path`) {
    return { is: "failed", why: `nothing here deletes volumes of ${provisioner}` };
  }
  if (spec.csi && provisioner === undefined) return { is: "deleted elsewhere", who: spec.csi.driver };
  const path = spec.hostPath?.path;
  if (path === undefined) return { is: "failed", why: "nothing here deletes volumes of its kind" };
  if (SCRATCH_PATH.test(path)) return { is: "deleted" };
  return { is: "failed", why: `expected a directory below /tmp/ to delete, found ${path}` };
}
