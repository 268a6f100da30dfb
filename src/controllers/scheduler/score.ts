/**
 * Which of the nodes that fit a Pod is the best: one that would not rather have it elsewhere, then one that it wishes for, then the one
 * with the most room left.
 *
 * @module
 */
import type { Guest } from "./guest.ts";
import { untoleratedWishes } from "./filters/taints.ts";
import { termMatcher } from "./node-selector.ts";
import type { NodeView } from "./node-state.ts";

/** What is compared in this order: more is better. */
type Score = readonly [notUnwelcome: number, wishes: number, room: number];

/** What a container that says nothing is thought to need, so that such Pods are spread, too. */
const THOUGHT: ReadonlyMap<string, number> = new Map([
  ["cpu", 100],
  ["memory", 200 * 2 ** 20],
]);

/** The best of some nodes; of equal ones the first. */
export function best(guest: Guest, nodes: readonly NodeView[]): NodeView | undefined {
  const scoreOn = scorer(guest);
  let found: NodeView | undefined;
  let most: Score | undefined;
  for (const node of nodes) {
    const score = scoreOn(node);
    if (!most || isBetter(score, most)) [found, most] = [node, score];
  }
  return found;
}

function scorer({ pod, requests }: Guest): (node: NodeView) => Score {
  const { tolerations = [], affinity } = pod.spec;
  const wishes = (affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
    ({ weight, preference }) => ({ weight, matches: termMatcher(preference) }),
  );
  const needs = new Map([...THOUGHT].map(([name, amount]) => [name, requests.get(name) || amount]));
  return (view) => {
    const wished = wishes.filter(({ matches }) => matches(view.node)).reduce((sum, { weight }) => sum + weight, 0);
    return [-untoleratedWishes(view.node, tolerations), wished, roomOn(view, needs)];
  };
}

/** The share of a node that would be left, on average of what is looked at. */
function roomOn({ allocatable, requested, guests }: NodeView, needs: ReadonlyMap<string, number>): number {
  const left = (name: string, taken: number): number => {
    const all = allocatable.get(name) ?? 0;
    return all > 0 ? Math.max(0, (all - taken) / all) : 0;
  };
  let sum = left("pods", guests.size + 1);
  for (const [name, amount] of needs) sum += left(name, (requested.get(name) ?? 0) + amount);
  return sum / (needs.size + 1);
}

function isBetter(a: Score, b: Score): boolean {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at >= 0 && a[at]! > b[at]!;
}
