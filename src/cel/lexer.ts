/**
 * Tokens of the Common Expression Language, with their positions (code points).
 *
 * @module
 */
import type { Constant } from "./ast.ts";

/** A token of an expression. */
export interface Token {
  readonly type: "ident" | "quoted" | "literal" | "punct" | "end";
  readonly text: string;
  readonly at: number;
  readonly value?: Constant;
}

/** A syntax error at a position. */
export class SyntaxFault extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

const PUNCT = [
  "&&",
  "||",
  "<=",
  ">=",
  "==",
  "!=",
  "?",
  ":",
  "<",
  ">",
  "+",
  "-",
  "*",
  "/",
  "%",
  "!",
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
  ".",
  ",",
];

/** Splits an expression into tokens; the last is an end token. */
export function tokenize(source: string): Token[] {
  const points = Array.from(source);
  const tokens: Token[] = [];
  for (let at = skip(points, 0); at < points.length; at = skip(points, at)) {
    const { token, end } = next(points, at);
    tokens.push(token);
    at = end;
  }
  return [...tokens, { type: "end", text: "<EOF>", at: points.length }];
}

function skip(points: readonly string[], from: number): number {
  let at = from;
  for (;;) {
    while (at < points.length && /[\t \r\n\f]/.test(points[at]!)) at++;
    if (points[at] !== "/" || points[at + 1] !== "/") return at;
    while (at < points.length && points[at] !== "\n") at++;
  }
}

type Found = { readonly token: Token; readonly end: number };

function next(points: readonly string[], at: number): Found {
  const char = points[at]!;
  if (/[A-Za-z_]/.test(char)) return wordOrText(points, at);
  if (char === '"' || char === "'") return text(points, at, at, false, false);
  if (char === "`") return quoted(points, at);
  if (/\d/.test(char) || (char === "." && /\d/.test(points[at + 1] ?? ""))) return number(points, at);
  const two = char + (points[at + 1] ?? "");
  const found = PUNCT.includes(two) ? two : PUNCT.includes(char) ? char : undefined;
  if (found === undefined) throw new SyntaxFault(at, `Syntax error: token recognition error at: '${char}'`);
  return { token: { type: "punct", text: found, at }, end: at + found.length };
}

