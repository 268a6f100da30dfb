/**
 * When a schedule is due next, as robfig/cron, the parser of kube-controller-manager, has it (WL-CRON-1).
 *
 * Hours and minutes are added to the time, not to what the clocks show. So an hour that summer time leaves out has no run, and one that
 * comes twice has two.
 *
 * @module
 */
import type { CronFields, CronSchedule } from "../../meta/cron.ts";
import { type TimeZone, timeZone } from "../../util/time-zone.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A schedule that is not due for so long never is. */
const MAX_YEARS = 5;

/**
 * Returns the first time after `after` at which a schedule is due, in milliseconds since the epoch; undefined where that is never, which
 * means not in five years.
 *
 * @param zoneName the zone of schedules whose text names none @throws RangeError for a zone that the engine does not know
 */
export function nextDue(schedule: CronSchedule, zoneName: string, after: number): number | undefined {
  const second = Math.floor(after / SECOND) * SECOND;
  if (schedule.is === "every") return second + schedule.seconds * SECOND;
  return new Search(schedule.fields, timeZone(schedule.zone ?? zoneName), second + SECOND).run();
}

/** A time that is moved to the next value of each field, from the month to the minute. */
class Search {
  readonly #fields: CronFields;
  readonly #zone: TimeZone;
  #time: number;
  /** The local time, as UTC would show it. */
  #local: Date;
  /** Whether a field was moved: the smaller ones begin from the start then. */
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
      // Each of them begins from the month again where it came to the end of the field above.
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
      // Zones that crossed the date line have left out a day.
      if (this.#time <= before) this.#setTime(before + DAY);
      if (this.#local.getUTCDate() === 1) return false;
    }
    return true;
  }

  /** Where midnight is left out, the hour before or behind it stands for it. */
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

  /** The first second of a minute is due, as clocks show it: the offsets of long ago have seconds. */
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

  /** Goes to the beginning of the field that is moved, the first time. */
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
