/**
 * Times in UTC as RFC 3339 writes them, with milliseconds.
 *
 * They equal those of `Date.prototype.toISOString`, which loads the time zone data of the engine, most of a megabyte.
 *
 * @module
 */
const DAY_MS = 86_400_000;
/** Days from 1 March of the year 0 to 1 January 1970. */
const EPOCH_DAYS = 719_468;
/** Days of 400 years, after which the calendar repeats. */
const ERA_DAYS = 146_097;

const YEAR_0_MS = -62_167_219_200_000;
const YEAR_10000_MS = 253_402_300_800_000;

const two = (value: number): string => (value < 10 ? `0${value}` : String(value));

/** The text of a time in ms since 1970. @throws RangeError where it is out of the range of dates */
export function isoTime(time: number): string {
  const ms = Math.trunc(time);
  // Years of other than four digits are rare.
  if (!(ms >= YEAR_0_MS && ms < YEAR_10000_MS)) return new Date(time).toISOString();
  const days = Math.floor(ms / DAY_MS);
  const rest = ms - days * DAY_MS;
  const date = dateOf(days);
  const seconds = Math.floor(rest / 1000);
  const clock = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) => two(Math.floor(part))).join(":");
  const millis = String(rest % 1000).padStart(3, "0");
  return `${String(date.year).padStart(4, "0")}-${two(date.month)}-${two(date.day)}T${clock}.${millis}Z`;
}

/** The date of a day, counted from 1 January 1970. Years are counted from March, so that a leap day is the last. */
function dateOf(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const sinceEpoch = days + EPOCH_DAYS;
  const era = Math.floor(sinceEpoch / ERA_DAYS);
  const dayOfEra = sinceEpoch - era * ERA_DAYS;
  const leaps = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const day = dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}
