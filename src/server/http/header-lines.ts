/**
 * Headers as they were sent, line by line: Node joins repeated headers, and a comma may be part of a value.
 *
 * @module
 */

/**
 * The values of a header, one for each line in which it was sent; none where it was not.
 *
 * @param raw names, each followed by its value, as Node has them: each character is a byte
 * @param name in lower case
 */
export function linesOf(raw: readonly string[], name: string): string[] {
  const lines: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const sent = raw[at]!;
    if (sent.length === name.length && sent.toLowerCase() === name) lines.push(utf8Of(raw[at + 1]!));
  }
  return lines;
}

const ASCII = /^[\0-\x7F]*$/;

/** The bytes of a value as UTF-8; malformed ones are replaced. */
const utf8Of = (value: string): string => (ASCII.test(value) ? value : Buffer.from(value, "latin1").toString("utf8"));
