import type { PersistentVolume, PersistentVolumeClaim } from "../client/kinds/index.ts";
import { isOfMode } from "./fit.ts";
import type { BinderNames } from "./annotations.ts";

/** The state of a volume. */
export type VolumeDecision =
  /** No claim has it; it may be reserved. */
  | { readonly is: "available" }
  /** Its claim is about to bind it. */
  | { readonly is: "awaited" }
  /** Its claim cannot bind it; `note` is the message for both. */
  | { readonly is: "misfit"; readonly note: string }
  | { readonly is: "bound" }
  /** Its claim was deleted. */
  | { readonly is: "released" }
  /** Its claim has another volume, so this one becomes available. */
  | { readonly is: "given back"; readonly other: string };

/**
 * Decides the state of a volume by the claim that it names (CTL-BIND-2, 28..35, 42; CTL-RECLAIM-1).
 *
 * @param claim the claim with the uid in the claimRef, undefined where there is none
 */
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

/** Whether a volume was provisioned for a claim and is deleted with it (CTL-BIND-35). */
const isProvisioned = ({ metadata, spec }: PersistentVolume, { provisionedBy }: BinderNames): boolean =>
  metadata.annotations?.[provisionedBy] !== undefined && spec.persistentVolumeReclaimPolicy === "Delete";
