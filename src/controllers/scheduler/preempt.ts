/**
 * Which Pods of a lower priority would have to go so that one has room, and where that does the least harm (SCHED-47, SCHED-48).
 *
 * @module
 */
import type { Slice } from "../../util/loop.ts";
import type { Guest } from "./guest.ts";
import type { Judgement } from "./judgement.ts";
import { type NodeView, without } from "./node-state.ts";
import type { View } from "./view.ts";

/** Who has to go, and from where. */
export interface Preemption {
  readonly node: string;
  /** Of the lowest priority first. */
  readonly victims: readonly Guest[];
}

/** Whether a Pod may displace others. */
export const mayPreempt = ({ pod }: Guest): boolean => pod.spec.preemptionPolicy !== "Never";

/** See the head of this file; undefined where nobody's going would help. */
export async function preemptionFor(judgement: Judgement, view: View, limit: Slice): Promise<Preemption | undefined> {
  const { guest } = judgement;
  if (judgement.everywhere || !mayPreempt(guest) || isAwaited(guest, view)) return undefined;
  let found: Preemption | undefined;
  for (const node of view.nodes) {
    // oxlint-disable-next-line no-await-in-loop -- others have their turns between two nodes
    if (limit.isOver) await limit.pause();
    if (!node.isThere) continue;
    const victims = victimsOn(judgement, node);
    if (victims && (!found || harm(victims) < harm(found.victims) || isLess(victims, found.victims))) {
      found = { node: node.name, victims };
    }
  }
  return found;
}

/** Whether Pods are leaving already to make room for it. */
export function isAwaited({ pod, priority }: Guest, view: View): boolean {
  const node = view.node(pod.status?.nominatedNodeName ?? "");
  const guests = [...(node?.guests.values() ?? [])];
  return guests.some((guest) => guest.priority < priority && guest.pod.metadata.deletionTimestamp !== undefined);
}

/** The fewest Pods of a node that have to go: those that need not go stay, the most important ones first. */
function victimsOn(judgement: Judgement, node: NodeView): readonly Guest[] | undefined {
  const { priority } = judgement.guest;
  // Who is not there yet cannot be told to go.
  const lower = [...node.guests.values()].filter((guest) => guest.priority < priority && guest.pod.spec.nodeName);
  if (lower.length === 0 || !judgement.isEasedOn(node)) return undefined;
  const gone = new Set(lower.map(({ uid }) => uid));
  if (judgement.obstaclesOn(without(node, gone))) return undefined;
  for (const guest of lower.toSorted(byImportance)) {
    gone.delete(guest.uid);
    if (judgement.obstaclesOn(without(node, gone))) gone.add(guest.uid);
  }
  const victims = lower.filter(({ uid }) => gone.has(uid)).toSorted((a, b) => byImportance(b, a));
  return victims.length > 0 ? victims : undefined;
}

/** The most important first; of equal ones the one that came first. */
const byImportance = (a: Guest, b: Guest): number =>
  b.priority - a.priority || (a.pod.metadata.creationTimestamp < b.pod.metadata.creationTimestamp ? -1 : 1);

const harm = (victims: readonly Guest[]): number => Math.max(...victims.map(({ priority }) => priority));

const isLess = (a: readonly Guest[], b: readonly Guest[]): boolean => harm(a) === harm(b) && a.length < b.length;
