/**
 * Makes the Jobs of CronJobs when they are due, and deletes those that ended and are too many (WL-CRON-1..7). The controller of Jobs runs
 * them.
 */
import { type Key, StatusError, attempt, keyOf } from "../../client/index.ts";
import { CronJob, Job } from "../../client/kinds/index.ts";
import {
  type Context,
  type Controller,
  type ObjectEvent,
  type Result,
  type Source,
  defineController,
  keysPushed,
  sharedInformer,
  watches,
} from "../../runtime/index.ts";
import { controllerUid, ownerKey } from "../../runtime/owners.ts";
import { REQUEUE_SOON, deleteObject, writeStatus } from "../../runtime/writes.ts";
import type { Timer } from "../../util/clock.ts";
import { localZone } from "../../util/time-zone.ts";
import { controllerOf } from "../../workloads/common/ownership.ts";
import { untilNext } from "../../workloads/cronjob/due.ts";
import { type DueJob, planCronJob, withJob, withoutJobs, zonedSchedule } from "../../workloads/cronjob/plan.ts";
import { finishedCondition } from "../../workloads/job/ends.ts";
import { isSameStatus } from "../../workloads/job/status.ts";
import { ownedBy } from "./informers.ts";
import { workloadJobs } from "./job-memory.ts";
import { isEnding, refusalText } from "./refusal.ts";

const cronJobs = sharedInformer(CronJob);

/** Whether an event changes when a CronJob is due: such a CronJob is reconciled only when it is due by the new schedule. */
const isRescheduled = (event: ObjectEvent<CronJob>): boolean =>
  event.type === "changed" &&
  (event.old.spec.schedule !== event.object.spec.schedule || event.old.spec.timeZone !== event.object.spec.timeZone);

/** Whether an event of a Job concerns its CronJob: it was created, was deleted or has finished. */
const concernsOwner = (event: ObjectEvent<Job>): boolean =>
  event.type !== "changed" ||
  controllerUid(event.old) !== controllerUid(event.object) ||
  finishedCondition(event.old)?.type !== finishedCondition(event.object)?.type;

/** The key of the CronJob that controls a Job. */
const ownersOf = (job: Job): readonly Key<"Namespaced">[] => {
  const key = ownerKey(job, CronJob as never) as Key<"Namespaced"> | undefined;
  return key ? [key] : [];
};

/** Postpones CronJobs with a changed schedule until they are due. */
const rescheduled: Source<Key<"Namespaced">> = keysPushed((add, { own, clock }) => {
  const timers = new Map<string, Timer>();
  const stack = new DisposableStack();
  stack.defer(() => timers.forEach((timer) => timer.cancel()));
  const listener = (event: ObjectEvent<CronJob>): void => {
    const { uid } = event.object.metadata;
    if (!isRescheduled(event) && event.type !== "deleted") return;
    timers.get(uid)?.cancel();
    timers.delete(uid);
    const zoned = zonedSchedule(event.object, localZone());
    const key = keyOf<"Namespaced">(event.object);
    if (event.type === "deleted") return;
    if (!zoned) return add(key);
    const wait = untilNext(event.object, zoned, clock.now());
    if (wait === undefined) return add(key);
    const due = (): void => {
      timers.delete(uid);
      add(key);
    };
    timers.set(uid, clock.after(wait, due));
  };
  stack.use(own(cronJobs).on(listener));
  return stack;
});

/** The controller named `cronjob`. */
export const cronJob: Controller = defineController({
  name: "keelson-cronjob",
  eventSource: "cronjob-controller",
  for: cronJobs,
  predicate: (event) => !isRescheduled(event),
  uses: [workloadJobs],
  sources: [rescheduled, watches(workloadJobs, ownersOf, concernsOwner)],
  backoff: { first: "5ms", most: "1000s" },
  async reconcile(ctx): Promise<Result> {
    const { object, client, clock, events } = ctx;
    const jobs = ctx.informer(workloadJobs);
    const { namespace = "" } = object.metadata;
    const plan = planCronJob({
      cronJob: object,
      jobs: ownedBy(object, jobs),
      exists: (name) => jobs.get({ namespace, name }) !== undefined,
      now: clock.now(),
      localZone: localZone(),
    });
    for (const event of plan.events) {
      if (event.verb === "event") events[event.type === "Normal" ? "normal" : "warning"](event.reason, event.note);
    }
    await removeAll(ctx, plan.removes);
    const done = await make(ctx, plan.due);
    if (done === "overtaken") return REQUEUE_SOON;
    const { made, replaced, error } = done;
    const without = withoutJobs(plan.status, replaced);
    const status = made && plan.due ? withJob(without, plan.due, made) : without;
    if (!isSameStatus(status, object.status) && !(await writeStatus(client, CronJob, { ...object, status }))) {
      return REQUEUE_SOON;
    }
    if (error !== undefined) throw error;
    const again = plan.againMillis(status);
    return again === undefined ? undefined : { requeueAfter: Math.max(1, again) };
  },
});

type CronContext = Context<CronJob, "Namespaced">;

/** Deletes Jobs with their Pods; a refused deletion is retried at the next reconcile. Returns those that are deleted or being deleted. */
async function removeAll({ client, events }: CronContext, jobs: readonly Job[]): Promise<readonly Job[]> {
  const removed: Job[] = [];
  for (const job of jobs) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- few, in their order
      await deleteObject(client, Job, job, { propagationPolicy: "Background" });
      removed.push(job);
      events.normal("SuccessfulDelete", `Deleted job ${job.metadata.name}`, job);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      events.warning("FailedDelete", `Deleted job: ${refusalText(error)}`, job);
    }
  }
  return removed;
}

/** The result for a Job that is due. */
interface Made {
  readonly made?: Job;
  readonly replaced: readonly Job[];
  readonly error?: Error;
}

/** Creates the Job that is due, and deletes others first where it replaces them (WL-CRON-4). */
async function make(ctx: CronContext, due: DueJob | undefined): Promise<Made | "overtaken"> {
  if (!due) return { replaced: [] };
  const { client, events, object } = ctx;
  const replaced = await removeAll(ctx, due.replaces);
  if (replaced.length < due.replaces.length) {
    return { replaced, error: new Error(`expected to replace every active job of ${object.metadata.name}`) };
  }
  const { namespace = "", name = "" } = due.job.metadata;
  try {
    const created = await attempt(client.resource(Job).create(due.job), "AlreadyExists");
    if (created.ok) {
      events.normal("SuccessfulCreate", `Created job ${name}`, created.value);
      return { made: created.value, replaced };
    }
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (!isEnding(error)) events.warning("FailedCreate", `Error creating job: ${refusalText(error)}`);
    return { replaced, error };
  }
  // It was created before the status was written; a Job of another controller is not counted.
  const existing = await client.resource(Job).find({ namespace, name });
  if (!existing) return "overtaken";
  return controllerOf(existing)?.uid === object.metadata.uid ? { made: existing, replaced } : { replaced };
}
