import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { CronJob, Job } from "../../src/client/kinds/index.ts";
import { JobWorld, at } from "./job-parts.ts";

let cluster: JobWorld;
beforeEach(async () => {
  cluster = await JobWorld.create();
});
afterEach(() => cluster.close());

/** Minutes since 1970 at the beginning of the clock. */
const ZERO = Date.UTC(2026, 0, 1) / 60_000;
const nameAt = (minutes: number): string => `k-${ZERO + minutes}`;
const jobs = () => cluster.jobNames();

const finish = async (name: string, type: "Complete" | "Failed"): Promise<void> => {
  const time = new Date(cluster.world.clock.now()).toISOString();
  const begin = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
  const condition = (of: string) => ({ type: of, status: "True", reason: "x", lastTransitionTime: time });
  const completion = type === "Complete" ? { completionTime: time } : {};
  const status = { startTime: time, ...completion, conditions: [condition(begin), condition(type)] };
  await cluster.world.resource(Job).status.patch(at(name), { status } as never);
  await cluster.world.settled();
};

describe("a CronJob that is due", () => {
  test("WL-CRON-1, WL-CRON-7: makes a Job at its time, to the tenth of a second", async () => {
    await cluster.makeCron({ schedule: "*/10 * * * *" });
    await cluster.advance("10m");
    expect(await jobs()).toEqual([]);
    await cluster.advance("99ms");
    expect(await jobs()).toEqual([]);
    await cluster.advance("1ms");
    expect(await jobs()).toEqual([nameAt(10)]);
    await cluster.advance("20m");
    expect(await jobs()).toEqual([nameAt(10), nameAt(20), nameAt(30)]);
  });

  test("WL-CRON-2, WL-GEN-7: the Job is that of the template, with its time, and stands in the status", async () => {
    const { metadata } = await cluster.makeCron({ schedule: "30 2 * * *", timeZone: "Asia/Kathmandu" });
    await cluster.advance("24h");
    const [made] = await cluster.jobs();
    const { name, uid, resourceVersion } = made!.metadata;
    // 02:30 there is 20:45 in UTC.
    expect(name).toBe(nameAt(20 * 60 + 45));
    expect(made!.metadata).toMatchObject({
      labels: { app: "cron" },
      annotations: { note: "n", "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-02T02:30:00+05:45" },
      ownerReferences: [
        {
          apiVersion: "batch/v1",
          kind: "CronJob",
          name: "k",
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    const { status } = await cluster.cron();
    expect(status.lastScheduleTime).toBe("2026-01-01T20:45:00Z");
    expect(status.active).toEqual([
      { apiVersion: "batch/v1", kind: "Job", namespace: "default", name, uid, resourceVersion: expect.any(String) },
    ]);
    expect(Number(status.active![0]!.resourceVersion)).toBeLessThanOrEqual(Number(resourceVersion));
    expect(await cluster.told("k")).toEqual(["Normal SuccessfulCreate"]);
  });

  test("WL-CRON-1: of those that were missed only the last is made up", async () => {
    await cluster.makeCron({ schedule: "0 * * * *" });
    await cluster.kill();
    await cluster.advance("5h");
    await cluster.advance("30m");
    await cluster.restart();
    expect(await jobs()).toEqual([nameAt(300)]);
    expect((await cluster.cron()).status.lastScheduleTime).toBe("2026-01-01T05:00:00Z");
    expect(await cluster.told("k")).toEqual(["Normal SuccessfulCreate"]);
  });

  test("WL-CRON-1: more than 100 missed times are reported, and the last Job is created all the same", async () => {
    await cluster.makeCron({ schedule: "* * * * *" });
    await cluster.kill();
    await cluster.advance("101m");
    await cluster.advance("100ms");
    await cluster.restart();
    expect(await jobs()).toEqual([nameAt(101)]);
    expect(await cluster.told("k")).toEqual(["Warning TooManyMissedTimes", "Normal SuccessfulCreate"]);
  });

  test("WL-CRON-1: 100 that were missed are not too many", async () => {
    await cluster.makeCron({ schedule: "* * * * *" });
    await cluster.kill();
    await cluster.advance("100m");
    await cluster.restart();
    expect(await cluster.told("k")).toEqual(["Normal SuccessfulCreate"]);
  });

  test("WL-CRON-7: another schedule makes up nothing", async () => {
    await cluster.makeCron({ schedule: "0 12 * * *" });
    await cluster.advance("90m");
    await cluster.changeCron({ schedule: "0 * * * *" });
    expect(await jobs()).toEqual([]);
    await cluster.advance("30m");
    await cluster.advance("100ms");
    expect(await jobs()).toEqual([nameAt(120)]);
  });

  test("WL-CRON-1: a schedule without a further time is reported, and not checked again", async () => {
    await cluster.makeCron({ schedule: "0 0 30 2 *" });
    await cluster.advance("48h");
    expect(await jobs()).toEqual([]);
    expect(await cluster.told("k")).toEqual(["Warning InvalidSchedule"]);
  });
});

describe("the clocks of zones", () => {
  const dueIn = async (from: string, spec: object): Promise<readonly string[]> => {
    const wait = Date.parse(from) - cluster.world.clock.now();
    await cluster.advance(`${wait}ms`);
    await cluster.makeCron({ successfulJobsHistoryLimit: 100, ...spec });
    await cluster.advance("49h");
    return (await cluster.jobs()).map(
      ({ metadata }) => metadata.annotations!["batch.kubernetes.io/cronjob-scheduled-timestamp"]!,
    );
  };

  test("WL-CRON-1: an hour that summer time leaves out has no run", async () => {
    expect(await dueIn("2026-03-28T00:00:00Z", { schedule: "30 2 * * *", timeZone: "Europe/Berlin" })).toEqual([
      "2026-03-28T02:30:00+01:00",
      "2026-03-30T02:30:00+02:00",
    ]);
  });

  test("WL-CRON-1: an hour that comes twice has two", async () => {
    expect(await dueIn("2026-10-24T12:00:00Z", { schedule: "30 2 * * *", timeZone: "Europe/Berlin" })).toEqual([
      "2026-10-25T02:30:00+02:00",
      "2026-10-25T02:30:00+01:00",
      "2026-10-26T02:30:00+01:00",
    ]);
  });

  test("WL-CRON-1: so it is in New York, and every day at nine is at nine", async () => {
    expect(await dueIn("2026-10-31T20:00:00Z", { schedule: "30 1,9 * * *", timeZone: "America/New_York" })).toEqual([
      "2026-11-01T01:30:00-04:00",
      "2026-11-01T01:30:00-05:00",
      "2026-11-01T09:30:00-05:00",
      "2026-11-02T01:30:00-05:00",
      "2026-11-02T09:30:00-05:00",
    ]);
  });

  test("WL-CRON-1: a change of half an hour", async () => {
    expect(await dueIn("2026-10-03T00:00:00Z", { schedule: "15 2,3 * * *", timeZone: "Australia/Lord_Howe" })).toEqual([
      "2026-10-04T03:15:00+11:00",
      "2026-10-05T02:15:00+11:00",
      "2026-10-05T03:15:00+11:00",
    ]);
  });
});

describe("what keeps a CronJob from it", () => {
  test("WL-CRON-3: later than startingDeadlineSeconds it is missed", async () => {
    await cluster.makeCron({ schedule: "0 * * * *", startingDeadlineSeconds: 60 });
    await cluster.kill();
    await cluster.advance("61m");
    await cluster.advance("1s");
    await cluster.restart();
    expect(await jobs()).toEqual([]);
    await cluster.kill();
    await cluster.advance("59m");
    await cluster.restart();
    expect(await jobs()).toEqual([nameAt(120)]);
  });

  test("WL-CRON-3: suspended none is made, resumed the last missed one is", async () => {
    await cluster.makeCron({ schedule: "*/10 * * * *", suspend: true });
    await cluster.advance("65m");
    expect(await jobs()).toEqual([]);
    await cluster.changeCron({ suspend: false });
    expect(await jobs()).toEqual([nameAt(60)]);
    await cluster.changeCron({ suspend: true });
    await cluster.advance("1h");
    expect(await jobs()).toEqual([nameAt(60)]);
  });

  test("WL-CRON-4: Forbid waits for the active one", async () => {
    await cluster.makeCron({ schedule: "*/10 * * * *", concurrencyPolicy: "Forbid" });
    await cluster.advance("25m");
    expect(await jobs()).toEqual([nameAt(10)]);
    expect(await cluster.told("k")).toEqual(["Normal SuccessfulCreate", "Normal JobAlreadyActive"]);
    await finish(nameAt(10), "Complete");
    // The one that it kept from running is made up.
    expect(await jobs()).toEqual([nameAt(10), nameAt(20)]);
  });

  test("WL-CRON-4: Replace deletes the active one", async () => {
    await cluster.makeCron({ schedule: "*/10 * * * *", concurrencyPolicy: "Replace" }, {});
    await cluster.advance("11m");
    await cluster.advance("10m");
    expect(await jobs()).toEqual([nameAt(20)]);
    expect((await cluster.cron()).status.active).toMatchObject([{ name: nameAt(20) }]);
    const pods = await cluster.pods();
    expect(pods.map(({ metadata }) => metadata.labels!["job-name"])).toEqual([nameAt(20)]);
    expect(await cluster.told("k")).toEqual([
      "Normal SuccessfulCreate",
      "Normal SuccessfulDelete",
      "Normal SuccessfulCreate",
    ]);
  });

  test("WL-CRON-4: Allow makes another beside it", async () => {
    await cluster.makeCron({ schedule: "*/10 * * * *" });
    await cluster.advance("21m");
    expect((await cluster.cron()).status.active).toMatchObject([{ name: nameAt(10) }, { name: nameAt(20) }]);
  });
});

describe("the Jobs of a CronJob", () => {
  test("WL-CRON-2: one that is refused is reported, and tried again", async () => {
    // With the time of the schedule they are more bytes of annotations than an object may have.
    const metadata = { annotations: { big: "b".repeat(262_100) } };
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    await cluster.makeCron({ schedule: "*/10 * * * *", jobTemplate: { metadata, spec: { template } } });
    await cluster.advance("11m");
    expect(await jobs()).toEqual([]);
    expect(await cluster.told("k")).toContain("Warning FailedCreate");
    expect(cluster.world.warnings).not.toEqual([]);
    cluster.world.warnings.length = 0;
  });

  test("WL-CRON-5: one that ended, and one that is gone, are no longer active", async () => {
    await cluster.makeCron({ schedule: "*/10 * * * *" });
    await cluster.advance("21m");
    await finish(nameAt(10), "Complete");
    let { status } = await cluster.cron();
    expect(status.active).toMatchObject([{ name: nameAt(20) }]);
    expect(status.lastSuccessfulTime).toBe("2026-01-01T00:21:00Z");
    await cluster.world.resource(Job).delete(at(nameAt(20)));
    await cluster.world.settled();
    ({ status } = await cluster.cron());
    expect(status.active).toBeUndefined();
    expect(status.lastScheduleTime).toBe("2026-01-01T00:20:00Z");
    expect((await cluster.told("k")).slice(2)).toEqual(["Normal SawCompletedJob", "Normal MissingJob"]);
  });

  test("WL-CRON-5: a Job that it did not create is reported", async () => {
    const { metadata } = await cluster.makeCron({ schedule: "0 0 1 1 *" });
    const reference = { apiVersion: "batch/v1", kind: "CronJob", name: "k", uid: metadata.uid, controller: true };
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    const made = { metadata: { ...at("other"), ownerReferences: [reference] }, spec: { suspend: true, template } };
    await cluster.world.resource(Job).create(made as NewObject<Job>);
    expect(await cluster.told("k")).toEqual(["Warning UnexpectedJob"]);
  });

  test("WL-CRON-6: as many are kept as the limits say, the oldest go", async () => {
    await cluster.makeCron({ schedule: "*/10 * * * *", successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 0 });
    for (let i = 1; i <= 5; i++) {
      await cluster.advance(`${i === 1 ? 601 : 600}s`);
      await finish(nameAt(10 * i), i === 3 ? "Failed" : "Complete");
    }
    expect(await jobs()).toEqual([nameAt(40), nameAt(50)]);
    expect((await cluster.cron()).status.active).toBeUndefined();
  });

  test("WL-CRON-2: one that was made before the status said so is not made twice", async () => {
    await cluster.makeCron({ schedule: "*/10 * * * *" });
    await cluster.advance("11m");
    await cluster.kill();
    await cluster.world
      .resource(CronJob)
      .status.patch(at("k"), { status: { active: null, lastScheduleTime: null } } as never);
    await cluster.restart();
    expect(await jobs()).toEqual([nameAt(10)]);
    expect((await cluster.cron()).status).toMatchObject({
      active: [{ name: nameAt(10) }],
      lastScheduleTime: "2026-01-01T00:10:00Z",
    });
  });

  test("WL-CRON-2: a day of every ten minutes, with Jobs that run", async () => {
    await cluster.makeCron({ schedule: "*/10 * * * *", concurrencyPolicy: "Forbid" }, {});
    for (let i = 0; i < 24; i++) {
      await cluster.advance("10m");
      await cluster.advance("1s");
      await cluster.endOnly();
      await cluster.advance("2s");
    }
    expect(await jobs()).toEqual([nameAt(220), nameAt(230), nameAt(240)]);
    expect(await cluster.pods()).toHaveLength(3);
    expect((await cluster.cron()).status.active).toBeUndefined();
  });
});
