import { describe, expect, test } from "vitest";
import { type CronSchedule, parseCron } from "../../meta/cron.ts";
import { nextDue } from "./next.ts";

const scheduleOf = (text: string): CronSchedule => {
  const parsed = parseCron(text);
  if ("fault" in parsed) throw new Error(parsed.fault);
  return parsed.schedule;
};

const nextTimes = (zone: string, text: string, from: string, count: number): readonly string[] => {
  const times: string[] = [];
  for (let due: number | undefined = Date.parse(from); times.length < count;) {
    due = nextDue(scheduleOf(text), zone, due);
    if (due === undefined) return [...times, "never"];
    times.push(new Date(due).toISOString().replace(".000Z", "Z"));
  }
  return times;
};

describe("the next time of a schedule", () => {
  // The expected times are those of robfig/cron 3.0.1.
  test.each<[zone: string, schedule: string, from: string, times: readonly string[]]>([
    [
      "Europe/Berlin",
      "30 2 * * *",
      "2026-03-28T00:00:00Z",
      ["2026-03-28T01:30:00Z", "2026-03-30T00:30:00Z", "2026-03-31T00:30:00Z"],
    ],
    [
      "Europe/Berlin",
      "*/20 1-3 * * *",
      "2026-03-29T00:00:00Z",
      [
        "2026-03-29T00:20:00Z",
        "2026-03-29T00:40:00Z",
        "2026-03-29T01:00:00Z",
        "2026-03-29T01:20:00Z",
        "2026-03-29T01:40:00Z",
        "2026-03-29T23:00:00Z",
      ],
    ],
    [
      "Europe/Berlin",
      "30 2 * * *",
      "2026-10-24T12:00:00Z",
      ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"],
    ],
    [
      "Europe/Berlin",
      "0 * * * *",
      "2026-10-24T23:30:00Z",
      ["2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z", "2026-10-25T03:00:00Z"],
    ],
    [
      "America/New_York",
      "30 1 * * *",
      "2026-10-31T12:00:00Z",
      ["2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z", "2026-11-02T06:30:00Z"],
    ],
    [
      "America/New_York",
      "15 2 * * *",
      "2026-03-07T00:00:00Z",
      ["2026-03-07T07:15:00Z", "2026-03-09T06:15:00Z", "2026-03-10T06:15:00Z"],
    ],
    [
      "Australia/Lord_Howe",
      "0 2 * * *",
      "2026-04-03T00:00:00Z",
      ["2026-04-03T15:00:00Z", "2026-04-05T15:30:00Z", "2026-04-06T15:30:00Z"],
    ],
    [
      "Australia/Lord_Howe",
      "15 2 * * *",
      "2026-10-02T00:00:00Z",
      ["2026-10-02T15:45:00Z", "2026-10-04T15:15:00Z", "2026-10-05T15:15:00Z"],
    ],
    ["Asia/Kathmandu", "30 2 * * *", "2026-01-01T00:00:00Z", ["2026-01-01T20:45:00Z", "2026-01-02T20:45:00Z"]],
    [
      "Asia/Kolkata",
      "*/45 6 * * *",
      "2026-01-01T00:00:00Z",
      ["2026-01-01T00:30:00Z", "2026-01-01T01:15:00Z", "2026-01-02T00:30:00Z"],
    ],
    [
      "Pacific/Chatham",
      "0 0 * * 0",
      "2026-04-01T00:00:00Z",
      ["2026-04-04T10:15:00Z", "2026-04-11T11:15:00Z", "2026-04-18T11:15:00Z"],
    ],
    [
      "America/St_Johns",
      "0 0 1 * *",
      "2026-02-15T00:00:00Z",
      ["2026-03-01T03:30:00Z", "2026-04-01T02:30:00Z", "2026-05-01T02:30:00Z"],
    ],
    [
      "America/Sao_Paulo",
      "0 0 * * *",
      "2018-11-02T12:00:00Z",
      ["2018-11-03T03:00:00Z", "2018-11-05T02:00:00Z", "2018-11-06T02:00:00Z"],
    ],
    [
      "America/Havana",
      "30 0 * * *",
      "2026-03-07T00:00:00Z",
      ["2026-03-07T05:30:00Z", "2026-03-09T04:30:00Z", "2026-03-10T04:30:00Z"],
    ],
    [
      "UTC",
      "0 0 13 * 5",
      "2026-02-01T00:00:00Z",
      ["2026-02-06T00:00:00Z", "2026-02-13T00:00:00Z", "2026-02-20T00:00:00Z", "2026-02-27T00:00:00Z"],
    ],
    [
      "UTC",
      "0 0 */10 * 5",
      "2026-02-01T00:00:00Z",
      ["2026-02-06T00:00:00Z", "2026-02-11T00:00:00Z", "2026-02-13T00:00:00Z", "2026-02-20T00:00:00Z"],
    ],
    [
      "UTC",
      "0 0 ? * 1-5/2",
      "2026-02-01T00:00:00Z",
      ["2026-02-02T00:00:00Z", "2026-02-04T00:00:00Z", "2026-02-06T00:00:00Z", "2026-02-09T00:00:00Z"],
    ],
    [
      "UTC",
      "5/15 0 1,15 jan-MAR *",
      "2026-01-10T00:00:00Z",
      ["2026-01-15T00:05:00Z", "2026-01-15T00:20:00Z", "2026-01-15T00:35:00Z", "2026-01-15T00:50:00Z"],
    ],
    ["UTC", "0 0 29 2 *", "2026-01-01T00:00:00Z", ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]],
    ["UTC", "0 0 30 2 *", "2026-01-01T00:00:00Z", ["never"]],
    ["UTC", "0 0 29 2 *", "2097-01-01T00:00:00Z", ["never"]],
    ["UTC", "59 23 31 12 *", "2026-12-31T23:58:59.999Z", ["2026-12-31T23:59:00Z", "2027-12-31T23:59:00Z"]],
    ["UTC", "* * * * *", "2026-01-01T00:00:30Z", ["2026-01-01T00:01:00Z", "2026-01-01T00:02:00Z"]],
    ["UTC", "@hourly", "2026-01-01T00:00:00Z", ["2026-01-01T01:00:00Z", "2026-01-01T02:00:00Z"]],
    ["UTC", "@weekly", "2026-01-01T00:00:00Z", ["2026-01-04T00:00:00Z", "2026-01-11T00:00:00Z"]],
    ["UTC", "@monthly", "2026-01-01T00:00:00Z", ["2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"]],
    ["UTC", "@yearly", "2026-01-01T00:00:00Z", ["2027-01-01T00:00:00Z", "2028-01-01T00:00:00Z"]],
    ["UTC", "@every 1h30m", "2026-01-01T00:00:00.700Z", ["2026-01-01T01:30:00Z", "2026-01-01T03:00:00Z"]],
    ["UTC", "@every 100ms", "2026-01-01T00:00:00Z", ["2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z"]],
    ["UTC", "@every 1.5h1s", "2026-01-01T00:00:00Z", ["2026-01-01T01:30:01Z", "2026-01-01T03:00:02Z"]],
  ])("WL-CRON-1: in %s, %s from %s on", (zone, text, from, times) => {
    expect(nextTimes(zone, text, from, times.length)).toEqual(times);
  });

  test("WL-CRON-1: a zone that left out a day goes on", () => {
    expect(nextTimes("Pacific/Apia", "7 22 * * 5", "2011-12-20T00:00:00Z", 2)).toEqual([
      "2011-12-24T08:07:00Z",
      "2012-01-06T08:07:00Z",
    ]);
  });

  test("WL-CRON-1: a zone in the text of a schedule goes before the other one", () => {
    expect(nextTimes("Asia/Tokyo", "TZ=Europe/Berlin 0 12 * * *", "2026-01-01T00:00:00Z", 1)).toEqual([
      "2026-01-01T11:00:00Z",
    ]);
  });

  test("a zone that the engine does not know is an error", () => {
    expect(() => nextTimes("Mars/Olympus", "* * * * *", "2026-01-01T00:00:00Z", 1)).toThrow(RangeError);
  });
});

test("WL-CRON-1: a zone whose offset had seconds is due at the full minute of its clocks", () => {
  // Berlin was 53 minutes and 28 seconds ahead of UTC until 1893.
  const after = Date.parse("1000-01-02T00:00:00Z");
  expect(new Date(nextDue(scheduleOf("* * * * *"), "Europe/Berlin", after)!).toISOString()).toBe(
    "1000-01-02T00:00:32.000Z",
  );
});
