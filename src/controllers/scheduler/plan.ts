import type { PersistentVolume, PersistentVolumeClaim } from "../../client/kinds/index.ts";

/** A claim and its matched volume. */
export interface Matched {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
}

/** The plan for the delayed claims of a Pod on its chosen node (SCHED-30). */
export interface Plan {
  readonly matched: readonly Matched[];
  /** Claims whose volumes have to be provisioned. */
  readonly provisioned: readonly PersistentVolumeClaim[];
}

/** An empty plan. */
export const NO_PLAN: Plan = { matched: [], provisioned: [] };
