/**
 * Plans a CronJob: the Job that is due, the Jobs to delete, and its status.
 *
 * @module
 */
import type { NewObject } from "../../client/kind.ts";
import type { CronJob, Job } from "../../client/kinds/index.ts";
import { parseCron } from "../../meta/cron.ts";
import { formatTime } from "../../meta/time.ts";
import { timeZone } from "../../util/time-zone.ts";
import { type PlannedWrite, tells } from "../common/plan.ts";
import { ownedBy } from "../common/ownership.ts";
import { finishedCondition } from "../job/ends.ts";
import { type ZonedSchedule, dueBy, untilNext } from "./due.ts";

/** A CronJob, the Jobs that it controls, and the time in milliseconds since the epoch. */
export interface CronInput {
  readonly cronJob: CronJob;
  readonly jobs: readonly Job[];
  /** Whether a Job with a name exists, whatever its controller. */
  readonly exists: (name: string) => boolean;
  readonly now: number;
  /** The zone of schedules that name none. */
  readonly localZone: string;
}

/** A Job that is due. */
export interface DueJob {
  readonly job: NewObject<Job>;
  /** The scheduled time, in RFC 3339. */
  readonly time: string;
  /** Jobs that it replaces: they are deleted first. */
  readonly replaces: readonly Job[];
}

/** The writes for a CronJob. */
export interface CronPlan {
  readonly events: readonly PlannedWrite[];
  /** Finished Jobs beyond the limits. */
  readonly removes: readonly Job[];
  readonly due: DueJob | undefined;
  /** The status without the Job that is due. */
  readonly status: CronJob["status"];
  /** Milliseconds until the plan changes although no object does, from the current status. */
  readonly againMillis: (status: CronJob["status"]) => number | undefined;
}

type Active = NonNullable<CronJob["status"]["active"]>[number];

const SCHEDULED_TIMESTAMP = "batch.kubernetes.io/cronjob-scheduled-timestamp";
const MANY = 100;
const TOO_MANY = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";

/** Plans a CronJob. */
export function planCronJob(input: CronInput): CronPlan {
  const { cronJob, now } = input;
  const removes = removedJobs(input);
  // A removal from the status needs no Event.
  const kept = { ...input.cronJob, status: withoutJobs(input.cronJob.status, removes) };
  const known = knownJobs({ ...input, cronJob: kept });
  const { status } = known;
  const base = { removes, status, due: undefined, againMillis: () => undefined };
  if (cronJob.metadata.deletionTimestamp !== undefined) return { ...base, events: known.events };
  const scheduled = scheduleOf(input);
  const events = [...known.events, ...scheduled.events];
  if (!scheduled.zoned) return { ...base, events };
  const { zoned } = scheduled;
  const due = dueTime({ ...input, cronJob: { ...cronJob, status } }, zoned);
  return {
    ...base,
    events: [...events, ...due.events],
    due: due.time === undefined ? undefined : dueJob(input, status, due.time),
    againMillis: (last) => (due.isInvalid ? undefined : untilNext({ ...cronJob, status: last }, zoned, now)),
  };
}

/** Returns a status with a Job that was created. */
export function withJob(status: CronJob["status"], { time }: DueJob, made: Job): CronJob["status"] {
  const { namespace, name, uid, resourceVersion } = made.metadata;
  const entry = { apiVersion: "batch/v1", kind: "Job", namespace, name, uid, resourceVersion } as Active;
  return { ...status, active: [...(status.active ?? []), entry], lastScheduleTime: time };
}

/** Returns a status without Jobs that were deleted. */
export function withoutJobs(status: CronJob["status"], jobs: readonly Job[]): CronJob["status"] {
  const gone = new Set(jobs.map(({ metadata }) => metadata.uid));
  return withActive(
    status,
    (status.active ?? []).filter(({ uid = "" }) => !gone.has(uid)),
  );
}

