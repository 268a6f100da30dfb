import { describe, expect, test } from "vitest";
import { kubernetes } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { cronJob } from "./cronjob.ts";
import { scheduleFault } from "./schedule.ts";

const ctx = contextOf(kubernetes);
const kind = new KindUnderTest(cronJob(ctx), ctx);

const pod = { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" };
const jobTemplate = { spec: { template: { spec: pod } } };
const spec = { schedule: "0 3 * * *", jobTemplate };
const causesOf = (changes: object): readonly string[] => kind.create({ spec: { ...spec, ...changes } }).causes;

describe("a CronJob", () => {
  test("KIND-CronJob-1: what is filled in; of the Job nothing but its Pods", () => {
    const { object, causes } = kind.create({ spec });
    expect(causes).toEqual([]);
    expect(object["spec"]).toMatchObject({
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      jobTemplate: { spec: { template: { spec: { dnsPolicy: "ClusterFirst" } } } },
    });
    const { jobTemplate: made } = object["spec"] as { jobTemplate: { spec: object } };
    expect(Object.keys(made.spec)).toEqual(["template"]);
  });

  test.each([
    "* * * * *",
    "*/5 0-23/2 1,15 jan-DEC sun",
    "? ? ? ? ?",
    "0 0 31 2 *",
    "5/15 * * * *",
    "@yearly",
    "@annually",
    "@monthly",
    "@weekly",
    "@daily",
    "@midnight",
    "@hourly",
    "@every 1h30m",
    "@every 2562047h",
  ])("KIND-CronJob-2: %s is a schedule", (schedule) => {
    expect(scheduleFault(schedule)).toBeUndefined();
    expect(causesOf({ schedule })).toEqual([]);
  });

  test.each([
    "x",
    "* * * *",
    "* * * * * *",
    "60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * * 13 *",
    "* * * * 7",
    "* * L * *",
    "* * * * 1#2",
    "*/0 * * * *",
    "5-1 * * * *",
    "1-2-3 * * * *",
    "1/2/3 * * * *",
    "*-5 * * * *",
    ", * * * *",
    "@reboot",
    "@every",
    "@every soon",
    "-1 * * * *",
    "@every 2562048h",
    `@every ${"9".repeat(400)}h`,
  ])("KIND-CronJob-2: %s is none", (schedule) => {
    expect(causesOf({ schedule })).toEqual(["FieldValueInvalid spec.schedule"]);
  });

  test("KIND-CronJob-2: all values of all fields have room, and a text that is far longer is not read", () => {
    const upTo = (most: number, least = 0): string =>
      Array.from({ length: most + 1 - least }, (_, i) => least + i).join(",");
    const long = [upTo(59), upTo(23), upTo(31, 1), upTo(12, 1), upTo(6)].join(" ");
    expect(scheduleFault(long)).toBeUndefined();
    expect(scheduleFault(`${"0,".repeat(2044)}0 * * * *`)).toBe("expected at most 4096 characters, got 4097");
  });

  test("KIND-CronJob-2: it is required", () => {
    expect(causesOf({ schedule: "" })).toEqual(["FieldValueRequired spec.schedule"]);
  });

  test("KIND-CronJob-3: a zone in the schedule is invalid; who has it keeps it", () => {
    const zoned = { schedule: "TZ=UTC 0 3 * * *" };
    expect(causesOf(zoned)).toEqual(["FieldValueInvalid spec.schedule"]);
    const { object } = kind.create({ spec });
    const old = { ...object, spec: { ...(object["spec"] as object), ...zoned } };
    expect(kind.change(old, { metadata: { ...object.metadata, labels: { a: "1" } } }).causes).toEqual([]);
    expect(kind.change(old, { spec: { ...old.spec, timeZone: "UTC" } }).causes).toEqual([
      "FieldValueInvalid spec.schedule",
    ]);
  });

  test.each(["UTC", "Etc/GMT+2", "America/Argentina/Buenos_Aires", "US/Eastern"])(
    "KIND-CronJob-4: %s is a time zone",
    (timeZone) => {
      expect(causesOf({ timeZone })).toEqual([]);
    },
  );

  test.each(["", "Local", "local", "europe/berlin", "Europe/Berlin ", "../etc/passwd", "/UTC", "GMT+2", "Mars/Phobos"])(
    "KIND-CronJob-4: %j is none",
    (timeZone) => {
      expect(causesOf({ timeZone })).toEqual(["FieldValueInvalid spec.timeZone"]);
    },
  );

  test("KIND-CronJob-5: policy and numbers", () => {
    expect(causesOf({ concurrencyPolicy: "Sometimes" })).toEqual(["FieldValueNotSupported spec.concurrencyPolicy"]);
    for (const member of ["startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"]) {
      expect(causesOf({ [member]: -1 })).toEqual([`FieldValueInvalid spec.${member}`]);
    }
  });

  test("KIND-CronJob-6: the Job is checked as one, without a selector", () => {
    const of = (changes: object): readonly string[] =>
      causesOf({ jobTemplate: { spec: { ...jobTemplate.spec, ...changes } } });
    expect(of({ parallelism: -1 })).toEqual(["FieldValueInvalid spec.jobTemplate.spec.parallelism"]);
    expect(of({ completionMode: "Indexed" })).toEqual(["FieldValueRequired spec.jobTemplate.spec.completions"]);
    expect(of({ selector: { matchLabels: { a: "b" } } })).toEqual(["FieldValueInvalid spec.jobTemplate.spec.selector"]);
    expect(of({ manualSelector: true })).toEqual(["FieldValueNotSupported spec.jobTemplate.spec.manualSelector"]);
    expect(of({ template: { spec: { ...pod, restartPolicy: "Always" } } })).toEqual([
      "FieldValueRequired spec.jobTemplate.spec.template.spec.restartPolicy",
    ]);
  });

  test("KIND-CronJob-7: a name has at most 52 characters", () => {
    const named = (length: number): readonly string[] =>
      kind.create({ metadata: { name: "a".repeat(length) }, spec }).causes;
    expect([named(52), named(53)]).toEqual([[], ["FieldValueInvalid metadata.name"]]);
  });

  test("KIND-CronJob-8, KIND-CronJob-9: all of the spec may change, the status is not checked", () => {
    const { object } = kind.create({ spec });
    const other = {
      schedule: "@daily",
      timeZone: "UTC",
      jobTemplate: { spec: { template: { spec: pod }, parallelism: 3 } },
    };
    expect(kind.change(object, { spec: other }).causes).toEqual([]);
    const status = { active: [{ name: "j" }], lastScheduleTime: "2026-01-01T00:00:00Z" };
    expect(kind.update(object, { ...object, status }, "status")).toMatchObject({ causes: [], object: { status } });
  });

  test("its columns", () => {
    const { object } = kind.create({ spec });
    expect(kind.cells(object)).toEqual(["0 3 * * *", "<none>", "False", 0, "<none>", "0s", "c", "i", "<none>"]);
  });
});
