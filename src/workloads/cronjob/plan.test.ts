import { describe, expect, test } from "vitest";
import type { CronJob, Job } from "../../client/kinds/index.ts";
import { leastCpu } from "../../util/testing/cpu-time.ts";
import { planCronJob } from "./plan.ts";

const at = (text: string): number => Date.parse(text);
const NOW = at("2026-01-01T01:00:10Z");
const CREATED = { creationTimestamp: "2026-01-01T00:30:00Z" };

const cronJobOf = (spec: object = {}, status: object = {}, metadata: object = {}): CronJob =>
  ({
    metadata: { name: "k", namespace: "n", uid: "cron", ...CREATED, ...metadata },
    spec: { schedule: "0 * * * *", jobTemplate: { metadata: {}, spec: {} }, ...spec },
    status,
  }) as unknown as CronJob;
const jobOf = (name: string, completionTime?: string, metadata: object = {}): Job =>
  ({
    metadata: { name, namespace: "n", uid: name, ...metadata },
    spec: {},
    status: completionTime
      ? { startTime: completionTime, completionTime, conditions: [{ type: "Complete", status: "True" }] }
      : {},
  }) as unknown as Job;
const planOf = (cronJob: CronJob, jobs: readonly Job[] = [], stored: readonly string[] = [], now = NOW) =>
  planCronJob({ cronJob, jobs, exists: (name) => stored.includes(name), now, localZone: "UTC" });
const reasonsOf = ({ events }: ReturnType<typeof planOf>): string[] =>
  events.flatMap((one) => (one.verb === "event" ? [one.reason] : []));
const namesOf = (status: CronJob["status"]): unknown[] => (status.active ?? []).map(({ name }) => name);

const ended = (name: string, startTime: string | undefined): Job =>
  ({
    metadata: { name, uid: name },
    spec: {},
    status: { startTime, conditions: [{ type: "Complete", status: "True" }] },
  }) as unknown as Job;
const removedOf = (jobs: readonly Job[], limit: number): readonly string[] => {
  const { removes } = planOf(cronJobOf({ schedule: "@yearly", successfulJobsHistoryLimit: limit }), jobs);
  return removes.map(({ metadata }) => metadata.name);
};

describe("planCronJob", () => {
  test("WL-CRON-1: a time that has passed is due; nothing is while it is being deleted", () => {
    expect(planOf(cronJobOf()).due?.time).toBe("2026-01-01T01:00:00Z");
    const going = planOf(cronJobOf({}, {}, { deletionTimestamp: "2026-01-01T01:00:00Z" }));
    expect([going.due, going.againMillis({})]).toEqual([undefined, undefined]);
  });

  test("WL-CRON-3: a time is due until its deadline, to the millisecond", () => {
    const cronJob = cronJobOf({ startingDeadlineSeconds: 60 });
    expect(planOf(cronJob, [], [], at("2026-01-01T01:00:59.999Z")).due?.time).toBe("2026-01-01T01:00:00Z");
    expect(planOf(cronJob, [], [], at("2026-01-01T01:01:00Z")).due).toBeUndefined();
  });

  test("WL-CRON-5: an active Job that now has another controller stays, one that was deleted is reported and removed", () => {
    const status = {
      active: [
        { name: "a", uid: "a" },
        { name: "b", uid: "b" },
      ],
      lastScheduleTime: "2026-01-01T01:00:00Z",
    };
    const plan = planOf(cronJobOf({}, status), [], ["a"]);
    expect(namesOf(plan.status)).toEqual(["a"]);
    expect(reasonsOf(plan)).toEqual(["MissingJob"]);
  });

  test("WL-CRON-5: the last success is that of the latest end, in whatever order the Jobs come", () => {
    const jobs = [jobOf("b", "2026-01-01T00:50:00Z"), jobOf("a", "2026-01-01T00:40:00Z")];
    for (const some of [jobs, jobs.toReversed()]) {
      expect(planOf(cronJobOf(), some).status.lastSuccessfulTime).toBe("2026-01-01T00:50:00Z");
    }
  });

  test("WL-CRON-6: Jobs beyond the limit are deleted, the oldest first, and each once", () => {
    const cronJob = cronJobOf({ successfulJobsHistoryLimit: 1 });
    const going = { deletionTimestamp: "2026-01-01T01:00:00Z" };
    const [a, b, c] = ["a", "b", "c"].map((name, i) =>
      jobOf(name, `2026-01-01T00:4${i}:00Z`, name === "a" ? going : {}),
    );
    const { removes } = planOf(cronJob, [c!, a!, b!]);
    expect(removes.map(({ metadata }) => metadata.name)).toEqual(["b"]);
  });

  test("WL-CRON-6: the oldest Jobs go first, of the same time by their names, and those that did not start last", () => {
    const [late, early] = ["2025-06-01T00:00:00Z", "2025-01-01T00:00:00Z"];
    const jobs = [ended("z", undefined), ended("c", late), ended("b", late), ended("a", undefined), ended("y", early)];
    expect(removedOf(jobs, 0)).toEqual(["y", "b", "c", "a", "z"]);
    expect(removedOf(jobs, 3)).toEqual(["y", "b"]);
  });

  test("the start of each of ten thousand Jobs is read once", async () => {
    const startOf = (i: number): string => new Date(NOW - ((i * 7919) % 10_000) * 1000).toISOString();
    const jobs = Array.from({ length: 10_000 }, (_, i) => ended(`j-${i}`, startOf(i)));
    expect(await leastCpu(() => void removedOf(jobs, 3), 40)).toBeLessThan(40);
  });

  test("a time for which there is a Job already is not due again", () => {
    const last = { lastScheduleTime: "2026-01-01T01:00:00Z" };
    expect(planOf(cronJobOf({}, last)).due).toBeUndefined();
    const { due } = planOf(cronJobOf());
    const name = due!.job.metadata.name!;
    const active = { active: [{ name, uid: name }] };
    expect(planOf(cronJobOf({}, active), [jobOf(name)]).due).toBeUndefined();
  });

  test("WL-CRON-4: Replace takes the place of the active Jobs alone", () => {
    const cronJob = cronJobOf({ concurrencyPolicy: "Replace" }, { active: [{ name: "a", uid: "a" }] });
    const { due } = planOf(cronJob, [jobOf("a"), jobOf("b")]);
    expect(due?.replaces.map(({ metadata }) => metadata.name)).toEqual(["a"]);
  });
});
