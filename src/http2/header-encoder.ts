/**
 * Encodes header blocks (HPACK, RFC 7541), as latin1 strings.
 *
 * Every field is a literal that is not added to the peer's table: a table would cost the server more than it saves the network, and
 * the peer can use any table size.
 *
 * @module
 */
import { STATIC_FIELDS } from "./static-table.ts";

/** Headers of a response by lower-case name; a list for a header with several fields. */
export type ResponseHeaders = Readonly<Record<string, string | number | readonly string[]>>;

/** The beginning of a block after which the peer's table has the size 0 (RFC 7541 6.3). */
export const NO_TABLE = "\x20";

const VALUE = /^[\t\x20-\x7E\x80-\xFF]*$/;

/** An integer after the first bits of a byte (RFC 7541 5.1). */
function integer(value: number, bits: number, first: number): string {
  const max = (1 << bits) - 1;
  if (value < max) return String.fromCharCode(first | value);
  let text = String.fromCharCode(first | max);
  for (let rest = value - max; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return text + String.fromCharCode(rest);
    text += String.fromCharCode((rest % 128) | 128);
  }
}

const literal = (text: string): string => integer(text.length, 7, 0) + text;

/** The first index of each name of the static table. */
const INDEXES = new Map<string, number>();
/** The fields of statuses in the static table. */
const STATUSES = new Map<number, string>();
STATIC_FIELDS.forEach((field, index) => {
  if (!field) return;
  if (!INDEXES.has(field.name)) INDEXES.set(field.name, index);
  if (field.name === ":status") STATUSES.set(Number(field.value), integer(index, 7, 0x80));
});

/** The encoded names of fields, by index where there is one. The server sends few different names. */
const BEGINNINGS = new Map<string, string>();

function beginningOf(name: string): string {
  let beginning = BEGINNINGS.get(name);
  if (beginning === undefined) {
    const index = INDEXES.get(name);
    beginning = index === undefined ? `\0${literal(name)}` : integer(index, 4, 0);
    BEGINNINGS.set(name, beginning);
  }
  return beginning;
}

/** Encodes a header block. @throws Error where a value has an invalid character */
export function encodeHeaders(status: number, headers: ResponseHeaders): string {
  let block = STATUSES.get(status) ?? beginningOf(":status") + literal(String(status));
  for (const name in headers) {
    const value = headers[name]!;
    if (typeof value === "object") for (const one of value) block += encodeField(name, one);
    else block += encodeField(name, typeof value === "number" ? String(value) : value);
  }
  return block;
}

function encodeField(name: string, value: string): string {
  if (!VALUE.test(value)) {
    throw new Error(
      `expected header ${name} to have bytes without controls, got ${JSON.stringify(value.slice(0, 100))}`,
    );
  }
  return beginningOf(name) + literal(value);
}