function withActive(status: CronJob["status"], active: readonly Active[]): CronJob["status"] {
  const { active: _, ...others } = status;
  return active.length > 0 ? { ...others, active } : others;
}

/** Compares the existing Jobs with those in the status (WL-CRON-5). */
function knownJobs({ cronJob, jobs, exists }: CronInput): Pick<CronPlan, "events" | "status"> {
  const events: PlannedWrite[] = [];
  let { lastSuccessfulTime } = cronJob.status;
  const entries = cronJob.status.active ?? [];
  const listed = new Set(entries.map(({ uid }) => uid));
  const ended = new Set<string>();
  for (const job of jobs) {
    const { uid, name } = job.metadata;
    const finished = finishedCondition(job);
    if (!finished) {
      const note = `Saw a job that the controller did not create or forgot: ${name}`;
      if (!listed.has(uid)) events.push(tells("Warning", "UnexpectedJob", note));
      continue;
    }
    if (listed.has(uid)) {
      ended.add(uid);
      events.push(tells("Normal", "SawCompletedJob", `Saw completed job: ${name}, condition: ${finished.type}`));
    }
    const { completionTime } = job.status;
    if (finished.type !== "Complete" || completionTime === undefined) continue;
    if (lastSuccessfulTime === undefined || Date.parse(completionTime) > Date.parse(lastSuccessfulTime)) {
      lastSuccessfulTime = completionTime;
    }
  }
  const own = new Set(jobs.map(({ metadata }) => metadata.uid));
  const active = entries.filter(({ uid = "", name = "" }) => {
    if (own.has(uid)) return !ended.has(uid);
    if (exists(name)) return true;
    events.push(tells("Normal", "MissingJob", `Active job went missing: ${name}`));
    return false;
  });
  const status = withActive(cronJob.status, active);
  return { events, status: lastSuccessfulTime === undefined ? status : { ...status, lastSuccessfulTime } };
}

