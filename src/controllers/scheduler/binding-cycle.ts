import { StatusError } from "../../client/index.ts";
import type { Pod } from "../../client/kinds/index.ts";
import type { Result } from "../../runtime/index.ts";
import { setPodCondition } from "../common/pod-conditions.ts";
import type { SchedulerContext } from "./scheduling-cycle.ts";
import { type Attempt, type Failure, isGated } from "./memory.ts";
import { evictVictims } from "./evict-victims.ts";
import { claimProgress } from "./claim-progress.ts";
import { writePlan } from "./write-plan.ts";

/** How long the Pod waits for the binder and the provisioners (SCHED-31). */
const BIND_TIMEOUT_MS = 600_000;

/**
 * The binding cycle of a Pod: writes the plan for its claims, waits for the binder and binds the Pod to its node; or
 * writes why the Pod is unschedulable.
 */
export async function runBindingCycle(ctx: SchedulerContext, key: string): Promise<Result> {
  const { memory } = ctx;
  const pod = memory.pod(key);
  if (!pod) return undefined;
  if (isGated(pod)) return reportGated(ctx, pod);
  const attempt = memory.attempt(key);
  if (attempt) return bindWhenReady(ctx, key, attempt);
  const failure = memory.failures.get(key);
  memory.failures.delete(key);
  if (failure?.uid === pod.metadata.uid) await reportFailure(ctx, pod, failure);
  return undefined;
}

/** Executes an attempt as far as possible now (SCHED-30..32). */
async function bindWhenReady(ctx: SchedulerContext, key: string, attempt: Attempt): Promise<Result> {
  const { memory, clock, signal } = ctx;
  try {
    const fault = attempt.isWritten ? undefined : await writePlan(ctx, attempt);
    attempt.isWritten = true;
    const standing = fault === undefined ? claimProgress(attempt, memory) : ({ is: "failed", why: fault } as const);
    if (standing.is === "failed") {
      memory.retry(key, standing.why);
      return undefined;
    }
    if (standing.is === "ready") {
      await bind(ctx, attempt);
      return undefined;
    }
    const left = attempt.since + BIND_TIMEOUT_MS - clock.steady();
    if (left > 0) return { requeueAfter: left };
    memory.retry(key, `expected its claims to be bound within 10 minutes: ${standing.for}`);
    return undefined;
  } catch (error) {
    if (!(error instanceof StatusError) || signal.aborted) throw error;
    memory.retry(key, `its node was to be ${attempt.node}, and that failed: ${error.status.message ?? error.message}`);
    return undefined;
  }
}

/** Binds a Pod to its node (SCHED-2). */
async function bind({ client, event, signal }: SchedulerContext, { info, node }: Attempt): Promise<void> {
  const { name, namespace = "", uid } = info.pod.metadata;
  const target = { apiVersion: "v1", kind: "Node", name: node };
  const body = { apiVersion: "v1", kind: "Binding", metadata: { name, namespace, uid }, target };
  signal.throwIfAborted();
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/binding`;
  await client.json("POST", path, { body });
  event("Normal", info.pod, "Scheduled", `Successfully assigned ${namespace}/${name} to ${node}`);
}

/** Writes why a Pod is unschedulable (SCHED-3, SCHED-6), and evicts the victims of a preemption (SCHED-47). */
async function reportFailure(ctx: SchedulerContext, pod: Pod, failure: Failure): Promise<void> {
  const { reason, message, preemption, isNominatedNoMore } = failure;
  const nominatedNodeName = preemption?.node ?? (isNominatedNoMore ? null : undefined);
  const more = nominatedNodeName === undefined ? {} : { nominatedNodeName };
  const condition = { type: "PodScheduled", status: "False", reason, message } as const;
  if (await setPodCondition(ctx.client, pod, condition, { now: ctx.clock.now(), more })) {
    ctx.event("Warning", pod, "FailedScheduling", message);
  }
  if (preemption) await evictVictims(ctx, pod, preemption);
}

/** Writes that a Pod has scheduling gates (SCHED-5). */
async function reportGated({ client, clock }: SchedulerContext, pod: Pod): Promise<Result> {
  const message = "Scheduling is blocked due to non-empty scheduling gates";
  const condition = { type: "PodScheduled", status: "False", reason: "SchedulingGated", message } as const;
  await setPodCondition(client, pod, condition, { now: clock.now() });
  return undefined;
}
