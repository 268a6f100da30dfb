/**
 * A Pod before all filters: what it asks for, which nodes have it, and what the others lack.
 *
 * @module
 */
import type { Demand, Needs } from "./filter.ts";
import { FILTERS } from "./filters/index.ts";
import type { PodInfo } from "./pod-info.ts";
import { DelayedClaims } from "./delayed-claims.ts";
import type { NodeView } from "./node-state.ts";
import { NO_PLAN, type Plan } from "./plan.ts";
import { type PodClaims, claimsOf } from "./pod-claims.ts";
import type { View } from "./view.ts";

/** An obstacle, and who would have to runBindingCycle. */
export interface Lack {
  readonly says: string;
  readonly who: string;
}

/** See the head of this file. It is of one moment: what changes later is not seen. */
export class Evaluation {
  readonly info: PodInfo;
  readonly claims: PodClaims;
  readonly demands: readonly Demand[];
  readonly #delayed: DelayedClaims | undefined;
  /** Those first that are for few nodes. */
  readonly #quickest: readonly Demand[];

  constructor(info: PodInfo, view: View) {
    this.info = info;
    this.claims = claimsOf(info.pod, view);
    const { delayed } = this.claims;
    this.#delayed = delayed.length > 0 ? new DelayedClaims(delayed, view) : undefined;
    const needs: Needs = { info, claims: this.claims, delayed: this.#delayed };
    this.demands = FILTERS.flatMap((filter) => filter(needs, view) ?? []);
    this.#quickest = this.demands.toSorted((a, b) => Number(b.isSelective ?? false) - Number(a.isSelective ?? false));
  }

  /** What keeps the Pod from every node; no node is asked then. */
  get everywhere(): Demand | undefined {
    return this.demands.find(({ everywhere }) => everywhere !== undefined);
  }

  /** Changes of these may remove an obstacle. */
  get waitsFor(): readonly string[] {
    const { everywhere } = this;
    return everywhere ? everywhere.waitsFor : this.demands.flatMap(({ waitsFor }) => waitsFor);
  }

  /** Whether a node has all: those are asked first that most nodes fail. */
  fits(node: NodeView): boolean {
    for (const { on } of this.#quickest) if (on?.(node)) return false;
    return true;
  }

  /** What a node lacks by the first filter that it does not pass; undefined where it fits. */
  obstaclesOn(node: NodeView): readonly string[] | undefined {
    for (const { on } of this.demands) {
      const obstacles = on?.(node);
      if (obstacles) return obstacles;
    }
    return undefined;
  }

  /** All that a node lacks. */
  lacksOn(node: NodeView): readonly Lack[] {
    return this.demands.flatMap(({ on, who }) => (on?.(node) ?? []).map((says) => ({ says, who })));
  }

  /** Whether only Pods that are on a node stand in the way there. */
  isResolvableOn(node: NodeView): boolean {
    return this.demands.every(({ on, isResolvable }) => isResolvable || !on?.(node));
  }

  /** What is to be done for its claims on a node that fits. */
  planOn(node: NodeView): Plan {
    const planned = this.#delayed?.on(node);
    return planned && "plan" in planned ? planned.plan : NO_PLAN;
  }
}

/** Nodes counted by what they lack. */
export class Counts {
  readonly #counts = new Map<string, number>();

  add(obstacles: readonly string[]): void {
    for (const obstacle of obstacles) this.#counts.set(obstacle, (this.#counts.get(obstacle) ?? 0) + 1);
  }

  /** The message of a Pod that fits nowhere (SCHED-3). */
  message(nodes: number): string {
    const parts = [...this.#counts].map(([obstacle, count]) => `${count} ${obstacle}`).toSorted();
    return unfit(nodes, parts);
  }
}

/** The message of a Pod that fits nowhere, for some reasons. */
export const unfit = (nodes: number, reasons: readonly string[]): string =>
  `0/${nodes} nodes are available: ${reasons.length > 0 ? reasons.join(", ") : "there is no node"}.`;
