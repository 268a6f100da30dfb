import { describe, expect, test } from "vitest";
import type { CronJob } from "../../client/kinds/index.ts";
import { parseCron } from "../../meta/cron.ts";
import { type ZonedSchedule, dueBy, untilNext } from "./due.ts";

const zonedOf = (text: string, zone = "UTC"): ZonedSchedule => {
  const parsed = parseCron(text);
  if ("fault" in parsed) throw new Error(parsed.fault);
  return { schedule: parsed.schedule, zone };
};
const cronJob = (spec: object = {}, status: object = {}): CronJob =>
  ({ metadata: { name: "k", creationTimestamp: "2026-01-01T00:00:00Z" }, spec, status }) as unknown as CronJob;
const at = (text: string): number => Date.parse(text);
const missed = (text: string, now: string, object = cronJob(), withDeadline = true) => {
  // A time is due 100 ms after it has passed.
  const { last, count, isInvalid } = dueBy(object, zonedOf(text), at(now) + 100, withDeadline);
  return { last: last === undefined ? undefined : new Date(last).toISOString(), count, isInvalid };
};

describe("the times that a CronJob missed", () => {
  test("WL-CRON-1: none before the first, one before the second, then the last of all", () => {
    expect(missed("0 * * * *", "2026-01-01T00:59:59Z")).toMatchObject({ last: undefined, count: 0 });
    expect(missed("0 * * * *", "2026-01-01T01:00:00Z")).toMatchObject({ last: "2026-01-01T01:00:00.000Z", count: 1 });
    expect(missed("0 * * * *", "2026-01-05T07:30:00Z")).toMatchObject({ last: "2026-01-05T07:00:00.000Z", count: 103 });
  });

  test("WL-CRON-3: they count since lastScheduleTime, and not from before the deadline", () => {
    const last = cronJob({}, { lastScheduleTime: "2026-01-05T05:00:00Z" });
    expect(missed("0 * * * *", "2026-01-05T07:30:00Z", last)).toMatchObject({ count: 2 });
    const short = cronJob({ startingDeadlineSeconds: 60 });
    expect(missed("0 * * * *", "2026-01-05T07:30:00Z", short)).toMatchObject({ last: undefined });
    expect(missed("0 * * * *", "2026-01-05T07:00:59Z", short)).toMatchObject({ last: "2026-01-05T07:00:00.000Z" });
    expect(missed("0 * * * *", "2026-01-05T07:30:00Z", short, false)).toMatchObject({ count: 103 });
  });

  test("WL-CRON-1: @every counts from where it began", () => {
    expect(missed("@every 7m", "2026-01-01T01:00:00Z")).toMatchObject({ last: "2026-01-01T00:56:00.000Z", count: 8 });
  });

  test("WL-CRON-7: of an irregular one those are looked at that the distance of the first two reaches", () => {
    // 12:00, 12:01 ... 12:59 of a day, and the same on the next one.
    expect(missed("* 12 * * *", "2026-01-02T11:00:00Z")).toMatchObject({ last: undefined, count: 1381 });
    expect(missed("* 12 * * *", "2026-01-01T12:30:30Z")).toMatchObject({ last: "2026-01-01T12:30:00.000Z" });
  });

  test("a burst of many times behind a long pause is not walked through", () => {
    const begun = cronJob({}, { lastScheduleTime: "2026-01-31T23:58:00Z" });
    const before = process.cpuUsage();
    expect(missed("* * * 1 *", "2028-06-01T00:00:00Z", begun)).toMatchObject({ last: "2028-01-31T23:59:00.000Z" });
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(50_000);
  });

  test("WL-CRON-1: a schedule that never comes is none", () => {
    expect(missed("0 0 30 2 *", "2026-01-02T00:00:00Z")).toMatchObject({ isInvalid: true, last: undefined });
    expect(untilNext(cronJob(), zonedOf("0 0 30 2 *"), at("2026-01-02T00:00:00Z"))).toBeUndefined();
  });

  test.each([
    ["0 * * * *", "2026-01-01T00:20:00Z", 40 * 60_000 + 100],
    ["0 * * * *", "2026-01-01T05:20:00Z", 40 * 60_000 + 100],
    ["* 12 * * *", "2026-01-02T11:00:00Z", 60 * 60_000 + 100],
  ])("WL-CRON-7: %s is looked at again from %s in %i ms", (text, now, wait) => {
    expect(untilNext(cronJob(), zonedOf(text), at(now))).toBe(wait);
  });
});
