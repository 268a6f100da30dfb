/**
 * Rows of Jobs and CronJobs.
 *
 * @module
 */
import type { CronJob, Job } from "../../../../src/client/kinds/index.ts";
import { parseCron } from "../../../../src/meta/cron.ts";
import { nextDue } from "../../../../src/workloads/cronjob/next.ts";
import { conditionOf, countNoun, createdAt, GOES_ON, headOf, type Row, says, type SpanState, timeOf } from "./rows.ts";

/** A Job: how long it waited, and how long it ran. */
export function jobRow(job: Job, pods: readonly Row[]): Row {
  const { spec, status, metadata } = job;
  const created = createdAt(job);
  const started = timeOf(status.startTime);
  const failed = conditionOf(job, "Failed");
  const complete = conditionOf(job, "Complete");
  const suspended = conditionOf(job, "Suspended");
  const isFailed = failed?.status === "True";
  const isComplete = complete?.status === "True";
  const end = timeOf(status.completionTime) ?? (isFailed ? timeOf(failed.lastTransitionTime) : undefined);
  const to = end ?? GOES_ON;
  const isDeleting = metadata.deletionTimestamp !== undefined;
  const lasts: SpanState = isFailed
    ? "failed"
    : isComplete
      ? "done"
      : started === undefined || spec.suspend
        ? "waits"
        : "runs";
  const state = isDeleting ? "deleting" : lasts;
  const wanted = spec.completions ?? spec.parallelism ?? 1;
  const [succeeded, active, lost] = [status.succeeded ?? 0, status.active ?? 0, status.failed ?? 0];
  const text = isDeleting
    ? "it is being deleted"
    : isComplete
      ? undefined
      : isFailed
        ? [failed.reason, failed.message].filter(Boolean).join(": ")
        : suspended?.status === "True" || spec.suspend
          ? "it is suspended"
          : started === undefined
            ? "its controller has not started it yet"
            : `${countNoun(active, "Pod")} run${active === 1 ? "s" : ""}, ${succeeded} of ${wanted} succeeded${lost > 0 ? `, ${lost} failed` : ""}`;
  return {
    ...headOf("Job", job),
    detail: `${succeeded} of ${wanted} succeeded`,
    state,
    ...says(text),
    spans: [
      ...(started === undefined || started > created
        ? [{ from: created, to: started ?? to, state: "waits", text: "waits" } as const]
        : []),
      ...(started === undefined
        ? []
        : [{ from: started, to: Math.max(started, to), state: lasts, text: RUNS[lasts] ?? "runs" }]),
    ],
    marks: [],
    children: pods,
  };
}

const RUNS: Readonly<Partial<Record<SpanState, string>>> = { failed: "ran, and failed", done: "ran, and succeeded" };

/** A CronJob: the times at which its Jobs ran, and the next one. */
export function cronRow(cron: CronJob, jobs: readonly Row[], now: number): Row {
  const { spec, status, metadata } = cron;
  const active = status.active?.length ?? 0;
  const due = spec.suspend ? undefined : dueOf(cron, now);
  const state: SpanState =
    metadata.deletionTimestamp !== undefined ? "deleting" : active > 0 ? "runs" : spec.suspend ? "waits" : "idle";
  const text =
    metadata.deletionTimestamp !== undefined
      ? "it is being deleted"
      : spec.suspend
        ? "it is suspended"
        : due === undefined
          ? "its schedule is never due"
          : undefined;
  const runs = jobs.flatMap(({ spans }) => spans.filter((span) => span.state !== "waits"));
  return {
    ...headOf("CronJob", cron),
    detail: `${spec.schedule} · ${countNoun(jobs.length, "Job")}`,
    state,
    ...says(text),
    spans: runs.toSorted((a, b) => a.from - b.from),
    marks: [
      ...(due === undefined ? [] : [{ time: due, text: "is due next", kind: "due" } as const]),
      ...(timeOf(status.lastScheduleTime) === undefined
        ? []
        : [{ time: timeOf(status.lastScheduleTime)!, text: "was due", kind: "change" } as const]),
    ],
    children: jobs,
  };
}

function dueOf({ spec }: CronJob, now: number): number | undefined {
  const parsed = parseCron(spec.schedule);
  if ("fault" in parsed) return undefined;
  try {
    return nextDue(parsed.schedule, spec.timeZone ?? "UTC", now);
  } catch {
    // A zone that this browser does not know.
    return undefined;
  }
}
