/**
 * The library of strings (CEL-14); indexes count code points.
 *
 * @module
 */
import { trimSpace } from "../../util/scan.ts";
import { indexIn, lastIndexIn, splitBy } from "../../util/search.ts";
import { Failure, type List, type Value, Values } from "../values.ts";
import { JOIN, REPLACE, SPLIT, WALK, walk } from "./costs.ts";
import { type Cost, type Overload, fn } from "./contract.ts";
import { formatText } from "./format-text.ts";
import { times } from "../range.ts";
import { TRAVERSE } from "./costs.ts";

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;

/** Whether a text has code points of two units. */
const isWide = (text: string): boolean => /[\ud800-\udbff][\udc00-\udfff]/.test(text);

/** The number of units of the code point at a unit. */
const widthAt = (text: string, unit: number): 1 | 2 =>
  isHigh(text.charCodeAt(unit)) && isLow(text.charCodeAt(unit + 1)) ? 2 : 1;

/** The unit at which the code point of an index begins, or the text ends; undefined beyond the end. */
function unitOf(text: string, point: number): number | undefined {
  if (point > text.length) return undefined;
  if (!isWide(text)) return point;
  let unit = 0;
  for (let left = point; left > 0; left--) {
    if (unit >= text.length) return undefined;
    unit += widthAt(text, unit);
  }
  return unit;
}

/** The number of code points before a unit. */
function pointsBefore(text: string, end: number): number {
  if (!isWide(text)) return end;
  let points = 0;
  for (let unit = 0; unit < end; unit += widthAt(text, unit)) points++;
  return points;
}

function charAt(text: string, at: bigint): Value {
  const unit = at < 0n ? undefined : unitOf(text, Number(at));
  if (unit === undefined) return new Failure(`index out of range: ${at}`);
  return unit === text.length ? "" : text.slice(unit, unit + widthAt(text, unit));
}

function indexOf(text: string, part: string, from = 0n): Value {
  // An empty text is found at every index, also beyond the end.
  if (part === "") return from;
  if (from < 0n) return new Failure(`index out of range: ${from}`);
  const start = unitOf(text, Number(from));
  const found = start === undefined ? -1 : indexIn(text, part, start);
  return found < 0 ? -1n : BigInt(pointsBefore(text, found));
}

function lastIndexOf(text: string, part: string, until?: bigint): Value {
  let searched = text;
  if (until !== undefined) {
    if (part === "") return until;
    if (until < 0n) return new Failure(`index out of range: ${until}`);
    const start = unitOf(text, Number(until));
    if (start === undefined || start === text.length) return -1n;
    searched = text.slice(0, start + part.length);
  }
  const found = lastIndexIn(searched, part);
  return found < 0 ? -1n : BigInt(pointsBefore(text, found));
}

function substring(text: string, from: bigint, to?: bigint): Value {
  if (to !== undefined && from > to) return new Failure(`invalid substring range. start: ${from}, end: ${to}`);
  const start = from < 0n ? undefined : unitOf(text, Number(from));
  if (start === undefined) return new Failure(`index out of range: ${from}`);
  const end = to === undefined ? text.length : unitOf(text, Number(to));
  return end === undefined ? new Failure(`index out of range: ${to}`) : text.slice(start, end);
}

const cased = (from: RegExp, change: (part: string) => string) => (text: string) => text.replaceAll(from, change);

/** The longest result of a call, so that cheap calls cannot use much memory. */
const MAX_LENGTH = 16 << 20;

function replace(text: string, from: string, to: string, limit = -1n): Value {
  let left = limit < 0n ? Infinity : Number(limit);
  if (left === 0) return text;
  const parts = from === "" ? Array.from(text) : splitBy(text, from);
  const replacements = Math.min(parts.length, left);
  if (text.length + replacements * to.length > MAX_LENGTH)
    return new Failure(`expected a text of at most ${MAX_LENGTH} characters`);
  if (from === "") {
    let out = "";
    for (const part of parts) {
      if (left-- > 0) out += to;
      out += part;
    }
    return left > 0 ? out + to : out;
  }
  let out = parts[0]!;
  for (const part of parts.slice(1)) out += (left-- > 0 ? to : from) + part;
  return out;
}

function split(text: string, by: string, limit = -1n): Value {
  if (limit === 0n) return new Values([]);
  const parts = by === "" ? Array.from(text) : splitBy(text, by);
  const count = Number(limit);
  if (count < 0 || parts.length <= count) return new Values(parts);
  return new Values([...parts.slice(0, count - 1), parts.slice(count - 1).join(by)]);
}

function join(list: List, by = ""): Value {
  let out = "";
  for (let i = 0; i < list.size; i++) {
    const part = list.at(i);
    if (typeof part !== "string") return part instanceof Failure ? part : new Failure("no such overload");
    out += i === 0 ? part : by + part;
    if (out.length > MAX_LENGTH) return new Failure(`expected a text of at most ${MAX_LENGTH} characters`);
  }
  return out;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

// oxlint-disable-next-line no-control-regex -- those are what is escaped
const quote = (text: string): string => `"${text.replaceAll(/[\u0007\b\f\n\r\t\v\\"]/g, (char) => ESCAPES[char]!)}"`;

const QUOTED: Cost = {
  estimate: (at, _target, args) => {
    const { min, max } = at.size(args[0]!);
    return { cost: times({ min, max }, WALK), size: { min: min + 2n, max: BigInt.asUintN(64, max * 2n + 2n) } };
  },
  spend: walk(WALK).spend!,
};

const FORMATTED: Cost = {
  estimate: (at, target) => ({ cost: times(at.size(target!), WALK) }),
  spend: walk(WALK).spend!,
};

/** The cost of a traversal whose result is not longer than the text. */
const WALKED = walk(WALK, true);

/** Functions on texts. */
export const STRING_FUNCTIONS: readonly Overload[] = [
  fn("string.charAt(int): string", charAt),
  fn("string.indexOf(string): int", (text: string, part: string) => indexOf(text, part), TRAVERSE),
  fn("string.indexOf(string, int): int", indexOf, TRAVERSE),
  fn("string.lastIndexOf(string): int", (text: string, part: string) => lastIndexOf(text, part), TRAVERSE),
  fn("string.lastIndexOf(string, int): int", lastIndexOf, TRAVERSE),
  fn(
    "string.lowerAscii(): string",
    cased(/[A-Z]+/g, (part) => part.toLowerCase()),
    WALKED,
  ),
  fn(
    "string.upperAscii(): string",
    cased(/[a-z]+/g, (part) => part.toUpperCase()),
    WALKED,
  ),
  fn(
    "string.replace(string, string): string",
    (text: string, from: string, to: string) => replace(text, from, to),
    REPLACE,
  ),
  fn("string.replace(string, string, int): string", replace, REPLACE),
  fn("string.split(string): list<string>", (text: string, by: string) => split(text, by), SPLIT),
  fn("string.split(string, int): list<string>", split, SPLIT),
  fn("string.substring(int): string", (text: string, from: bigint) => substring(text, from), WALKED),
  fn("string.substring(int, int): string", substring, WALKED),
  fn("string.trim(): string", trimSpace, WALKED),
  fn("string.format(list<dyn>): string", formatText, FORMATTED),
  fn("list<string>.join(): string", (list: List) => join(list), JOIN),
  fn("list<string>.join(string): string", join, JOIN),
  fn("|strings.quote(string): string", quote, QUOTED),
];
