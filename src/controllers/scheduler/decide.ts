/** Chooses a node for a Pod: a function of the Pod and of the known state. */
import type { Slice } from "../../util/loop.ts";
import type { PodInfo } from "./pod-info.ts";
import { Counts, Evaluation, unfit } from "./evaluation.ts";
import type { NodeView } from "./node-state.ts";
import type { Plan } from "./plan.ts";
import { best } from "./score.ts";
import type { View } from "./view.ts";

/** The chosen node, or why the Pod waits. */
export type Decision =
  | { readonly is: "placed"; readonly node: string; readonly plan: Plan }
  | { readonly is: "waits"; readonly message: string; readonly evaluation: Evaluation };

/** With this many feasible nodes no more are evaluated. */
const MAX_FEASIBLE_NODES = 100;
/** How often a decision is repeated because the state has changed. */
const MAX_TRIES = 5;

/** Chooses a node for a Pod. It evaluates nodes one after the other, from `start` on, until enough are feasible. */
export async function decide(info: PodInfo, view: View, start: number, limit: Slice): Promise<Decision> {
  for (let left = MAX_TRIES; ; left--) {
    const decision = await look(info, view, start, limit);
    if (decision.is === "waits") return decision;
    // The state may have changed during a pause; from here on there is none.
    const node = view.node(decision.node);
    const evaluation = new Evaluation(info, view);
    if (node && !evaluation.everywhere && !evaluation.obstaclesOn(node)) {
      return { ...decision, plan: evaluation.planOn(node) };
    }
    if (left === 0) return { is: "waits", message: unfit(view.nodes.length, ["nodes keep changing"]), evaluation };
  }
}

async function look(info: PodInfo, view: View, start: number, limit: Slice): Promise<Decision> {
  const evaluation = new Evaluation(info, view);
  const { nodes } = view;
  const { everywhere } = evaluation;
  if (everywhere) return { is: "waits", message: unfit(nodes.length, everywhere.everywhere ?? []), evaluation };
  const fitting: NodeView[] = [];
  for (let i = 0; i < nodes.length && fitting.length < MAX_FEASIBLE_NODES; i++) {
    // oxlint-disable-next-line no-await-in-loop -- others have their turns between two nodes
    if (limit.isOver) await limit.pause();
    const node = nodes[(start + i) % nodes.length];
    if (node?.isThere && evaluation.fits(node)) fitting.push(node);
  }
  const there = fitting.filter(({ isThere }) => isThere);
  const chosen = best(info, there);
  if (chosen) return { is: "placed", node: chosen.name, plan: evaluation.planOn(chosen) };
  return { is: "waits", message: await messageOf(evaluation, nodes, limit), evaluation };
}

async function messageOf(evaluation: Evaluation, nodes: readonly NodeView[], limit: Slice): Promise<string> {
  const counts = new Counts();
  for (const node of nodes) {
    // oxlint-disable-next-line no-await-in-loop -- others have their turns between two nodes
    if (limit.isOver) await limit.pause();
    if (node.isThere) counts.add(evaluation.obstaclesOn(node) ?? []);
  }
  return counts.message(nodes.length);
}
