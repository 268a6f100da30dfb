/**
 * Decides about the Pods whose turn it is, one after the other: each decision counts for the next one.
 *
 * @module
 */
import type { KeyContext, Result } from "../../runtime/index.ts";
import type { Slice } from "../../util/loop.ts";
import { decide } from "./decide.ts";
import { guestOf } from "./guest.ts";
import type { SchedulerMemory } from "./memory.ts";
import { isAwaited, preemptionFor } from "./preempt.ts";

/** What the scheduler is given for a key. */
export type Scheduling = KeyContext<SchedulerMemory>;

/** So many are decided about before the key comes back, so that no reconcile takes for ever. */
const MOST = 500;

/** See the head of this file. */
export async function decideNext(ctx: Scheduling): Promise<Result> {
  const limit = ctx.clock.loop.slice();
  for (let i = 0; i < MOST; i++) {
    if (ctx.signal.aborted) return undefined;
    const key = ctx.memory.line.take();
    if (key === undefined) return undefined;
    // oxlint-disable-next-line no-await-in-loop -- each decision counts for the next one
    await decideOn(ctx, key, limit);
    // oxlint-disable-next-line no-await-in-loop -- others have their turns
    await limit.pause();
  }
  ctx.memory.wake();
  return undefined;
}

async function decideOn({ memory, clock }: Scheduling, key: string, limit: Slice): Promise<void> {
  const { line, board, names } = memory;
  const pod = memory.pod(key);
  if (!pod) {
    line.drop(key);
    return;
  }
  const { changes } = line;
  const guest = guestOf(pod, names);
  const decision = await decide(guest, board, memory.nextStart(), limit);
  if (memory.pod(key)?.metadata.uid !== guest.uid) {
    // It went, or got a node, while it was decided about.
    if (line.isTaken(key)) line.retry(key);
    return;
  }
  if (decision.is === "placed") {
    const { node, plan } = decision;
    memory.begin({ guest, node, plan, since: clock.steady(), isWritten: false });
    return;
  }
  const { judgement, message } = decision;
  const preemption = await preemptionFor(judgement, board, limit);
  const isNominatedNoMore = !!pod.status?.nominatedNodeName && !preemption && !isAwaited(guest, board);
  line.park(key, judgement.heeds, changes);
  memory.fail(key, { uid: guest.uid, reason: "Unschedulable", message, preemption, isNominatedNoMore });
}
