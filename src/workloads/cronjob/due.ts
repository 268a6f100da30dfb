/** Which time of a CronJob is due, and when to check it next (WL-CRON-1, WL-CRON-3, WL-CRON-7). */
import type { CronJob } from "../../client/kinds/index.ts";
import type { CronSchedule } from "../../meta/cron.ts";
import { nextDue } from "./next.ts";

/** The schedule of a CronJob, with the zone of its times. */
export interface ZonedSchedule {
  readonly schedule: CronSchedule;
  readonly zone: string;
}

/** The times of a CronJob that have passed, in milliseconds since the epoch. */
export interface Missed {
  /** The time from which they count. */
  readonly since: number;
  /** The last of them; undefined where there is none. */
  readonly last: number | undefined;
  /** Approximately how many there are. */
  readonly count: number;
  /** Whether the schedule has one time at most, and so is no schedule. */
  readonly isInvalid: boolean;
}

const SECOND = 1000;
/** How long after a time a CronJob is checked. */
const DELAY_MS = 100;

/**
 * Returns the times that are due now: a time is due {@link DELAY_MS} after it has passed, so that a controller that starts within this
 * delay does the same as one that was waiting.
 */
export const dueBy = (cronJob: CronJob, zoned: ZonedSchedule, now: number, withDeadline: boolean): Missed =>
  missedBetween(zoned, sinceOf(cronJob, now, withDeadline), now - DELAY_MS);

function missedBetween(zoned: ZonedSchedule, since: number, now: number): Missed {
  const { schedule, zone } = zoned;
  const first = nextDue(schedule, zone, since);
  if (first !== undefined && now < first) return { since, last: undefined, count: 0, isInvalid: false };
  const second = first === undefined ? undefined : nextDue(schedule, zone, first);
  if (first === undefined || second === undefined) return { since, last: undefined, count: 0, isInvalid: true };
  if (now < second) return { since, last: first, count: 1, isInvalid: false };
  // The distance of the first two stands for the distance of all.
  const distance = Math.round((second - first) / SECOND) * SECOND;
  const count = Math.floor((now - first) / distance) + 1;
  return { since, last: lastBetween(zoned, first + (count - 2) * distance, now), count, isInvalid: false };
}

function sinceOf({ metadata, spec, status }: CronJob, now: number, withDeadline: boolean): number {
  const begin = Date.parse(status.lastScheduleTime ?? metadata.creationTimestamp ?? "") || 0;
  const { startingDeadlineSeconds: deadline } = spec;
  return withDeadline && deadline !== undefined ? Math.max(begin, now - deadline * SECOND) : begin;
}

/** How many times are checked one after the other before the binary search. */
const STEPS = 3;

/** The last time of a schedule after `from` and not after `now`; undefined where there is none. */
function lastBetween({ schedule, zone }: ZonedSchedule, from: number, now: number): number | undefined {
  const dueAfter = (time: number): number | undefined => {
    const due = nextDue(schedule, zone, time);
    return due !== undefined && due <= now ? due : undefined;
  };
  let last: number | undefined;
  for (let step = 0, due = dueAfter(from); due !== undefined; due = dueAfter(due), step++) {
    last = due;
    if (step >= STEPS && schedule.is === "fields") return lastByHalving(dueAfter, due, now);
  }
  return last;
}

/** The times do not depend on earlier ones, so the search may begin anywhere. */
function lastByHalving(dueAfter: (time: number) => number | undefined, known: number, now: number): number {
  let last = known;
  let none = now;
  while (none - last > SECOND) {
    const middle = Math.floor((last + none) / 2);
    const due = dueAfter(middle);
    if (due === undefined) none = middle;
    else last = due;
  }
  return last;
}

/** Milliseconds until the next check of a CronJob; undefined where its schedule has no further time. */
export function untilNext(cronJob: CronJob, zoned: ZonedSchedule, now: number): number | undefined {
  const { since, last, count, isInvalid } = dueBy(cronJob, zoned, now, false);
  const from = last ?? (isInvalid || count > 0 ? now : since);
  const next = nextDue(zoned.schedule, zoned.zone, from);
  return next === undefined ? undefined : next + DELAY_MS - now;
}
