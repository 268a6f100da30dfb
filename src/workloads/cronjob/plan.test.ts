import { expect, test } from "vitest";
import type { CronJob, Job } from "../../client/kinds/index.ts";
import { leastCpu } from "../../util/testing/cpu-time.ts";
import { planCronJob } from "./plan.ts";

const NOW = Date.UTC(2026, 0, 1);
const ended = (name: string, startTime: string | undefined): Job =>
  ({
    metadata: { name, uid: name },
    spec: {},
    status: { startTime, conditions: [{ type: "Complete", status: "True" }] },
  }) as unknown as Job;
const removesOf = (jobs: readonly Job[], limit: number): readonly string[] => {
  const cronJob = {
    metadata: { name: "k", creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { schedule: "@yearly", successfulJobsHistoryLimit: limit },
    status: {},
  } as unknown as CronJob;
  const { removes } = planCronJob({ cronJob, jobs, exists: () => true, now: NOW, localZone: "UTC" });
  return removes.map(({ metadata }) => metadata.name);
};

test("WL-CRON-6: the oldest Jobs go first, of the same time by their names, and those that did not start last", () => {
  const [late, early] = ["2025-06-01T00:00:00Z", "2025-01-01T00:00:00Z"];
  const jobs = [ended("z", undefined), ended("c", late), ended("b", late), ended("a", undefined), ended("y", early)];
  expect(removesOf(jobs, 0)).toEqual(["y", "b", "c", "a", "z"]);
  expect(removesOf(jobs, 3)).toEqual(["y", "b"]);
});

test("the start of each of ten thousand Jobs is read once", async () => {
  const startOf = (i: number): string => new Date(NOW - ((i * 7919) % 10_000) * 1000).toISOString();
  const jobs = Array.from({ length: 10_000 }, (_, i) => ended(`j-${i}`, startOf(i)));
  expect(await leastCpu(() => void removesOf(jobs, 3), 40)).toBeLessThan(40);
});
