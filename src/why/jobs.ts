/** The conditions that Jobs and CronJobs wait for, and until when. */
import { type CronJob, type Job, Pod } from "../client/kinds/index.ts";
import { isFinished } from "../claims/usage.ts";
import type { ReportedReason } from "../meta/why-report.ts";
import { controllerOf } from "../workloads/common/ownership.ts";
import { isTerminating } from "../workloads/common/pods.ts";
import { zonedSchedule } from "../workloads/cronjob/plan.ts";
import { untilNext } from "../workloads/cronjob/due.ts";
import { failuresOf, waitAfter } from "../workloads/job/backoff.ts";
import { finishedCondition, isSuspended, leftToDeadline } from "../workloads/job/ends.ts";
import { leftToLive } from "../workloads/ttl/plan.ts";
import { quoted } from "./events.ts";
import { type Facts, named } from "./facts.ts";
import { whenText } from "./waits.ts";

/** Explains a Job: that it is suspended, when the next Pod is made after a failure, when its deadline passes, when it is deleted. */
export async function explainJob(facts: Facts, job: Job): Promise<readonly ReportedReason[]> {
  const now = facts.client.clock.now();
  const finished = finishedCondition(job);
  if (finished) {
    const left = leftToLive(job, now);
    const deleted =
      left === undefined ? [] : [{ says: `it is deleted at ${whenText(now, left)} (ttlSecondsAfterFinished)` }];
    if (finished.type === "Complete") return deleted;
    return [
      {
        says: `it has failed: ${quoted(finished.reason ?? "")}: ${quoted(finished.message ?? "")}`,
        who: "a user who creates it again",
      },
      ...deleted,
    ];
  }
  const { metadata, spec, status } = job;
  if (spec.managedBy !== undefined && spec.managedBy !== "kubernetes.io/job-controller")
    return [{ says: `it is managed by ${spec.managedBy}, not by the built-in controller`, who: spec.managedBy }];
  if (isSuspended(job))
    return [
      {
        says: "it is suspended: no Pods are created before it is resumed",
        who: "a user who sets spec.suspend to false",
      },
    ];
  const own: Pod[] = [];
  for await (const pod of facts.each(Pod, { namespace: metadata.namespace }))
    if (controllerOf(pod)?.uid === metadata.uid) own.push(pod);
  const active = own.filter((pod) => !isFinished(pod) && !isTerminating(pod)).length;
  const { completions, backoffLimit = 6, parallelism = 1 } = spec;
  const { succeeded = 0, failed = 0 } = status;
  const of = completions === undefined ? "" : ` of ${completions}`;
  const limit = spec.backoffLimitPerIndex === undefined ? ` (backoffLimit ${backoffLimit})` : "";
  const reasons: ReportedReason[] = [
    { says: `${succeeded}${of} Pods have succeeded, ${active} are active, ${failed} have failed${limit}` },
  ];
  const uncounted = new Set([
    ...(status.uncountedTerminatedPods?.succeeded ?? []),
    ...(status.uncountedTerminatedPods?.failed ?? []),
  ]);
  const wait = spec.backoffLimitPerIndex === undefined ? waitAfter(failuresOf(own, uncounted), now) : 0;
  if (wait > 0 && active < parallelism)
    reasons.push({ says: `the next Pod is created after the last failure, at ${whenText(now, wait)}` });
  const left = leftToDeadline(job, now);
  if (left !== undefined)
    reasons.push({ says: `its deadline passes at ${whenText(now, left)} (activeDeadlineSeconds)` });
  return reasons;
}

/** Explains a CronJob: when the next Job is made, and what holds it. */
export async function explainCronJob(facts: Facts, cronJob: CronJob): Promise<readonly ReportedReason[]> {
  const now = facts.client.clock.now();
  const { spec, status } = cronJob;
  if (spec.suspend)
    return [{ says: "it is suspended: no Job is created", who: "a user who sets spec.suspend to false" }];
  const zoned = zonedSchedule(cronJob, Intl.DateTimeFormat().resolvedOptions().timeZone);
  if (!zoned)
    return [
      {
        says: `its schedule ${JSON.stringify(spec.schedule)} or its zone is not understood`,
        who: "a user who changes it",
      },
    ];
  const left = untilNext(cronJob, zoned, now);
  if (left === undefined)
    return [
      { says: `its schedule ${JSON.stringify(spec.schedule)} has no further time`, who: "a user who changes it" },
    ];
  const active = status.active ?? [];
  const says = `its next Job is created at ${whenText(now, left)}`;
  if (active.length === 0 || (spec.concurrencyPolicy ?? "Allow") === "Allow") return [{ says }];
  const names = named(active.map(({ name = "" }) => name));
  const what =
    spec.concurrencyPolicy === "Replace"
      ? "takes the place of those that are active"
      : "is left out while one is active";
  return [{ says: `${says}, and ${what} (${spec.concurrencyPolicy}): ${names}` }];
}
