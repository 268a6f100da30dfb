/**
 * Functions on texts (CEL-14); places count code points.
 *
 * @module
 */
import { trimSpace } from "../../util/scan.ts";
import { Failure, type List, type Value, Values } from "../values.ts";
import { JOIN, REPLACE, SPLIT, WALK, walk } from "./costs.ts";
import { type Cost, type Overload, fn } from "./contract.ts";
import { formatText } from "./format-text.ts";
import { times } from "../range.ts";
import { TRAVERSE } from "./costs.ts";

/** Whether a text has code points that are two units. */
const isWide = (text: string): boolean => /[\ud800-\udfff]/.test(text);
const pointsIn = (text: string): readonly string[] | string => (isWide(text) ? Array.from(text) : text);
const partOf = (points: readonly string[] | string, from: number, to?: number): string =>
  typeof points === "string" ? points.slice(from, to) : points.slice(from, to).join("");

function charAt(text: string, at: bigint): Value {
  const points = pointsIn(text);
  const index = Number(at);
  if (index < 0 || index > points.length) return new Failure(`index out of range: ${at}`);
  return points[index] ?? "";
}

function indexOf(text: string, part: string, from = 0n): Value {
  const points = pointsIn(text);
  const start = Number(from);
  if (start < 0) return new Failure(`index out of range: ${from}`);
  if (start > points.length) return -1n;
  const rest = partOf(points, start);
  const found = rest.indexOf(part);
  return found < 0 ? -1n : BigInt(start + pointsIn(rest.slice(0, found)).length);
}

function lastIndexOf(text: string, part: string, until?: bigint): Value {
  const points = pointsIn(text);
  if (until === undefined) {
    const found = text.lastIndexOf(part);
    return found < 0 ? -1n : BigInt(pointsIn(text.slice(0, found)).length);
  }
  const end = Number(until);
  if (end < 0) return new Failure(`index out of range: ${until}`);
  if (end > points.length) return -1n;
  if (part === "") return until;
  const length = pointsIn(part).length;
  const found = partOf(points, 0, end + length).lastIndexOf(part);
  return found < 0 ? -1n : BigInt(pointsIn(text.slice(0, found)).length);
}

function substring(text: string, from: bigint, to?: bigint): Value {
  const points = pointsIn(text);
  const start = Number(from);
  if (to === undefined) {
    return start < 0 || start > points.length ? new Failure(`index out of range: ${from}`) : partOf(points, start);
  }
  const end = Number(to);
  if (start > end) return new Failure(`invalid substring range. start: ${from}, end: ${to}`);
  if (start < 0 || start > points.length) return new Failure(`index out of range: ${from}`);
  if (end < 0 || end > points.length) return new Failure(`index out of range: ${to}`);
  return partOf(points, start, end);
}

const cased = (from: RegExp, change: (part: string) => string) => (text: string) => text.replaceAll(from, change);

/** No result of a call is longer: what costs little must not make much. */
const LONGEST = 16 << 20;

function replace(text: string, from: string, to: string, most = -1n): Value {
  let left = most < 0n ? Infinity : Number(most);
  if (left === 0) return text;
  const parts = from === "" ? Array.from(text) : text.split(from);
  const times_ = Math.min(parts.length, left);
  if (text.length + times_ * to.length > LONGEST)
    return new Failure(`expected a text of at most ${LONGEST} characters`);
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

function split(text: string, by: string, most = -1n): Value {
  if (most === 0n) return new Values([]);
  const parts = by === "" ? Array.from(text) : text.split(by);
  const count = Number(most);
  if (count < 0 || parts.length <= count) return new Values(parts);
  return new Values([...parts.slice(0, count - 1), parts.slice(count - 1).join(by)]);
}

function join(list: List, by = ""): Value {
  let out = "";
  for (let i = 0; i < list.size; i++) {
    const part = list.at(i);
    if (typeof part !== "string") return part instanceof Failure ? part : new Failure("no such overload");
    out += i === 0 ? part : by + part;
    if (out.length > LONGEST) return new Failure(`expected a text of at most ${LONGEST} characters`);
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

/** A walk whose result is no longer than the text. */
const WALKED = walk(WALK, true);

/** Functions on texts. */
export const TEXTS: readonly Overload[] = [
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
