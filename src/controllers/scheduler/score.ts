/**
 * Scores feasible nodes: fewest untolerated PreferNoSchedule taints, then preferred node affinity, then the largest
 * free share.
 */
import type { PodInfo } from "./pod-info.ts";
import { untoleratedPreferences } from "./filters/taints.ts";
import { termMatcher } from "../../workloads/nodes/node-selector.ts";
import type { NodeView } from "./node-state.ts";

/** Compared in this order; higher is better. */
type Score = readonly [notUnwelcome: number, preferences: number, room: number];

/** The assumed requests of a Pod without any, so that such Pods are spread, too. */
const DEFAULT_REQUESTS: ReadonlyMap<string, number> = new Map([
  ["cpu", 100],
  ["memory", 200 * 2 ** 20],
]);

/** Returns the best node; of equal ones the first. */
export function best(info: PodInfo, nodes: readonly NodeView[]): NodeView | undefined {
  const scoreOn = scorer(info);
  let found: NodeView | undefined;
  let highest: Score | undefined;
  for (const node of nodes) {
    const score = scoreOn(node);
    if (!highest || isBetter(score, highest)) [found, highest] = [node, score];
  }
  return found;
}

function scorer({ pod, requests }: PodInfo): (node: NodeView) => Score {
  const { tolerations = [], affinity } = pod.spec;
  const preferences = (affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
    ({ weight, preference }) => ({ weight, matches: termMatcher(preference) }),
  );
  const needs = new Map([...DEFAULT_REQUESTS].map(([name, amount]) => [name, requests.get(name) || amount]));
  return (view) => {
    const preferred = preferences
      .filter(({ matches }) => matches(view.node))
      .reduce((sum, { weight }) => sum + weight, 0);
    return [-untoleratedPreferences(view.node, tolerations), preferred, roomOn(view, needs)];
  };
}

/** The average free share of a node once the Pod runs there. */
function roomOn({ allocatable, requested, pods }: NodeView, needs: ReadonlyMap<string, number>): number {
  const left = (name: string, taken: number): number => {
    const all = allocatable.get(name) ?? 0;
    return all > 0 ? Math.max(0, (all - taken) / all) : 0;
  };
  let sum = left("pods", pods.size + 1);
  for (const [name, amount] of needs) sum += left(name, (requested.get(name) ?? 0) + amount);
  return sum / (needs.size + 1);
}

function isBetter(a: Score, b: Score): boolean {
  const at = a.findIndex((value, i) => value !== b[i]);
  return (a[at] ?? 0) > (b[at] ?? 0);
}