/** Returns the oldest finished Jobs beyond the limits (WL-CRON-6). */
function removedJobs({ cronJob, jobs }: CronInput): readonly Job[] {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec;
  const beyond = (type: string, limit: number | undefined): readonly Job[] => {
    if (limit === undefined) return [];
    const ended = jobs.filter((job) => finishedCondition(job)?.type === type);
    return ended.length <= limit ? [] : oldestFirst(ended).slice(0, ended.length - limit);
  };
  const removed = [...beyond("Complete", successfulJobsHistoryLimit), ...beyond("Failed", failedJobsHistoryLimit)];
  return removed.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** Sorts Jobs by their start; those without one come last. */
function oldestFirst(jobs: readonly Job[]): readonly Job[] {
  const started = jobs.map((job) => ({ job, start: Date.parse(job.status.startTime ?? "") || Infinity }));
  started.sort((a, b) =>
    a.start === b.start ? (a.job.metadata.name < b.job.metadata.name ? -1 : 1) : a.start < b.start ? -1 : 1,
  );
  return started.map(({ job }) => job);
}

/** The schedule of a CronJob that may run; otherwise why it does not. */
function scheduleOf(input: CronInput): {
  readonly zoned?: ZonedSchedule;
  readonly events: readonly PlannedWrite[];
} {
  const { cronJob } = input;
  const { schedule: text, timeZone: zone } = cronJob.spec;
  if (zone !== undefined && !isKnown(zone)) return { events: [unknownZone(zone)] };
  if (cronJob.spec.suspend) return { events: [] };
  const zoned = zonedSchedule(cronJob, input.localZone);
  if (!zoned)
    return {
      events: [tells("Warning", "UnparseableSchedule", `unparseable schedule: ${JSON.stringify(text.slice(0, 200))}`)],
    };
  const note = `CRON_TZ or TZ used in schedule ${JSON.stringify(text.slice(0, 200))} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`;
  return { zoned, events: zoned.schedule.zone === undefined ? [] : [tells("Warning", "UnsupportedSchedule", note)] };
}

const unknownZone = (zone: string): PlannedWrite =>
  tells("Warning", "UnknownTimeZone", `invalid timeZone: ${JSON.stringify(zone)}: unknown time zone ${zone}`);

/** Returns the schedule of a CronJob; undefined where it cannot be parsed, or the engine does not know its zone. */
export function zonedSchedule({ spec }: CronJob, localZone: string): ZonedSchedule | undefined {
  const parsed = parseCron(spec.schedule);
  if ("fault" in parsed) return undefined;
  const zone = parsed.schedule.zone ?? spec.timeZone ?? localZone;
  return isKnown(zone) ? { schedule: parsed.schedule, zone } : undefined;
}

function isKnown(zone: string): boolean {
  try {
    timeZone(zone);
    return true;
  } catch {
    return false;
  }
}

/** Returns the scheduled time of the Job to create now (WL-CRON-1, WL-CRON-3, WL-CRON-4). */
function dueTime(
  { cronJob, now }: CronInput,
  zoned: ZonedSchedule,
): { readonly time?: number; readonly events: readonly PlannedWrite[]; readonly isInvalid?: boolean } {
  const { spec, status } = cronJob;
  const { last, count, isInvalid } = dueBy(cronJob, zoned, now, true);
  if (isInvalid) {
    const note = `invalid schedule: ${spec.schedule} : time difference between two schedules is less than 1 second`;
    return { events: [tells("Warning", "InvalidSchedule", note)], isInvalid };
  }
  if (last === undefined) return { events: [] };
  const events = count > MANY ? [tells("Warning", "TooManyMissedTimes", TOO_MANY)] : [];
  const deadline = spec.startingDeadlineSeconds;
  if (deadline !== undefined && last + deadline * 1000 < now) {
    const note = `Missed scheduled time to start a job: ${httpDate(last)}`;
    return { events: [...events, tells("Warning", "MissSchedule", note)] };
  }
  const active = status.active ?? [];
  const isMade = active.some(({ name }) => name === nameOf(cronJob, last));
  if (isMade || Date.parse(status.lastScheduleTime ?? "") === last) return { events };
  if (spec.concurrencyPolicy === "Forbid" && active.length > 0) {
    const note = "Not starting job because prior execution is running and concurrency policy is Forbid";
    return { events: [...events, tells("Normal", "JobAlreadyActive", note)] };
  }
  return { time: last, events };
}

const httpDate = (time: number): string => new Date(time).toUTCString().replace("GMT", "+0000");

const nameOf = ({ metadata }: CronJob, time: number): string => `${metadata.name}-${Math.floor(time / 60_000)}`;

/** Creates the Job for a scheduled time (WL-CRON-2). */
function dueJob({ cronJob, jobs }: CronInput, { active = [] }: CronJob["status"], time: number): DueJob {
  const { concurrencyPolicy, jobTemplate, timeZone: zone = "UTC" } = cronJob.spec;
  const { labels, annotations } = jobTemplate.metadata;
  const metadata = {
    name: nameOf(cronJob, time),
    ...(labels ? { labels } : {}),
    annotations: { ...annotations, [SCHEDULED_TIMESTAMP]: zonedTime(time, zone) },
  };
  const listed = new Set(active.map(({ uid }) => uid));
  const replaces = concurrencyPolicy === "Replace" ? jobs.filter((job) => listed.has(job.metadata.uid)) : [];
  return {
    job: ownedBy({ metadata, spec: jobTemplate.spec } as NewObject<Job>, cronJob),
    time: formatTime(time),
    replaces,
  };
}

/** Formats a time with the offset of a zone, `Z` for none. */
function zonedTime(time: number, zone: string): string {
  const offset = timeZone(zone).offsetAt(time);
  const local = formatTime(time + offset);
  if (offset === 0) return local;
  const minutes = Math.floor(Math.abs(offset) / 60_000);
  const two = (number: number): string => `${number}`.padStart(2, "0");
  return local.replace("Z", `${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`);
}
