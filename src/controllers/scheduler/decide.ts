/**
 * Where a Pod goes: a function of the Pod and of what is known.
 *
 * @module
 */
import type { Slice } from "../../util/loop.ts";
import type { Guest } from "./guest.ts";
import { Counts, Judgement, unfit } from "./judgement.ts";
import type { NodeView } from "./node-state.ts";
import type { Plan } from "./plan.ts";
import { best } from "./score.ts";
import type { View } from "./view.ts";

/** Where a Pod goes, or why it has to wait. */
export type Decision =
  | { readonly is: "placed"; readonly node: string; readonly plan: Plan }
  | { readonly is: "waits"; readonly message: string; readonly judgement: Judgement };

/** So many nodes that fit are enough to choose among. */
const ENOUGH = 100;
/** So many times all is looked at again because it has changed meanwhile. */
const MOST_TRIES = 5;

/**
 * Decides about a Pod. Nodes are asked one after the other, from `start` on, until there are enough to choose among: where only one
 * fits it is found.
 */
export async function decide(guest: Guest, view: View, start: number, limit: Slice): Promise<Decision> {
  for (let left = MOST_TRIES; ; left--) {
    const decision = await look(guest, view, start, limit);
    if (decision.is === "waits") return decision;
    // What was seen before a pause may be different now; after this nothing can be.
    const node = view.node(decision.node);
    const judgement = new Judgement(guest, view);
    if (node && !judgement.everywhere && !judgement.obstaclesOn(node)) {
      return { ...decision, plan: judgement.planOn(node) };
    }
    if (left === 0) return { is: "waits", message: unfit(view.nodes.length, ["nodes keep changing"]), judgement };
  }
}

async function look(guest: Guest, view: View, start: number, limit: Slice): Promise<Decision> {
  const judgement = new Judgement(guest, view);
  const { nodes } = view;
  const { everywhere } = judgement;
  if (everywhere) return { is: "waits", message: unfit(nodes.length, everywhere.everywhere!), judgement };
  const fitting: NodeView[] = [];
  for (let i = 0; i < nodes.length && fitting.length < ENOUGH; i++) {
    // oxlint-disable-next-line no-await-in-loop -- others have their turns between two nodes
    if (limit.isOver) await limit.pause();
    const node = nodes[(start + i) % nodes.length]!;
    if (node.isThere && judgement.fits(node)) fitting.push(node);
  }
  const there = fitting.filter(({ isThere }) => isThere);
  const chosen = best(guest, there);
  if (chosen) return { is: "placed", node: chosen.name, plan: judgement.planOn(chosen) };
  return { is: "waits", message: await messageOf(judgement, nodes, limit), judgement };
}

/** What all nodes lack, counted. */
async function messageOf(judgement: Judgement, nodes: readonly NodeView[], limit: Slice): Promise<string> {
  const counts = new Counts();
  for (const node of nodes) {
    // oxlint-disable-next-line no-await-in-loop -- others have their turns between two nodes
    if (limit.isOver) await limit.pause();
    if (node.isThere) counts.add(judgement.obstaclesOn(node) ?? []);
  }
  return counts.message(nodes.length);
}
