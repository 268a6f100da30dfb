/** What would end a page or a script. */
const UNSAFE = /[<>&\u2028\u2029]/;

/**
 * JSON that may stand in a page or a script: what would end one is written by its number, as programs in Go do. In JSON
 * such characters stand in texts only. It may be a piece of a JSON text.
 */
export function htmlSafe(json: string): string {
  return UNSAFE.test(json) ? escaped(Buffer.from(json), unsafeAt) : json;
}

/** What programs in Go write otherwise than `JSON.stringify`. */
// oxlint-disable-next-line no-control-regex
const OTHERWISE = /[<>&\u2028\u2029\b\f]/;

/** A text as a JSON string of Go: as {@link htmlSafe}, and `\b` and `\f` are written by their numbers, too. */
export function goString(text: string): string {
  const json = JSON.stringify(text);
  return OTHERWISE.test(text) ? escaped(Buffer.from(json), otherwiseAt) : json;
}

/** The code of the character that is written by its number and begins at a place; 0 for any other. */
type CodeAt = (bytes: Uint8Array, at: number) => number;

/** The text with some characters written by their numbers: in one pass over its bytes, since there may be millions. */
function escaped(bytes: Buffer, codeAt: CodeAt): string {
  const safe = Buffer.allocUnsafe(bytes.length + room(bytes, codeAt));
  const hasShort = codeAt === otherwiseAt;
  let to = 0;
  for (let at = 0; at < bytes.length; at++) {
    const code = codeAt(bytes, at);
    const isEscape = hasShort && bytes[at] === BACKSLASH;
    if (code !== 0) {
      to = writeEscape(safe, to, code);
      if (code > BYTE) at += 2;
      else if (isEscape) at++;
      continue;
    }
    safe[to++] = bytes[at]!;
    // What follows a backslash begins no escape.
    if (isEscape) safe[to++] = bytes[++at]!;
  }
  return safe.toString("utf8", 0, to);
}

const BYTE = 0xff;
/** An escape has six bytes, of which one to three were there. */
const MORE = 5;

/** Bytes that escapes take beyond what they stand for, or more. */
function room(bytes: Uint8Array, codeAt: CodeAt): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if (codeAt(bytes, at) !== 0) count++;
  return count * MORE;
}

function unsafeAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at]!;
  if (byte === 0x3c || byte === 0x3e || byte === 0x26) return byte;
  if (byte !== 0xe2 || bytes[at + 1] !== 0x80) return 0;
  const last = bytes[at + 2];
  return last === 0xa8 ? 0x2028 : last === 0xa9 ? 0x2029 : 0;
}

const BACKSLASH = 0x5c;
const LETTER_B = 0x62;
const LETTER_F = 0x66;

/** As {@link unsafeAt}, and the short escapes that Go does not have, where a backslash begins an escape. */
function otherwiseAt(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== BACKSLASH) return unsafeAt(bytes, at);
  const letter = bytes[at + 1];
  return letter === LETTER_B ? 0x08 : letter === LETTER_F ? 0x0c : 0;
}

const DIGITS = Buffer.from("0123456789abcdef", "latin1");

/** Writes `\uXXXX`; where to go on. */
function writeEscape(to: Uint8Array, at: number, code: number): number {
  to[at] = 0x5c;
  to[at + 1] = 0x75;
  for (let i = 0; i < 4; i++) to[at + 5 - i] = DIGITS[(code >> (4 * i)) & 0xf]!;
  return at + 6;
}
