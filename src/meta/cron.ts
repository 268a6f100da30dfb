/**
 * Schedules of CronJobs: five fields, one of the names that stand for them, or `@every` with a duration (KIND-CronJob-2, WL-CRON-1).
 *
 * @module
 */

/** The values of a field. */
export interface CronField {
  readonly has: (value: number) => boolean;
  /** Whether a part of it is `*` or `?` without a step. */
  readonly isAny: boolean;
}

/** A schedule of five fields. */
export interface CronFields {
  readonly minute: CronField;
  readonly hour: CronField;
  readonly dayOfMonth: CronField;
  readonly month: CronField;
  readonly dayOfWeek: CronField;
}

/** A parsed schedule, the zone in its text included, which was possible once. */
export type CronSchedule =
  | { readonly is: "fields"; readonly fields: CronFields; readonly zone?: string }
  | { readonly is: "every"; readonly seconds: number; readonly zone?: string };

/** A schedule, or what is wrong with its text. */
export type ParsedCron = { readonly schedule: CronSchedule } | { readonly fault: string };

interface FieldRange {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly words: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const FIELDS: readonly FieldRange[] = [
  { name: "minute", least: 0, most: 59, words: [] },
  { name: "hour", least: 0, most: 23, words: [] },
  { name: "day of the month", least: 1, most: 31, words: [] },
  { name: "month", least: 1, most: 12, words: MONTHS },
  { name: "day of the week", least: 0, most: 6, words: DAYS },
];

const NAMED: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

const EVERY = "@every ";
/** The longest text; one that lists every value of every field by number has a tenth of it. */
const MAX_LENGTH = 4096;
/** The longest duration of Go, in seconds. */
const MAX_SECONDS = 2 ** 63 / 1e9;
const ZONE_PREFIXES = ["TZ=", "CRON_TZ="];

/** Parses a schedule. */
export function parseCron(text: string): ParsedCron {
  if (text.length > MAX_LENGTH) return { fault: `expected at most ${MAX_LENGTH} characters, got ${text.length}` };
  const prefix = ZONE_PREFIXES.find((one) => text.startsWith(one));
  if (prefix === undefined) return parsePlain(text);
  const at = text.indexOf(" ");
  if (at < 0) return { fault: "expected fields behind the zone" };
  const parsed = parsePlain(text.slice(at).trim());
  if ("fault" in parsed) return parsed;
  return { schedule: { ...parsed.schedule, zone: text.slice(prefix.length, at) } };
}

function parsePlain(text: string): ParsedCron {
  if (!text.startsWith("@")) return parseFields(text);
  if (text.startsWith(EVERY)) {
    const seconds = durationSeconds(text.slice(EVERY.length));
    if (seconds === undefined) return { fault: "expected a duration such as 90s behind @every" };
    return { schedule: { is: "every", seconds: Math.max(1, Math.floor(seconds)) } };
  }
  const fields = NAMED.get(text);
  return fields === undefined
    ? { fault: `expected one of ${[...NAMED.keys()].join(", ")}, or @every` }
    : parseFields(fields);
}

function parseFields(text: string): ParsedCron {
  const texts = text.split(/\s+/).filter((field) => field !== "");
  if (texts.length !== FIELDS.length) return { fault: `expected ${FIELDS.length} fields, got ${texts.length}` };
  const parsed: CronField[] = [];
  for (const [i, range] of FIELDS.entries()) {
    const field = parseField(texts[i]!, range);
    if (typeof field === "string") return { fault: `${range.name}: ${field}` };
    parsed.push(field);
  }
  const [minute, hour, dayOfMonth, month, dayOfWeek] = parsed as [
    CronField,
    CronField,
    CronField,
    CronField,
    CronField,
  ];
  return { schedule: { is: "fields", fields: { minute, hour, dayOfMonth, month, dayOfWeek } } };
}

/** Parses a field, or returns what is wrong with it. */
function parseField(text: string, range: FieldRange): CronField | string {
  const values = new Uint8Array(range.most + 1);
  let isAny = false;
  let isEmpty = true;
  for (const part of text.split(",")) {
    if (part === "") continue;
    isEmpty = false;
    const parsed = parsePart(part, range);
    if (typeof parsed === "string") return parsed;
    isAny ||= parsed.isAny;
    for (let value = parsed.first; value <= parsed.last; value += parsed.step) values[value] = 1;
  }
  if (isEmpty) return "expected a number or *";
  return { has: (value) => values[value] === 1, isAny };
}

interface Part {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  readonly isAny: boolean;
}

/** Parses a number, a range or all of it, with a step behind it. */
function parsePart(part: string, field: FieldRange): Part | string {
  const [range = "", stepText, ...others] = part.split("/", 3);
  const [firstText = "", lastText, ...more] = range.split("-", 3);
  if (others.length > 0 || more.length > 0) return `expected a number, a range or a step, got ${shown(part)}`;
  const step = stepText === undefined ? 1 : /^\d{1,9}$/.test(stepText) ? Number(stepText) : 0;
  if (step === 0) return `expected a step above 0, got ${shown(stepText ?? "")}`;
  if (firstText === "*" || firstText === "?") {
    if (lastText !== undefined) return `expected no range behind ${firstText}`;
    return { first: field.least, last: field.most, step, isAny: step === 1 };
  }
  const first = numberOf(firstText, field);
  // A step without an end continues to the last value.
  const last = lastText === undefined ? (stepText === undefined ? first : field.most) : numberOf(lastText, field);
  if (first === undefined || last === undefined)
    return `expected a number from ${field.least} to ${field.most}, got ${shown(range)}`;
  if (first > last) return `expected a range that goes upwards, got ${shown(range)}`;
  return { first, last, step, isAny: false };
}

function numberOf(text: string, { least, most, words }: FieldRange): number | undefined {
  const at = words.indexOf(text.toLowerCase());
  const number = at >= 0 ? at + least : /^\d{1,9}$/.test(text) ? Number(text) : -1;
  return number >= least && number <= most ? number : undefined;
}

const UNITS: readonly (readonly [unit: string, seconds: number])[] = [
  ["ns", 1e-9],
  ["us", 1e-6],
  ["µs", 1e-6],
  ["μs", 1e-6],
  ["ms", 1e-3],
  ["s", 1],
  ["m", 60],
  ["h", 3600],
];

/** Returns the seconds of a duration such as `1h30m`; undefined for another text, and for one that is too long for Go. */
function durationSeconds(text: string): number | undefined {
  const begin = /^[+-]/.test(text) ? 1 : 0;
  if (text.slice(begin) === "0") return 0;
  let seconds = 0;
  let at = begin;
  while (at < text.length) {
    const from = at;
    while (at < text.length && "0123456789.".includes(text[at]!)) at++;
    const amount = text.slice(from, at);
    const unit = UNITS.find(([name]) => text.startsWith(name, at));
    if (!unit || !/^(?:\d+(?:\.\d*)?|\.\d+)$/.test(amount)) return undefined;
    seconds += Number(amount) * unit[1];
    at += unit[0].length;
  }
  if (at === begin || seconds >= MAX_SECONDS) return undefined;
  return text.startsWith("-") ? -seconds : seconds;
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 40));
