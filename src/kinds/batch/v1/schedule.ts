/**
 * Schedules of CronJobs: five fields, or one of the names that stand for them (KIND-CronJob-2).
 *
 * @module
 */

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly words: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const FIELDS: readonly Field[] = [
  { name: "minute", least: 0, most: 59, words: [] },
  { name: "hour", least: 0, most: 23, words: [] },
  { name: "day of the month", least: 1, most: 31, words: [] },
  { name: "month", least: 1, most: 12, words: MONTHS },
  { name: "day of the week", least: 0, most: 6, words: DAYS },
];

const NAMED: ReadonlySet<string> = new Set([
  "@yearly",
  "@annually",
  "@monthly",
  "@weekly",
  "@daily",
  "@midnight",
  "@hourly",
]);

const EVERY = /^@every (.*)$/s;
const DURATION = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;

/** What is wrong with a schedule; undefined for one that is right. */
export function scheduleFault(text: string): string | undefined {
  if (text.startsWith("@")) {
    const [, duration] = EVERY.exec(text) ?? [];
    if (duration !== undefined)
      return DURATION.test(duration) ? undefined : "expected a duration such as 90s behind @every";
    return NAMED.has(text) ? undefined : `expected one of ${[...NAMED].join(", ")}, or @every`;
  }
  const fields = text.split(/\s+/).filter((field) => field !== "");
  if (fields.length !== FIELDS.length) return `expected ${FIELDS.length} fields, got ${fields.length}`;
  for (const [i, field] of FIELDS.entries()) {
    for (const part of fields[i]!.split(",")) {
      const fault = part === "" ? undefined : partFault(part, field);
      if (fault !== undefined) return `${field.name}: ${fault}`;
    }
    if (fields[i]!.split(",").every((part) => part === "")) return `${field.name}: expected a number or *`;
  }
  return undefined;
}

/** A number, a range or all of it, with a step behind it. */
function partFault(part: string, field: Field): string | undefined {
  const [range = "", step, ...others] = part.split("/");
  const [first = "", last, ...more] = range.split("-");
  if (others.length > 0 || more.length > 0) return `expected a number, a range or a step, got ${shown(part)}`;
  if (step !== undefined && !(/^\d{1,9}$/.test(step) && Number(step) > 0))
    return `expected a step above 0, got ${shown(step)}`;
  if (first === "*" || first === "?") return last === undefined ? undefined : `expected no range behind ${first}`;
  const from = numberOf(first, field);
  // A step without an end continues to the last value.
  const to = last === undefined ? (step === undefined ? from : field.most) : numberOf(last, field);
  if (from === undefined || to === undefined)
    return `expected a number from ${field.least} to ${field.most}, got ${shown(range)}`;
  return from > to ? `expected a range that goes upwards, got ${shown(range)}` : undefined;
}

function numberOf(text: string, { least, most, words }: Field): number | undefined {
  const at = words.indexOf(text.toLowerCase());
  const number = at >= 0 ? at + least : /^\d{1,9}$/.test(text) ? Number(text) : -1;
  return number >= least && number <= most ? number : undefined;
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 40));
