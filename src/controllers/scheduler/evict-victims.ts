import { Pod } from "../../client/kinds/index.ts";
import { deleteObject } from "../../runtime/writes.ts";
import { setPodCondition } from "../common/pod-conditions.ts";
import type { SchedulerContext } from "./scheduling-cycle.ts";
import type { Preemption } from "./preempt.ts";

/**
 * Evicts the victims of a preemption: each gets a condition and is deleted (SCHED-47). Victims that are terminating are
 * skipped.
 */
export async function evictVictims(
  { client, event, clock }: SchedulerContext,
  pod: Pod,
  { node, victims }: Preemption,
): Promise<void> {
  const { uid } = pod.metadata;
  const message = `${pod.spec.schedulerName}: preempting to accommodate a higher priority pod`;
  const condition = { type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler", message } as const;
  for (const victim of victims) {
    if (victim.pod.metadata.deletionTimestamp !== undefined) continue;
    // oxlint-disable-next-line no-await-in-loop -- the least important go first
    await setPodCondition(client, victim.pod, condition, { now: clock.now() });
    // oxlint-disable-next-line no-await-in-loop -- likewise
    const failure = await deleteObject(client, Pod, victim.pod);
    if (!failure) event("Normal", victim.pod, "Preempted", `Preempted by pod ${uid} on node ${node}`, pod);
  }
}
