import type { Slice } from "../util/loop.ts";
import { keyText } from "../client/index.ts";
import type { PersistentVolumeClaim, Pod } from "../client/kinds/index.ts";
import { podInfoOf } from "../controllers/scheduler/pod-info.ts";
import { Evaluation, type Lack } from "../controllers/scheduler/evaluation.ts";
import { isGated } from "../controllers/scheduler/memory.ts";
import { SCHEDULER, schedulerNames } from "../controllers/scheduler/names.ts";
import { isFinished } from "../claims/usage.ts";
import type { ConsideredNode, ReportedReason, WhyReport } from "../meta/why-report.ts";
import { ACTORS } from "./actors.ts";
import { lastFailure, quoteOf, quoted, eventsAbout } from "./events.ts";
import { type Facts, First, MAX_NAMED, firstOf, prefixed, prefixedOr, refOf } from "./facts.ts";
import { explainPlaced } from "./placed-pods.ts";
import { type PodState, stateFor } from "./pod-state.ts";

/** The part of a report about a Pod. */
export type PodPart = Pick<WhyReport, "reasons" | "nodes" | "leftOut">;

/**
 * Explains why a Pod has no node, by the filters of the scheduler on each node.
 *
 * @param limit the maximum number of nodes
 */
export async function explainPod(facts: Facts, pod: Pod, limit: number): Promise<PodPart> {
  const { nodeName, schedulerName = SCHEDULER, schedulingGates = [] } = pod.spec;
  if (pod.metadata.deletionTimestamp !== undefined) return { reasons: [] };
  if (isFinished(pod)) return { reasons: ofFinished(pod) };
  if (nodeName) return { reasons: await facts.reasonsOrRefusal(() => explainPlaced(facts, pod, nodeName)) };
  if (isGated(pod)) {
    const gates = schedulingGates.map(({ name }) => name).join(", ");
    const says = `it has no node, and is not scheduled before its scheduling gates are removed: ${gates}`;
    return { reasons: [{ says, who: "the user or program that set the gates" }] };
  }
  if (schedulerName !== SCHEDULER) {
    return { reasons: await facts.reasonsOrRefusal(() => ofOtherScheduler(facts, pod, schedulerName)) };
  }
  const nodes = new First<ConsideredNode>(limit, byFewestLacks);
  const reasons = await facts.reasonsOrRefusal(() => explainWaiting(facts, pod, nodes));
  return nodes.count === 0 ? { reasons } : { reasons, nodes: nodes.items, leftOut: nodes.more };
}

/** The last Event of another scheduler, whose filters are unknown. */
async function ofOtherScheduler(facts: Facts, pod: Pod, name: string): Promise<readonly ReportedReason[]> {
  const who = `the scheduler ${name}`;
  const event = lastFailure(await eventsAbout(facts, pod), ACTORS.scheduler);
  if (event) return [{ says: `${who} says: ${event.message}`, who, about: refOf(pod), quotes: quoteOf(event) }];
  const condition = pod.status.conditions?.find(({ type }) => type === "PodScheduled");
  const message = condition?.status === "False" ? condition.message : undefined;
  if (!message) return [{ says: "it has no node yet", who }];
  return [{ says: `${who} says: ${quoted(message)}`, who, quotes: { in: "condition", reason: "PodScheduled" } }];
}

/** The status message of a failed Pod. */
function ofFinished({ status }: Pod): readonly ReportedReason[] {
  const { phase, reason = "", message = "" } = status;
  const why = [reason, message].filter((text) => text !== "").map(quoted);
  if (phase !== "Failed" || why.length === 0) return [];
  const quotes = { in: "status", reason: "message" } as const;
  return [{ says: `it has failed: ${why.join(": ")}`, who: "a user who creates it again", quotes }];
}

/** The nodes with the fewest obstacles first. */
const byFewestLacks = (a: ConsideredNode, b: ConsideredNode): number =>
  a.lacks.length - b.lacks.length || (a.node < b.node ? -1 : 1);

