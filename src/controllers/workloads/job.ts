/**
 * Runs Jobs: makes and deletes their Pods, counts those that ended, and decides when a Job has finished (WL-JOB-1..42). It does not delete
 * Jobs.
 */
import { type Client, StatusError, attempt, keyOf } from "../../client/index.ts";
import { Job, Pod } from "../../client/kinds/index.ts";
import { type Controller, type KeyContext, type Result, defineKeyController } from "../../runtime/index.ts";
import { REQUEUE_SOON, writeStatus } from "../../runtime/writes.ts";
import { failuresOf } from "../../workloads/job/backoff.ts";
import { finishedCondition } from "../../workloads/job/ends.ts";
import { type JobOutcome, type JobPlan, deletesPod, planJob } from "../../workloads/job/plan.ts";
import { TRACKING_FINALIZER, isTracked } from "../../workloads/job/pods.ts";
import { type PlannedWrite, updates } from "../../workloads/common/plan.ts";
import { adopted, controllerOf, planOwnership, released } from "../../workloads/common/ownership.ts";
import { JobMemory, isManagedElsewhere, jobPods, selects, workloadJobs } from "./job-memory.ts";
import { candidatesOf } from "./informers.ts";
import { isOfTerminatingNamespace } from "./in-namespace.ts";
import { type Performed, performed } from "./perform.ts";

type JobContext = KeyContext<JobMemory>;

/** Concurrent requests. */
const SIDE_BY_SIDE = 64;

/** The controller named `job`. */
export const job: Controller = defineKeyController({
  name: "keelson-job",
  eventSource: "job-controller",
  uses: [workloadJobs, jobPods],
  backoff: { first: "1s", most: "1m" },
  begin: (parts, add) => new JobMemory(parts, add),
  async reconcile(ctx): Promise<Result> {
    const [kind, namespace = "", name = ""] = ctx.key.split("/");
    if (kind === "pod") return untrackFree(ctx, { namespace, name });
    ctx.memory.begins(ctx.key);
    const found = ctx.memory.jobs.get({ namespace, name });
    if (!found || finishedCondition(found) || isManagedElsewhere(found)) return undefined;
    return run(ctx, found);
  },
});

/** Performs the plan of a Job that has not finished. */
async function run(ctx: JobContext, found: Job): Promise<Result> {
  const { memory, clock, client } = ctx;
  const tell = tellsAbout(ctx, found);
  const { owned, adopts, releases } = planOwnership(found, candidatesOf(found, memory.pods), (pod) =>
    selects(found, pod),
  );
  if (adopts.length + releases.length > 0) return take(ctx, found, adopts, releases);
  const { uid } = found.metadata;
  const uncounted = found.status.uncountedTerminatedPods ?? {};
  const known =
    memory.failures.get(uid) ??
    failuresOf(owned, new Set([...(uncounted.succeeded ?? []), ...(uncounted.failed ?? [])]));
  const plan = planJob({ job: found, pods: owned, failures: known, now: clock.now() });
  if (plan.isUncounted) {
    const { error } = await untrack(client, plan.deletes);
    if (error) throw error;
  }
  const writes = [...plan.creates, ...plan.deletes.map(deletesPod)];
  const done = await performed({ stages: [writes] }, { client, tell });
  if (done.isOvertaken) return REQUEUE_SOON;
  if (!(await count(ctx, found, plan, outcomeOf(plan, done)))) return REQUEUE_SOON;
  if (isOfTerminatingNamespace(done.error)) return undefined;
  if (done.error) throw done.error;
  return plan.againMillis === undefined ? undefined : { requeueAfter: Math.max(1, Math.ceil(plan.againMillis)) };
}

function outcomeOf({ deletes }: JobPlan, { written, refusals }: Performed): JobOutcome {
  const refused = new Set(refusals.map(({ write }) => (write.verb === "delete" ? write.object : undefined)));
  return {
    created: written.length,
    deleted: deletes.filter((pod) => !refused.has(pod)),
    isRefused: refusals.length > 0,
  };
}

/**
 * Writes the status of a Job and counts its Pods, each step only after the one before (WL-JOB-3). Returns whether the Job was still as in
 * the plan. @throws where a Pod kept its finalizer, when the others are counted
 */
