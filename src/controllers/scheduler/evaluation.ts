import type { Demand, Needs } from "./filter.ts";
import { FILTERS } from "./filters/index.ts";
import type { PodInfo } from "./pod-info.ts";
import { DelayedClaims } from "./delayed-claims.ts";
import type { NodeView } from "./node-state.ts";
import { NO_PLAN, type Plan } from "./plan.ts";
import { type PodClaims, claimsOf } from "./pod-claims.ts";
import type { View } from "./view.ts";

/** An obstacle, and who can remove it. */
export interface Lack {
  readonly says: string;
  readonly who: string;
}

/**
 * Evaluates a Pod by all filters: its demands, which nodes meet them, and what the others lack. It is valid for one
 * moment and does not see later changes.
 */
export class Evaluation {
  readonly info: PodInfo;
  readonly claims: PodClaims;
  readonly demands: readonly Demand[];
  readonly #delayed: DelayedClaims | undefined;
  /** Sorted so that demands that few nodes meet come first. */
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

  /** The demand that no node can meet. */
  get everywhere(): Demand | undefined {
    return this.demands.find(({ everywhere }) => everywhere !== undefined);
  }

  /** The topics whose changes may remove an obstacle. */
  get waitsFor(): readonly string[] {
    const { everywhere } = this;
    return everywhere ? everywhere.waitsFor : this.demands.flatMap(({ waitsFor }) => waitsFor);
  }

  /** Whether a node meets all demands. */
  fits(node: NodeView): boolean {
    for (const { on } of this.#quickest) if (on?.(node)) return false;
    return true;
  }

  /** The obstacles of the first filter that a node does not pass; undefined where it passes all. */
  obstaclesOn(node: NodeView): readonly string[] | undefined {
    for (const { on } of this.demands) {
      const obstacles = on?.(node);
      if (obstacles) return obstacles;
    }
    return undefined;
  }

  /** All obstacles of a node. */
  lacksOn(node: NodeView): readonly Lack[] {
    return this.demands.flatMap(({ on, who }) => (on?.(node) ?? []).map((says) => ({ says, who })));
  }

  /** Whether preemption could remove all obstacles of a node. */
  isResolvableOn(node: NodeView): boolean {
    return this.demands.every(({ on, isResolvable }) => isResolvable || !on?.(node));
  }

  /** The plan for its claims on a feasible node. */
  planOn(node: NodeView): Plan {
    const planned = this.#delayed?.on(node);
    return planned && "plan" in planned ? planned.plan : NO_PLAN;
  }
}

/** Counts nodes by obstacle. */
export class Counts {
  readonly #counts = new Map<string, number>();

  add(obstacles: readonly string[]): void {
    for (const obstacle of obstacles) this.#counts.set(obstacle, (this.#counts.get(obstacle) ?? 0) + 1);
  }

  /** The message of an unschedulable Pod (SCHED-3). */
  message(nodes: number): string {
    const parts = [...this.#counts].map(([obstacle, count]) => `${count} ${obstacle}`).toSorted();
    return unfit(nodes, parts);
  }
}

/** The message of an unschedulable Pod, with these reasons. */
export const unfit = (nodes: number, reasons: readonly string[]): string =>
  `0/${nodes} nodes are available: ${reasons.length > 0 ? reasons.join(", ") : "there is no node"}.`;
