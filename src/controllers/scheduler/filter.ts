/**
 * A filter evaluates a Pod once, and returns its demand, which then evaluates each node.
 *
 * Filters are pure functions of the Pod and the state. Their obstacles are the phrases of kube-scheduler; a message
 * counts the nodes with each.
 */

import type { PodInfo } from "./pod-info.ts";
import type { DelayedClaims } from "./delayed-claims.ts";
import type { NodeView } from "./node-state.ts";
import type { PodClaims } from "./pod-claims.ts";
import type { View } from "./view.ts";

/** The Pod to schedule. */
export interface Needs {
  readonly info: PodInfo;
  readonly claims: PodClaims;
  /** Its claims that bind once it has a node; undefined where there are none. */
  readonly delayed: DelayedClaims | undefined;
}

/** The demand of a Pod by one filter. */
export interface Demand {
  /** Obstacles on every node; `on` is not called then. */
  readonly everywhere?: readonly string[] | undefined;
  /** Returns the obstacles on a node; undefined where there are none. */
  readonly on?: (node: NodeView) => readonly string[] | undefined;
  /** The topics (`topics.ts`) whose changes may remove an obstacle. */
  readonly waitsFor: readonly string[];
  /** Whether preemption may remove the obstacle (SCHED-47). */
  readonly isResolvable?: boolean;
  /** Whether few nodes meet it and it is cheap to evaluate, so that it comes first. */
  readonly isSelective?: boolean;
  /** Who can remove the obstacle. */
  readonly who: string;
}

/** Returns the demand of a Pod; undefined for none. */
export type Filter = (needs: Needs, view: View) => Demand | undefined;

/** Who can add capacity. */
export const CAPACITY_ACTOR = "an administrator who adds nodes, or a user who deletes Pods";
/** Who can change nodes, or the requirements of a Pod. */
export const NODE_ACTOR =
  "an administrator who adds or labels nodes, or removes their taints, or a user who changes the Pod";
/** Who can create volumes. */
export const VOLUME_ACTOR = "an administrator who creates volumes that its nodes can access";