function wordOrText(points: readonly string[], at: number): Found {
  const prefix = /^(?:[rR][bB]?|[bB][rR]?)(?=['"])/.exec(points.slice(at, at + 3).join(""))?.[0];
  if (prefix !== undefined) {
    return text(points, at, at + prefix.length, /r/i.test(prefix), /b/i.test(prefix));
  }
  let end = at;
  while (end < points.length && /[A-Za-z_0-9]/.test(points[end]!)) end++;
  const word = points.slice(at, end).join("");
  const value = word === "true" ? true : word === "false" ? false : word === "null" ? null : undefined;
  const token: Token =
    value === undefined ? { type: "ident", text: word, at } : { type: "literal", text: word, at, value };
  return { token, end };
}

/** A member name in backquotes. */
function quoted(points: readonly string[], at: number): Found {
  let end = at + 1;
  while (end < points.length && /[A-Za-z_0-9.\-/ ]/.test(points[end]!)) end++;
  if (points[end] !== "`" || end === at + 1) throw new SyntaxFault(at, "Syntax error: token recognition error at: '`'");
  return { token: { type: "quoted", text: points.slice(at + 1, end).join(""), at }, end: end + 1 };
}

/** The longest literal of a number; a valid one is shorter. */
const MAX_NUMBER = 400;

function number(points: readonly string[], at: number): Found {
  const limit = Math.min(points.length, at + MAX_NUMBER);
  let to = at;
  while (to < limit && (/[\w.]/.test(points[to]!) || (/[+-]/.test(points[to]!) && /[eE]/.test(points[to - 1]!)))) to++;
  const rest = points.slice(at, to).join("");
  const float = /^(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/.exec(rest)?.[0];
  const whole = /^(?:0x[\da-fA-F]+|\d+)[uU]?/.exec(rest)?.[0] ?? "";
  if (float !== undefined && float.length > whole.length) {
    const value = Number(float);
    if (!Number.isFinite(value)) throw new SyntaxFault(at, "invalid double literal");
    return { token: { type: "literal", text: float, at, value }, end: at + float.length };
  }
  const unsigned = /[uU]$/.test(whole);
  const value = BigInt(unsigned ? whole.slice(0, -1) : whole);
  // One more than the largest int, for a literal after a minus.
  const max = unsigned ? 2n ** 64n - 1n : 2n ** 63n;
  if (value > max) throw new SyntaxFault(at, unsigned ? "invalid uint literal" : "invalid int literal");
  const token: Token = { type: "literal", text: whole, at, value: unsigned ? { uint: value } : value };
  return { token, end: at + whole.length };
}

function text(points: readonly string[], at: number, from: number, raw: boolean, bytes: boolean): Found {
  const quote = points[from]!;
  const triple = points[from + 1] === quote && points[from + 2] === quote;
  const close = triple ? quote.repeat(3) : quote;
  let end = from + close.length;
  for (; ; end++) {
    const char = points[end];
    if (char === undefined || (!triple && (char === "\n" || char === "\r"))) {
      throw new SyntaxFault(at, `Syntax error: token recognition error at: '${points.slice(at, end).join("")}'`);
    }
    if (char === "\\" && !raw) end++;
    else if (points.slice(end, end + close.length).join("") === close) break;
  }
  const inner = points.slice(from + close.length, end);
  const value = bytes ? bytesOf(inner, raw, at) : raw ? inner.join("") : unescape(inner, at);
  return {
    token: { type: "literal", text: points.slice(at, end + close.length).join(""), at, value },
    end: end + close.length,
  };
}

const SIMPLE: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "?": "?",
  "'": "'",
  '"': '"',
  "`": "`",
};

interface Escaped {
  readonly code: number;
  readonly length: number;
  /** Whether it means a byte, not a code point. */
  readonly byte: boolean;
}

function escapeAt(points: readonly string[], at: number, start: number): Escaped {
  const char = points[at + 1] ?? "";
  const simple = SIMPLE[char];
  if (simple !== undefined) return { code: simple.codePointAt(0)!, length: 2, byte: false };
  const hex = { x: 2, X: 2, u: 4, U: 8 }[char];
  const digits =
    hex === undefined ? points.slice(at + 1, at + 4).join("") : points.slice(at + 2, at + 2 + hex).join("");
  const isRight =
    hex === undefined ? /^[0-3][0-7]{2}$/.test(digits) : digits.length === hex && /^[\da-fA-F]+$/.test(digits);
  if (!isRight)
    throw new SyntaxFault(start, `Syntax error: token recognition error at: '${points.join("").slice(0, 40)}'`);
  const code = Number.parseInt(digits, hex === undefined ? 8 : 16);
  return { code, length: hex === undefined ? 4 : 2 + hex, byte: char !== "u" && char !== "U" };
}

function unescape(points: readonly string[], start: number): string {
  let out = "";
  for (let i = 0; i < points.length; i++) {
    if (points[i] !== "\\") {
      out += points[i] === "\r" ? "\n" : points[i];
      if (points[i] === "\r" && points[i + 1] === "\n") i++;
      continue;
    }
    const { code, length } = escapeAt(points, i, start);
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
      throw new SyntaxFault(start, "invalid unicode code point");
    out += String.fromCodePoint(code);
    i += length - 1;
  }
  return out;
}

function bytesOf(points: readonly string[], raw: boolean, start: number): Uint8Array {
  const parts: Buffer[] = [];
  for (let i = 0; i < points.length; i++) {
    if (raw || points[i] !== "\\") {
      parts.push(Buffer.from(points[i]!));
      continue;
    }
    const { code, length, byte } = escapeAt(points, i, start);
    if (!byte && /[uU]/.test(points[i + 1]!)) throw new SyntaxFault(start, "unable to unescape string");
    parts.push(byte ? Buffer.of(code) : Buffer.from(String.fromCodePoint(code)));
    i += length - 1;
  }
  return new Uint8Array(Buffer.concat(parts));
}
