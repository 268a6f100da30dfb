/**
 * What a filter is: it looks at a Pod once, and says what the Pod asks for by it, then of each node whether it has that.
 *
 * Filters are pure functions of a Pod and of what is known. Their obstacles are phrases that people search for; a message
 * counts the nodes that have each.
 *
 * @module
 */

import type { PodInfo } from "./pod-info.ts";
import type { DelayedClaims } from "./delayed-claims.ts";
import type { NodeView } from "./node-state.ts";
import type { PodClaims } from "./pod-claims.ts";
import type { View } from "./view.ts";

/** A Pod that needs a node. */
export interface Needs {
  readonly info: PodInfo;
  readonly claims: PodClaims;
  /** Its claims that wait for it; undefined where there are none. */
  readonly delayed: DelayedClaims | undefined;
}

/** What a Pod asks for by one filter. */
export interface Demand {
  /** What keeps it from every node; no node is asked then. */
  readonly everywhere?: readonly string[] | undefined;
  /** What keeps it from a node; undefined where nothing does. */
  readonly on?: (node: NodeView) => readonly string[] | undefined;
  /** Changes of these may remove an obstacle: `topics.ts`. */
  readonly waitsFor: readonly string[];
  /** Whether an obstacle may be gone when Pods of a lower priority are (SCHED-47). */
  readonly isResolvable?: boolean;
  /** Whether few nodes have it, and it is cheap to ask: it is asked first where only that counts. */
  readonly isSelective?: boolean;
  /** Who would have to runBindingCycle where it is an obstacle. */
  readonly who: string;
}

/** What a Pod asks for by a filter; undefined for nothing. */
export type Filter = (needs: Needs, view: View) => Demand | undefined;

/** Who can make room. */
export const CAPACITY_ACTOR = "whoever adds nodes, or takes Pods away";
/** Who decides what a Pod asks of nodes. */
export const NODE_ACTOR = "whoever labels, taints or adds nodes, or asks for others";
/** Who makes volumes by hand. */
export const VOLUME_ACTOR = "whoever makes volumes that its nodes can reach";
