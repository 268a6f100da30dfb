/** What would end a page or a script. */
const UNSAFE = /[<>&\u2028\u2029]/;

/**
 * JSON that may stand in a page or a script: what would end one is written by its number, as programs in Go do. In JSON
 * such characters stand in texts only.
 */
export function htmlSafe(json: string): string {
  if (!UNSAFE.test(json)) return json;
  const bytes = Buffer.from(json);
  const safe = Buffer.allocUnsafe(bytes.length + room(bytes));
  let to = 0;
  for (let at = 0; at < bytes.length; at++) {
    const code = unsafeAt(bytes, at);
    if (code === 0) {
      safe[to++] = bytes[at]!;
      continue;
    }
    to = writeEscape(safe, to, code);
    if (code > BYTE) at += 2;
  }
  return safe.toString("utf8", 0, to);
}

const BYTE = 0xff;
/** An escape has six bytes, of which one or three were there. */
const MORE = 5;

/** Bytes that escapes take beyond what they stand for, or more. */
function room(bytes: Uint8Array): number {
  let unsafe = 0;
  for (let at = 0; at < bytes.length; at++) if (unsafeAt(bytes, at) !== 0) unsafe++;
  return unsafe * MORE;
}

/** The code of the character to be escaped that begins at a place; 0 for any other. */
function unsafeAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at]!;
  if (byte === 0x3c || byte === 0x3e || byte === 0x26) return byte;
  if (byte !== 0xe2 || bytes[at + 1] !== 0x80) return 0;
  const last = bytes[at + 2];
  return last === 0xa8 ? 0x2028 : last === 0xa9 ? 0x2029 : 0;
}

const DIGITS = Buffer.from("0123456789abcdef", "latin1");

/** Writes `\uXXXX`; where to go on. */
function writeEscape(to: Uint8Array, at: number, code: number): number {
  to[at] = 0x5c;
  to[at + 1] = 0x75;
  for (let i = 0; i < 4; i++) to[at + 5 - i] = DIGITS[(code >> (4 * i)) & 0xf]!;
  return at + 6;
}