async function explainWaiting(
  facts: Facts,
  pod: Pod,
  nodes: First<ConsideredNode>,
): Promise<readonly ReportedReason[]> {
  const info = podInfoOf(pod, schedulerNames(facts.dialect));
  const gathered = await stateFor(facts, info);
  const evaluation = new Evaluation(info, gathered.state);
  if (evaluation.everywhere) return ofEverywhere(facts, evaluation, gathered);
  await gathered.readNodes();
  const chosen = await ofChosen(facts, gathered, evaluation.claims.delayed);
  // The node is chosen already.
  if (chosen.length > 0) return chosen;
  const lacks = await consider(gathered, info, nodes, facts.client.clock.loop.slice());
  const refused = await ofRefused(facts, evaluation.claims.delayed);
  if (refused.length > 0) return nodes.items[0]?.lacks.length === 0 ? refused : [...refused, ...lacks];
  const [nearest] = nodes.items;
  if (nearest?.lacks.length === 0) {
    return [
      { says: `the node ${nearest.node} fits it, and it is not assigned yet`, who: `the scheduler ${SCHEDULER}` },
    ];
  }
  if (nodes.count === 0)
    return [{ says: `there is no node${facts.thatWasSeen}`, who: "an administrator who adds nodes" }];
  return lacks;
}

/** The obstacles on every node. */
async function ofEverywhere(
  facts: Facts,
  { claims, everywhere }: Evaluation,
  { state }: PodState,
): Promise<readonly ReportedReason[]> {
  if (claims.unready.length === 0) {
    const { everywhere: obstacles = [], who = "" } = everywhere ?? {};
    return obstacles.map((says) => ({ says, who }));
  }
  const first = new First<ReportedReason>(MAX_NAMED);
  for (const { key, says, who } of claims.unready) {
    const claim = state.claim(key);
    // oxlint-disable-next-line no-await-in-loop -- one claim after the other
    const those = claim ? prefixed(`its claim ${claim.metadata.name}`, await facts.reasonsOf(claim)) : [];
    for (const reason of those.length > 0 ? those : [{ says, who }]) first.add(reason);
  }
  return firstOf(first, (reason) => reason);
}

/** Evaluates each node, and counts nodes by obstacle. */
async function consider(
  { state }: PodState,
  info: Evaluation["info"],
  nodes: First<ConsideredNode>,
  limit: Slice,
): Promise<readonly ReportedReason[]> {
  const evaluation = new Evaluation(info, state);
  const counts = new Map<string, { count: number; readonly lack: Lack }>();
  for (const node of state.nodes) {
    // oxlint-disable-next-line no-await-in-loop -- a pause between two nodes
    if (limit.isOver) await limit.pause();
    const lacks = evaluation.lacksOn(node);
    nodes.add({ node: node.name, lacks: lacks.map(({ says }) => says) });
    for (const lack of lacks) {
      const known = counts.get(lack.says);
      if (known) known.count++;
      else counts.set(lack.says, { count: 1, lack });
    }
  }
  const most = new First<{ readonly count: number; readonly lack: Lack }>(MAX_NAMED, (a, b) => b.count - a.count);
  for (const one of counts.values()) most.add(one);
  const all = state.nodes.length;
  return firstOf(most, ({ count, lack }) => ({ says: `of ${all} nodes ${count}: ${lack.says}`, who: lack.who }));
}

/** The claims with a selected node or volume that are not bound yet. */
async function ofChosen(
  facts: Facts,
  { state }: PodState,
  delayed: readonly PersistentVolumeClaim[],
): Promise<readonly ReportedReason[]> {
  const { binder } = state.names;
  const reasons: ReportedReason[] = [];
  for (const claim of delayed) {
    const { name, uid } = claim.metadata;
    const node = claim.metadata.annotations?.[binder.selectedNode];
    const reserved = state.volumesNaming(keyText(claim.metadata)).find(({ spec }) => spec.claimRef?.uid === uid);
    if (reserved) {
      const says = `the volume ${reserved.metadata.name} is reserved for its claim ${name}, which is not bound yet`;
      reasons.push({ says, who: "the controller persistentvolume-binder" });
    } else if (node !== undefined) {
      // oxlint-disable-next-line no-await-in-loop -- one claim after the other
      const those = await facts.reasonsOf(claim);
      reasons.push(...prefixedOr(`its claim ${name} waits for a volume for the node ${node}`, claim, those));
    }
  }
  return reasons;
}

/** The claims whose driver refused the last selected node. */
async function ofRefused(facts: Facts, delayed: readonly PersistentVolumeClaim[]): Promise<readonly ReportedReason[]> {
  const reasons: ReportedReason[] = [];
  for (const claim of delayed) {
    // oxlint-disable-next-line no-await-in-loop -- one claim after the other
    const those = (await facts.reasonsOf(claim)).filter(({ quotes }) => quotes !== undefined);
    reasons.push(...prefixed(`its claim ${claim.metadata.name} waits for a volume`, those));
  }
  return reasons;
}
