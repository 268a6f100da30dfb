/** Characters that could end an HTML page or a script. */
const UNSAFE = /[<>&\u2028\u2029]/;

/**
 * Escapes JSON for a page or a script as Go does: characters that could end one become `\uXXXX`. Outside of strings JSON has
 * no such characters, so that a part of a JSON text is valid input.
 */
export function htmlSafe(json: string): string {
  return UNSAFE.test(json) ? escaped(Buffer.from(json), unsafeAt) : json;
}

/** Characters for which Go and `JSON.stringify` write different escapes. */
// oxlint-disable-next-line no-control-regex
const OTHER_ESCAPES = /[<>&\u2028\u2029\b\f]/;

/** Returns a text as a JSON string of Go: as {@link htmlSafe}, with `\b` and `\f` as `\uXXXX`, too. */
export function goString(text: string): string {
  const json = JSON.stringify(text);
  return OTHER_ESCAPES.test(text) ? escaped(Buffer.from(json), goEscapeAt) : json;
}

/** Returns the code of the character at an offset that is to be escaped; 0 for any other. */
type CodeAt = (bytes: Uint8Array, at: number) => number;

/** Escapes characters in one pass over the bytes, since there may be millions. */
function escaped(bytes: Buffer, codeAt: CodeAt): string {
  const safe = Buffer.allocUnsafe(bytes.length + addedBytes(bytes, codeAt));
  const hasShort = codeAt === goEscapeAt;
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
    // The byte after a backslash begins no escape.
    if (isEscape) safe[to++] = bytes[++at]!;
  }
  return safe.toString("utf8", 0, to);
}

const BYTE = 0xff;
/** An escape of six bytes replaces one to three bytes. */
const MAX_ADDED_BYTES = 5;

/** An upper bound of the bytes that escapes add. */
function addedBytes(bytes: Uint8Array, codeAt: CodeAt): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if (codeAt(bytes, at) !== 0) count++;
  return count * MAX_ADDED_BYTES;
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

/** As {@link unsafeAt}, and the short escapes that Go does not write. */
function goEscapeAt(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== BACKSLASH) return unsafeAt(bytes, at);
  const letter = bytes[at + 1];
  return letter === LETTER_B ? 0x08 : letter === LETTER_F ? 0x0c : 0;
}

const DIGITS = Buffer.from("0123456789abcdef", "latin1");

/** Writes `\uXXXX` and returns the next offset. */
function writeEscape(to: Uint8Array, at: number, code: number): number {
  to[at] = 0x5c;
  to[at + 1] = 0x75;
  for (let i = 0; i < 4; i++) to[at + 5 - i] = DIGITS[(code >> (4 * i)) & 0xf]!;
  return at + 6;
}