async function count(ctx: JobContext, found: Job, plan: JobPlan, outcome: JobOutcome): Promise<boolean> {
  const { client, memory } = ctx;
  const { status, untracks, settle, events } = plan.track(outcome);
  let latest = found;
  if (status) {
    const written = await writeStatus(client, Job, { ...found, status });
    if (!written) return false;
    latest = written;
  }
  tellAll(ctx, found, events);
  if (untracks.length > 0) memory.failures.set(found.metadata.uid, plan.failures);
  const { untracked, error } = await untrack(client, untracks);
  const settled = settle(untracked);
  if (settled && !(await writeStatus(client, Job, { ...latest, status: settled.status }))) return false;
  tellAll(ctx, found, settled?.events ?? []);
  if (error) throw error;
  return true;
}

/** Adopts and releases Pods; the next plan is made when that is seen (WL-GEN-1). */
async function take(ctx: JobContext, owner: Job, adopts: readonly Pod[], releases: readonly Pod[]): Promise<Result> {
  const writes = [
    ...adopts.map((pod) => updates(Pod, adopted(isTracked(pod) ? pod : tracked(pod), owner))),
    ...releases.map((pod) => updates(Pod, released(withoutTracking(pod), owner))),
  ];
  const done = await performed({ stages: [writes] }, { client: ctx.client, tell: tellsAbout(ctx, owner) });
  if (done.error) throw done.error;
  return done.isOvertaken ? REQUEUE_SOON : { requeueAfter: 1 };
}

const tracked = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, finalizers: [...(pod.metadata.finalizers ?? []), TRACKING_FINALIZER] },
});

const withoutTracking = (pod: Pod): Pod => ({
  ...pod,
  metadata: {
    ...pod.metadata,
    finalizers: (pod.metadata.finalizers ?? []).filter((one) => one !== TRACKING_FINALIZER),
  },
});

/** Removes the finalizer of a Pod that no Job counts: it has no Job, or one that is deleted or has finished (WL-JOB-3). */
async function untrackFree({ memory, client }: JobContext, key: { namespace: string; name: string }): Promise<void> {
  const pod = memory.pods.get(key);
  if (!pod || !isTracked(pod)) return;
  const controller = controllerOf(pod);
  if (controller) {
    if (controller.kind !== Job.kind || controller.apiVersion !== "batch/v1") return;
    // Memory may not have a new Job yet.
    const owner =
      memory.jobOf(pod) ?? (await client.resource(Job).find({ namespace: key.namespace, name: controller.name }));
    const isOwner = owner?.metadata.uid === controller.uid;
    if (owner && isOwner && (!finishedCondition(owner) || isManagedElsewhere(owner))) return;
  }
  const { error } = await untrack(client, [pod]);
  if (error) throw error;
}

/** Pods without the finalizer; a deleted one counts among them. */
interface Untracked {
  readonly untracked: ReadonlySet<Pod>;
  /** The first refusal. */
  readonly error: StatusError | undefined;
}

/** Removes the finalizer of Pods. */
async function untrack(client: Client, pods: readonly Pod[]): Promise<Untracked> {
  const untracked = new Set<Pod>();
  let error: StatusError | undefined;
  const remove = async (pod: Pod): Promise<void> => {
    try {
      if (isTracked(pod))
        await attempt(
          client.resource(Pod).patch(keyOf<"Namespaced">(pod), patchOf(pod) as never, { strategic: true }),
          "NotFound",
        );
      untracked.add(pod);
    } catch (refusal) {
      if (!(refusal instanceof StatusError)) throw refusal;
      error ??= refusal;
    }
  };
  for (let at = 0; at < pods.length; at += SIDE_BY_SIDE) {
    // oxlint-disable-next-line no-await-in-loop -- as many side by side as one request may take
    await Promise.all(pods.slice(at, at + SIDE_BY_SIDE).map(remove));
  }
  return { untracked, error };
}

/** Removes one finalizer and keeps all others. */
const patchOf = ({ metadata: { uid } }: Pod): object => ({
  metadata: { uid, "$deleteFromPrimitiveList/finalizers": [TRACKING_FINALIZER] },
});

const tellsAbout =
  (ctx: JobContext, about: Job) =>
  (type: "Normal" | "Warning", reason: string, note: string): void =>
    ctx.event(type, about, reason, note);

function tellAll(ctx: JobContext, about: Job, events: readonly PlannedWrite[]): void {
  const tell = tellsAbout(ctx, about);
  for (const event of events) if (event.verb === "event") tell(event.type, event.reason, event.note);
}
