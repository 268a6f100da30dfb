import type { KeyContext, Result } from "../../runtime/index.ts";
import type { Slice } from "../../util/loop.ts";
import { decide } from "./decide.ts";
import { podInfoOf } from "./pod-info.ts";
import type { SchedulerMemory } from "./memory.ts";
import { isAwaited, preemptionFor } from "./preempt.ts";

/** The context of a key. */
export type SchedulerContext = KeyContext<SchedulerMemory>;

const MAX_DECISIONS = 500;

/** Chooses nodes for the next Pods in the queue, one after the other: each decision counts for the next. */
export async function runSchedulingCycle(ctx: SchedulerContext): Promise<Result> {
  const limit = ctx.clock.loop.slice();
  for (let i = 0; i < MAX_DECISIONS; i++) {
    if (ctx.signal.aborted) return undefined;
    const key = ctx.memory.queue.pop();
    if (key === undefined) return undefined;
    // oxlint-disable-next-line no-await-in-loop -- each decision counts for the next one
    await decideOne(ctx, key, limit);
    // oxlint-disable-next-line no-await-in-loop -- others have their turns
    await limit.pause();
  }
  ctx.memory.wake();
  return undefined;
}

async function decideOne({ memory, clock }: SchedulerContext, key: string, limit: Slice): Promise<void> {
  const { queue, state, names } = memory;
  const pod = memory.pod(key);
  if (!pod) {
    queue.drop(key);
    return;
  }
  const { changes } = queue;
  const info = podInfoOf(pod, names);
  const decision = await decide(info, state, startOf(info.uid), limit);
  if (memory.pod(key)?.metadata.uid !== info.uid) {
    // It was deleted or bound meanwhile.
    if (queue.isInFlight(key)) queue.retry(key);
    return;
  }
  if (decision.is === "placed") {
    const { node, plan } = decision;
    memory.begin({ info, node, plan, since: clock.steady(), isWritten: false });
    return;
  }
  const { evaluation, message } = decision;
  const preemption = await preemptionFor(evaluation, state, limit);
  const isNominatedNoMore = !!pod.status?.nominatedNodeName && !preemption && !isAwaited(info, state);
  queue.addUnschedulable(key, evaluation.waitsFor, changes);
  memory.fail(key, { uid: info.uid, reason: "Unschedulable", message, preemption, isNominatedNoMore });
}

/** The number of the node at which the search for a Pod begins: it differs between Pods, and is the same for one Pod in every scheduler. */
function startOf(uid: string): number {
  let start = 0;
  for (let i = 0; i < uid.length; i++) start = (Math.imul(start, 31) + uid.charCodeAt(i)) >>> 0;
  return start;
}
