const PERCENT = 0x25;

/** Decodes the percent escapes of a key in the name of a header; a key with an invalid escape stays as it is (AUTHN-48). */
export function unescaped(key: string): string {
  if (!key.includes("%")) return key;
  const bytes = Buffer.allocUnsafe(key.length);
  let length = 0;
  for (let at = 0; at < key.length; at++) {
    const code = key.charCodeAt(at);
    if (code !== PERCENT) {
      bytes[length++] = code;
      continue;
    }
    const [high, low] = [hexOf(key, at + 1), hexOf(key, at + 2)];
    if (high < 0 || low < 0) return key;
    bytes[length++] = 16 * high + low;
    at += 2;
  }
  return bytes.toString("utf8", 0, length);
}

/** The value of the hexadecimal digit at a position; -1 where there is none. */
function hexOf(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1;
}
