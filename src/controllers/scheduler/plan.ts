/** What is to be done for the delayed claims of a Pod, once its node is chosen (SCHED-30). */
import type { PersistentVolume, PersistentVolumeClaim } from "../../client/kinds/index.ts";

/** A claim and the volume that it is to have. */
export interface Matched {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
}

/** See the head of this file. */
export interface Plan {
  readonly matched: readonly Matched[];
  /** Claims for which somebody is to make volumes. */
  readonly provisioned: readonly PersistentVolumeClaim[];
}

/** Nothing is to be done. */
export const NO_PLAN: Plan = { matched: [], provisioned: [] };
