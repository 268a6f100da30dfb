/** The progress of the expansion of a claim in its status, and which component expands it. */
import type { PersistentVolume, PersistentVolumeClaim } from "../client/kinds/index.ts";
import { compareQuantities } from "../meta/quantity.ts";
import { requestOf } from "./fit.ts";
import type { Migration } from "./plugin-migration.ts";

/** The current capacity of a claim. */
export const claimCapacity = ({ status }: PersistentVolumeClaim): string => status.capacity?.["storage"] ?? "0";

/** The storage that was last allocated to a claim. */
export const allocatedTo = ({ status }: PersistentVolumeClaim): string | undefined =>
  status.allocatedResources?.["storage"];

/** The state of an expansion (RSZ-1). */
export const stateOf = ({ status }: PersistentVolumeClaim): string | undefined =>
  status.allocatedResourceStatuses?.["storage"];

/** Whether a claim requests more than its capacity. */
export const isGrowing = (claim: PersistentVolumeClaim): boolean =>
  compareQuantities(requestOf(claim), claimCapacity(claim)) > 0;

/** The end state of an infeasible expansion has one name in the documents and another in Kubernetes (AMB-47). */
const INFEASIBLE = /^(Controller|Node)Resize(Infeasible|Failed)$/;

/** Returns which side refused an expansion for good; undefined where none did. */
export const infeasibleOn = (claim: PersistentVolumeClaim): "Controller" | "Node" | undefined =>
  INFEASIBLE.exec(stateOf(claim) ?? "")?.[1] as "Controller" | "Node" | undefined;

/** The resizer of a volume; without a name there is none. */
export interface Resizer {
  readonly name: string | undefined;
  /** Whether the resizer is a sidecar, so that the control plane does nothing. */
  readonly isExternal: boolean;
}

/** Returns the resizer of a volume (CTL-EXP-1, 2, 5). */
export function resizerOf(volume: PersistentVolume, migration: Migration): Resizer {
  const { flexVolume, csi } = volume.spec;
  if (flexVolume) return { name: flexVolume.driver, isExternal: false };
  return { name: migration.ofSource(volume)?.driver ?? csi?.driver, isExternal: true };
}
