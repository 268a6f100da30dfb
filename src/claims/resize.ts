/**
 * How far the expansion of a claim is, as its status says, and who does it.
 *
 * @module
 */
import type { PersistentVolume, PersistentVolumeClaim } from "../client/kinds/index.ts";
import { compareQuantities } from "../meta/quantity.ts";
import { requestOf } from "./fit.ts";
import type { Migration } from "./plugin-migration.ts";

/** The storage that a claim has now. */
export const claimCapacity = ({ status }: PersistentVolumeClaim): string => status.capacity?.["storage"] ?? "0";

/** The storage that was last allocated to a claim. */
export const allocatedTo = ({ status }: PersistentVolumeClaim): string | undefined =>
  status.allocatedResources?.["storage"];

/** The state of an expansion (RSZ-1). */
export const stateOf = ({ status }: PersistentVolumeClaim): string | undefined =>
  status.allocatedResourceStatuses?.["storage"];

/** Whether a claim asks for more than it has. */
export const isGrowing = (claim: PersistentVolumeClaim): boolean =>
  compareQuantities(requestOf(claim), claimCapacity(claim)) > 0;

/** How an expansion ends that cannot be done has one name in the documents and another in Kubernetes (AMB-47). */
const INFEASIBLE = /^(Controller|Node)Resize(Infeasible|Failed)$/;

/** Where an expansion ended that cannot be done; undefined while none did. */
export const infeasibleOn = (claim: PersistentVolumeClaim): "Controller" | "Node" | undefined =>
  INFEASIBLE.exec(stateOf(claim) ?? "")?.[1] as "Controller" | "Node" | undefined;

/** Who enlarges a volume; nobody can where there is no name. */
export interface Resizer {
  readonly name: string | undefined;
  /** Whether it is outside: nothing has to be done here. */
  readonly isExternal: boolean;
}

/** Who enlarges a volume (CTL-EXP-1, 2, 5). */
export function resizerOf(volume: PersistentVolume, migration: Migration): Resizer {
  const { flexVolume, csi } = volume.spec;
  if (flexVolume) return { name: flexVolume.driver, isExternal: false };
  return { name: migration.ofSource(volume)?.driver ?? csi?.driver, isExternal: true };
}
