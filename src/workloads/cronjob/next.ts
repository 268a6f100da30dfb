/**
 * The next time of a schedule, as robfig/cron, the parser of kube-controller-manager, computes it (WL-CRON-1).
 *
 * Hours and minutes are added to the absolute time, not to local time. So an hour that daylight saving skips has no run, and an hour that
 * it repeats has two.
 *
 * @module
 */
import type { CronFields, CronSchedule } from "../../meta/cron.ts";
import { type TimeZone, timeZone } from "../../util/time-zone.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A schedule without a time in this period has none. */
const MAX_YEARS = 5;

/**
 * Returns the first time of a schedule after `after`, in milliseconds since the epoch; undefined where there is none within five
 * years.
 *
 * @param zoneName the zone of schedules whose text names none @throws RangeError for a zone that the engine does not know
 */
export function nextDue(schedule: CronSchedule, zoneName: string, after: number): number | undefined {
  const second = Math.floor(after / SECOND) * SECOND;
  if (schedule.is === "every") return second + schedule.seconds * SECOND;
  return new Search(schedule.fields, timeZone(schedule.zone ?? zoneName), second + SECOND).run();
}

/** A time that is advanced to the next value of each field, from the month to the minute. */
class Search {
  readonly #fields: CronFields;
  readonly #zone: TimeZone;
  #time: number;
  /** The local time, with the fields of a UTC date. */
  #local: Date;
  /** Whether a field was advanced: smaller fields are then reset to their first value. */
  #isMoved = false;

  constructor(fields: CronFields, zone: TimeZone, time: number) {
    this.#fields = fields;
    this.#zone = zone;
    this.#time = time;
    this.#local = new Date(zone.toLocal(time));
  }

  run(): number | undefined {
    const lastYear = this.#local.getUTCFullYear() + MAX_YEARS;
    while (this.#local.getUTCFullYear() <= lastYear) {
      // A field that overflows into the next larger one begins again with the month.
      if (this.#month() && this.#day() && this.#hour() && this.#minute() && this.#second()) return this.#time;
    }
    return undefined;
  }

  #month(): boolean {
    while (!this.#fields.month.has(this.#local.getUTCMonth() + 1)) {
      const { year, month } = this.#date();
      this.#begin(year, month, 1);
      const next = new Date(this.#local);
      next.setUTCMonth(month + 1);
      this.#setLocal(next.getTime());
      if (this.#local.getUTCMonth() === 0) return false;
    }
    return true;
  }

  #day(): boolean {
    while (!this.#isDay()) {
      const { year, month, day } = this.#date();
      this.#begin(year, month, day);
      const before = this.#time;
      this.#setLocal(this.#local.getTime() + DAY);
      this.#toMidnight();
      // Zones that crossed the date line have skipped a day.
      if (this.#time <= before) this.#setTime(before + DAY);
      if (this.#local.getUTCDate() === 1) return false;
    }
    return true;
  }

  /** Where midnight is skipped, the hour before or after it replaces it. */
  #toMidnight(): void {
    const hour = this.#local.getUTCHours();
    if (hour !== 0) this.#setTime(this.#time + (hour > 12 ? 24 - hour : -hour) * HOUR);
  }

  #hour(): boolean {
    while (!this.#fields.hour.has(this.#local.getUTCHours())) {
      const { year, month, day } = this.#date();
      this.#begin(year, month, day, this.#local.getUTCHours());
      this.#setTime(this.#time + HOUR);
      if (this.#local.getUTCHours() === 0) return false;
    }
    return true;
  }

  #minute(): boolean {
    while (!this.#fields.minute.has(this.#local.getUTCMinutes())) {
      if (!this.#isMoved) this.#time = Math.floor(this.#time / MINUTE) * MINUTE;
      this.#isMoved = true;
      this.#setTime(this.#time + MINUTE);
      if (this.#local.getUTCMinutes() === 0) return false;
    }
    return true;
  }

  /** The first second of a minute in local time: old offsets have seconds. */
  #second(): boolean {
    const seconds = this.#local.getUTCSeconds();
    if (seconds === 0) return true;
    this.#isMoved = true;
    this.#setTime(this.#time + MINUTE - seconds * SECOND);
    return false;
  }

  #isDay(): boolean {
    const { dayOfMonth, dayOfWeek } = this.#fields;
    const fitsMonth = dayOfMonth.has(this.#local.getUTCDate());
    const fitsWeek = dayOfWeek.has(this.#local.getUTCDay());
    return dayOfMonth.isAny || dayOfWeek.isAny ? fitsMonth && fitsWeek : fitsMonth || fitsWeek;
  }

  #date(): { readonly year: number; readonly month: number; readonly day: number } {
    const local = this.#local;
    return { year: local.getUTCFullYear(), month: local.getUTCMonth(), day: local.getUTCDate() };
  }

  /** Resets the time to the beginning of the field that is advanced, the first time. */
  #begin(year: number, month: number, day: number, hour = 0): void {
    if (this.#isMoved) return;
    this.#isMoved = true;
    this.#setLocal(Date.UTC(year, month, day, hour));
  }

  #setLocal(local: number): void {
    this.#setTime(this.#zone.fromLocal(local));
  }

  #setTime(time: number): void {
    this.#time = time;
    this.#local = new Date(this.#zone.toLocal(time));
  }
}
