/**
 * Decides what becomes of a volume whose claim was deleted (CTL-RECLAIM-3..13).
 *
 * @module
 */
import type { PersistentVolume } from "../client/kinds/index.ts";
import type { Migration } from "./plugin-migration.ts";
import type { BinderNames } from "./annotations.ts";

/** What becomes of it; `who` deletes it elsewhere, `why` it cannot be deleted. */
export type ReclaimAction =
  | { readonly is: "kept" | "deleted" | "recycled" }
  | { readonly is: "deleted elsewhere"; readonly who: string }
  | { readonly is: "failed"; readonly why: string };

/** Directories below it are scratch: a volume of one goes with all that is in it. */
const SCRATCH_PATH = /^\/tmp\/.+/;

/** Holds a volume of a provisioner that is built in until it is deleted (CTL-RECLAIM-17). */
export const builtInVolumeFinalizer = (labelDomain: string): string => `${labelDomain}/pv-controller`;

/** The finalizer of provisioners outside, which has one name wherever they are. */
export const EXTERNAL_FINALIZER = "external-provisioner.volume.kubernetes.io/finalizer";

/** What follows from the reclaim policy that a volume has now, once its claim is deleted. */
export function reclaimActionOf(
  { metadata, spec }: PersistentVolume,
  { names, migration }: { readonly names: BinderNames; readonly migration: Migration },
): ReclaimAction {
  const driver = metadata.annotations?.[migration.annotation];
  const policy = spec.persistentVolumeReclaimPolicy;
  if (driver) return policy === "Delete" ? { is: "deleted elsewhere", who: driver } : { is: "kept" };
  if (policy === "Recycle") return { is: "recycled" };
  if (policy !== "Delete") return { is: "kept" };
  // Who made it is asked first, and its source only where nobody is said to have made it (CTL-RECLAIM-7, 10).
  const maker = metadata.annotations?.[names.provisionedBy] || undefined;
  if (maker !== undefined && !maker.startsWith(names.builtIn)) return { is: "deleted elsewhere", who: maker };
  // What nothing can delete has failed (CTL-RECLAIM-9..11).
  if (maker !== undefined && maker !== `${names.builtIn}host-path`) {
    return { is: "failed", why: `nothing here deletes volumes of ${maker}` };
  }
  if (spec.csi && maker === undefined) return { is: "deleted elsewhere", who: spec.csi.driver };
  const path = spec.hostPath?.path;
  if (path === undefined) return { is: "failed", why: "nothing here deletes volumes of its kind" };
  if (SCRATCH_PATH.test(path)) return { is: "deleted" };
  return { is: "failed", why: `expected a directory below /tmp/ to delete, found ${path}` };
}
