/**
 * IP addresses and networks as Go parses them, with its messages: `netip.ParseAddr` and `netip.ParsePrefix`. Each reads a
 * text once.
 *
 * @module
 */
import { goQuoted } from "./go-quote.ts";
import { isDigit } from "./scan.ts";

/** An address of 4 or 16 bytes, and its zone, which may be empty. */
export interface GoAddress {
  readonly bytes: readonly number[];
  readonly zone: string;
}

/** A network: an address and the length of its prefix in bits. */
export interface GoPrefix {
  readonly bytes: readonly number[];
  readonly bits: number;
}

/** The reason why a text is invalid; thrown inside of this module. */
class Fault extends Error {
  /** The rest of the text from the error on; empty where the message does not contain it. */
  readonly at: string;

  constructor(why: string, at: string) {
    super(why);
    this.at = at;
  }
}

const fault = (why: string, at = ""): never => {
  throw new Fault(why, at);
};

/** Returns the address of a text, or the message of Go's error, in which `quoted` writes parts of the text. */
export function parseGoAddress(text: string, quoted: (part: string) => string = goQuoted): GoAddress | string {
  try {
    return addressIn(text);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return `ParseAddr(${quoted(text)}): ${error.message}${error.at === "" ? "" : ` (at ${quoted(error.at)})`}`;
  }
}

/** Returns the network of a text, or the message of Go's error. */
export function parseGoPrefix(text: string): GoPrefix | string {
  const fail = (why: string): string => `netip.ParsePrefix(${goQuoted(text)}): ${why}`;
  const slash = text.lastIndexOf("/");
  if (slash < 0) return fail("no '/'");
  const address = parseGoAddress(text.slice(0, slash));
  if (typeof address === "string") return fail(address);
  if (address.zone !== "") return fail("IPv6 zones cannot be present in a prefix");
  const bits = text.slice(slash + 1);
  if (!/^(?:0|[1-9]\d{0,17})$/.test(bits)) return fail(`bad bits after slash: ${goQuoted(bits)}`);
  if (Number(bits) > address.bytes.length * 8) return fail("prefix length out of range");
  return { bytes: address.bytes, bits: Number(bits) };
}

function addressIn(text: string): GoAddress {
  switch (/[.:%]/.exec(text)?.[0]) {
    case ".":
      return { bytes: fourIn(text, 0, text.length), zone: "" };
    case ":":
      return sixIn(text);
    case "%":
      return fault("missing IPv6 address");
    default:
      return fault("unable to parse IP");
  }
}

/** Returns the four numbers between two indices of a text. */
function fourIn(text: string, from: number, to: number): number[] {
  const bytes: number[] = [];
  let [value, digits] = [0, 0];
  for (let i = from; i < to; i++) {
    const rest = (): string => text.slice(i, to);
    const code = text.charCodeAt(i);
    if (isDigit(code)) {
      if (digits === 1 && value === 0) fault("IPv4 field has octet with leading zero");
      value = value * 10 + code - 48;
      digits++;
      if (value > 255) fault("IPv4 field has value >255");
    } else if (text[i] === ".") {
      if (digits === 0 || i === to - 1) fault("IPv4 field must have at least one digit", rest());
      if (bytes.length === 3) fault("IPv4 address too long");
      bytes.push(value);
      [value, digits] = [0, 0];
    } else fault("unexpected character", rest());
  }
  if (bytes.length < 3) fault("IPv4 address too short");
  return [...bytes, value];
}

const IPV6_BYTES = 16;

/** Returns the number of hexadecimal digits at an index, at most five. */
function hexDigits(text: string, from: number, to: number): number {
  let end = from;
  while (end < to && end - from < 5 && /[\da-fA-F]/.test(text.charAt(end))) end++;
  return end - from;
}

function sixIn(text: string): GoAddress {
  const percent = text.indexOf("%");
  const zone = percent < 0 ? "" : text.slice(percent + 1);
  if (percent >= 0 && zone === "") fault("zone must be a non-empty string");
  const to = percent < 0 ? text.length : percent;
  const bytes: number[] = [];
  let gap = text.startsWith("::") ? 0 : -1;
  let at = gap === 0 ? 2 : 0;
  while (bytes.length < IPV6_BYTES && (at < to || gap !== bytes.length)) {
    const rest = (): string => text.slice(at, to);
    const digits = hexDigits(text, at, to);
    if (digits > 4) fault("each group must have 4 or less digits", rest());
    if (digits === 0) fault("each colon-separated field must have at least one digit", rest());
    if (text[at + digits] === "." && at + digits < to) {
      if (gap < 0 && bytes.length !== 12) {
        fault("embedded IPv4 address must replace the final 2 fields of the address", rest());
      }
      if (bytes.length > 12) {
        fault("too many hex fields to fit an embedded IPv4 at the end of the address", rest());
      }
      bytes.push(...fourIn(text, at, to));
      at = to;
      break;
    }
    const value = Number.parseInt(text.slice(at, at + digits), 16);
    bytes.push(value >> 8, value & 0xff);
    at += digits;
    if (at === to) break;
    if (text[at] !== ":") fault("unexpected character, want colon", rest());
    if (at + 1 === to) fault("colon must be followed by more characters", rest());
    at++;
    if (text[at] !== ":") continue;
    if (gap >= 0) fault("multiple :: in address", rest());
    gap = bytes.length;
    at++;
  }
  if (at < to) fault("trailing garbage after address", text.slice(at, to));
  return { bytes: filled(bytes, gap), zone };
}

/** Puts zeros at the place of `::`. */
function filled(bytes: readonly number[], gap: number): readonly number[] {
  if (bytes.length === IPV6_BYTES) {
    return gap < 0 ? bytes : fault("the :: must expand to at least one field of zeros");
  }
  if (gap < 0) return fault("address string too short");
  return [...bytes.slice(0, gap), ...Array<number>(IPV6_BYTES - bytes.length).fill(0), ...bytes.slice(gap)];
}
