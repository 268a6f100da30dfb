/**
 * How far the expansion of a claim is, and which size comes next (RSZ-1..4, DEC-58).
 *
 * @module
 */
import type { PersistentVolume, PersistentVolumeClaim } from "../../client/kinds/index.ts";
import { capacityOf, requestOf } from "../../claims/fit.ts";
import { allocatedTo, stateOf } from "../../claims/resize.ts";
import { compareQuantities } from "../../meta/quantity.ts";
import type { SidecarNames } from "../names.ts";

/** The states of an expansion that have one name in both dialects. */
export const STATE = {
  inProgress: "ControllerResizeInProgress",
  nodePending: "NodeResizePending",
  nodeInProgress: "NodeResizeInProgress",
} as const;

/** The conditions that speak of expansion. */
export const RESIZING = {
  resizing: "Resizing",
  nodePending: "FileSystemResizePending",
  failed: "ControllerResizeError",
  nodeFailed: "NodeResizeError",
} as const;

/** What is to be done for a claim that asks for more. */
export type NextSize = { readonly is: "to"; readonly size: string } | { readonly is: "node's" };

/**
 * The size that the driver is asked for now. What was begun is ended first, unless the driver refused it; while a node is at work
 * nothing is asked for (CTL-EXP-9).
 *
 * @param hasRefused whether the driver has said for good that it did not do what it was asked for last
 */
export function nextSize(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  { names, hasRefused }: { readonly names: SidecarNames; readonly hasRefused: boolean },
): NextSize {
  const wanted = requestOf(claim);
  const allocated = allocatedTo(claim);
  const state = stateOf(claim);
  const isLarge = compareQuantities(capacityOf(volume), wanted) >= 0;
  const begun = allocated ?? wanted;
  switch (state) {
    case STATE.nodePending:
    case STATE.nodeInProgress:
      if (isLarge || compareQuantities(capacityOf(volume), begun) >= 0) return { is: "node's" };
      return { is: "to", size: begun };
    case names.nodeResizeRefused:
      return { is: "to", size: begun };
    case STATE.inProgress:
      return { is: "to", size: hasRefused && !isLarge ? wanted : begun };
    case names.resizeRefused:
      return { is: "to", size: isLarge ? begun : wanted };
    default:
      return { is: "to", size: isLarge ? begun : wanted };
  }
}
