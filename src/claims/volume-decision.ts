/**
 * How a volume stands, by the claim that it names (CTL-BIND-2, 28..35, 42; CTL-RECLAIM-1).
 *
 * @module
 */
import type { PersistentVolume, PersistentVolumeClaim } from "../client/kinds/index.ts";
import { isOfMode } from "./fit.ts";
import type { BinderNames } from "./annotations.ts";

/** How a volume stands. */
export type VolumeDecision =
  /** Nobody has it; somebody may have spoken for it. */
  | { readonly is: "available" }
  /** Its claim is to take it yet. */
  | { readonly is: "awaited" }
  /** Its claim cannot take it; `note` says why to both. */
  | { readonly is: "misfit"; readonly note: string }
  | { readonly is: "bound" }
  /** Its claim has gone. */
  | { readonly is: "released" }
  /** Its claim has another volume, and anybody may have this one. */
  | { readonly is: "given back"; readonly other: string };

/** See the head of this file. @param claim the one that has the uid which the volume names, undefined where there is none */
export function decideVolume(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim | undefined,
  names: BinderNames,
): VolumeDecision {
  if (!volume.spec.claimRef?.uid) return { is: "available" };
  if (!claim) return { is: "released" };
  const { volumeName: other } = claim.spec;
  const { name } = volume.metadata;
  if (!other) {
    if (isOfMode(volume, claim)) return { is: "awaited" };
    const note = `expected claim and volume to be of one volumeMode: ${claim.metadata.name} and ${name} are not`;
    return { is: "misfit", note };
  }
  if (other === name) return { is: "bound" };
  return isProvisioned(volume, names) ? { is: "released" } : { is: "given back", other };
}

/** Whether a volume was made for a claim, and goes with it (CTL-BIND-35). */
const isProvisioned = ({ metadata, spec }: PersistentVolume, { provisionedBy }: BinderNames): boolean =>
  metadata.annotations?.[provisionedBy] !== undefined && spec.persistentVolumeReclaimPolicy === "Delete";
