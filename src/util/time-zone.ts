/**
 * Time zones by their names: the offset from UTC at a time, from the data of the engine.
 *
 * A call of the engine takes some microseconds, so the offsets of weeks are cached; in a week with a change, a binary search finds its
 * time.
 *
 * @module
 */
import { BoundedCache } from "./bounded-cache.ts";
import { once } from "./once.ts";

/** No zone changes twice within a week. */
const WEEK_MS = 7 * 86_400_000;
/** Twenty years. */
const MAX_WEEKS = 1024;

/** The offset before and after a time; they are equal in a week without a change. */
interface WeekOffsets {
  readonly before: number;
  readonly from: number;
  readonly changesAt: number;
}

/** A time zone. All times are in milliseconds; a local time is a number whose UTC fields are the local ones. */
export class TimeZone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #weeks = new Map<number, WeekOffsets>();

  /** @throws RangeError for a zone that the engine does not know */
  constructor(name: string) {
    this.name = name;
    this.#format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  }

  /** Returns the offset of local time from UTC at a time. */
  offsetAt(time: number): number {
    const week = Math.floor(time / WEEK_MS);
    const { before, from, changesAt } = this.#weeks.get(week) ?? this.#keep(week);
    return time < changesAt ? before : from;
  }

  /** Returns the local time for a time. */
  toLocal(time: number): number {
    return time + this.offsetAt(time);
  }

  /**
   * Returns the time for a local time. For a local time that occurs twice, or never, it uses the offset before or after the change, as
   * Go's `time.Date` does.
   */
  fromLocal(local: number): number {
    return local - this.offsetAt(local - this.offsetAt(local));
  }

  #keep(week: number): WeekOffsets {
    if (this.#weeks.size >= MAX_WEEKS) this.#weeks.clear();
    const begin = week * WEEK_MS;
    const [before, from] = [this.#ask(begin), this.#ask(begin + WEEK_MS)];
    const known = { before, from, changesAt: before === from ? begin : this.#changeIn(begin, begin + WEEK_MS, before) };
    this.#weeks.set(week, known);
    return known;
  }

  /** Finds when the offset changes, to the second. */
  #changeIn(begin: number, end: number, before: number): number {
    let [low, high] = [begin / 1000, end / 1000];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#ask(middle * 1000) === before) low = middle;
      else high = middle;
    }
    return high * 1000;
  }

  #ask(time: number): number {
    const parts: Record<string, string> = {};
    for (const { type, value } of this.#format.formatToParts(time)) parts[type] = value;
    const { era = "", year, month, day, hour, minute, second } = parts;
    const local = new Date(0);
    local.setUTCFullYear(era.startsWith("B") ? 1 - Number(year) : Number(year), Number(month) - 1, Number(day));
    local.setUTCHours(Number(hour), Number(minute), Number(second));
    return local.getTime() - Math.floor(time / 1000) * 1000;
  }
}

/** The bytes of a zone when all its weeks are cached. */
const ZONE_BYTES = 128 << 10;

const zones = new BoundedCache<TimeZone>({ entries: 600, bytes: 8 << 20, weigh: () => ZONE_BYTES });

/** Returns a time zone, with its cached weeks. @throws RangeError for a zone that the engine does not know */
export function timeZone(name: string): TimeZone {
  const known = zones.get(name);
  if (known) return known;
  const zone = new TimeZone(name);
  zones.set(name, zone);
  return zone;
}

/** Returns the name of the zone of this process, which is computed once: the engine takes as long for it as for a whole plan. */
export const localZone = once(() => new Intl.DateTimeFormat().resolvedOptions().timeZone);
