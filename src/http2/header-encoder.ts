/**
 * Writes header blocks (HPACK, RFC 7541), as text of one byte a character.
 *
 * Every field is a literal that the peer does not remember: a table of what was said would cost the server more than it saves
 * the network, and a peer can then bound its own table at any size.
 *
 * @module
 */
import { STATIC_FIELDS } from "./static-table.ts";

/** Headers of an answer by lower-case name; a list for a header that is sent several times. */
export type AnswerHeaders = Readonly<Record<string, string | number | readonly string[]>>;

/** The beginning of a block behind which the peer has no table: of the size 0 (RFC 7541 6.3). */
export const NO_TABLE = "\x20";

const VALUE = /^[\t\x20-\x7E\x80-\xFF]*$/;

/** An integer behind the first bits of a byte (RFC 7541 5.1). */
function integer(value: number, bits: number, first: number): string {
  const most = (1 << bits) - 1;
  if (value < most) return String.fromCharCode(first | value);
  let text = String.fromCharCode(first | most);
  for (let rest = value - most; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return text + String.fromCharCode(rest);
    text += String.fromCharCode((rest % 128) | 128);
  }
}

const literal = (text: string): string => integer(text.length, 7, 0) + text;

/** The first index of each name of the static table. */
const INDEXES = new Map<string, number>();
/** The statuses that stand in the static table, whole. */
const STATUSES = new Map<number, string>();
STATIC_FIELDS.forEach((field, index) => {
  if (!field) return;
  if (!INDEXES.has(field.name)) INDEXES.set(field.name, index);
  if (field.name === ":status") STATUSES.set(Number(field.value), integer(index, 7, 0x80));
});

/** How a field begins: its name, by index where it has one. Names are those of the server's own answers, so few. */
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

/**
 * A header block.
 *
 * @throws Error where a value has a character that no header may have
 */
export function encodeHeaders(status: number, headers: AnswerHeaders): string {
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
