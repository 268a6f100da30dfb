/**
 * The states of an expansion, and the next size of a volume (RSZ-1..4, DEC-58).
 *
 * @module
 */
import type { PersistentVolume, PersistentVolumeClaim } from "../../client/kinds/index.ts";
import { capacityOf, requestOf } from "../../claims/fit.ts";
import { allocatedTo, stateOf } from "../../claims/resize.ts";
import { compareQuantities } from "../../meta/quantity.ts";
import type { SidecarNames } from "../names.ts";

/** The states of an expansion that have the same name in both dialects. */
export const STATE = {
  inProgress: "ControllerResizeInProgress",
  nodePending: "NodeResizePending",
  nodeInProgress: "NodeResizeInProgress",
} as const;

/** The conditions of an expansion. */
export const CONDITION = {
  resizing: "Resizing",
  nodePending: "FileSystemResizePending",
  failed: "ControllerResizeError",
  nodeFailed: "NodeResizeError",
} as const;

/**
 * The size for the next call of the driver. A size that was begun comes first, unless the driver refused it. Undefined
 * while a node works on it (CTL-EXP-9).
 *
 * @param hasRefused whether the last call has ended without success
 */
export function nextSize(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  { names, hasRefused }: { readonly names: SidecarNames; readonly hasRefused: boolean },
): string | undefined {
  const desired = requestOf(claim);
  const begun = allocatedTo(claim) ?? desired;
  const isLarge = compareQuantities(capacityOf(volume), desired) >= 0;
  switch (stateOf(claim)) {
    case STATE.nodePending:
    case STATE.nodeInProgress:
      return isLarge || compareQuantities(capacityOf(volume), begun) >= 0 ? undefined : begun;
    case names.nodeResizeInfeasible:
      return begun;
    case STATE.inProgress:
      return hasRefused && !isLarge ? desired : begun;
    default:
      return isLarge ? begun : desired;
  }
}
