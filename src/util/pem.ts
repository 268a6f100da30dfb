/** One block of a PEM text (RFC 7468). */
export interface PemBlock {
  /** The label: `CERTIFICATE`. */
  readonly type: string;
  /** Whether it has headers, as in RFC 1421. */
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

const BEGIN = "-----BEGIN ";
const END = "-----END ";
const DASHES = "-----";
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Yields the blocks of a text in linear time. Text around them and incomplete blocks are ignored. */
export function* pemBlocks(text: string): Generator<PemBlock, void, void> {
  let open: { readonly type: string; readonly headers: string[]; readonly lines: string[] } | undefined;
  for (const line of linesOf(text)) {
    if (line.startsWith(BEGIN) && line.endsWith(DASHES)) {
      open = { type: line.slice(BEGIN.length, -DASHES.length), headers: [], lines: [] };
    } else if (open && line.startsWith(END)) {
      const bytes = line === `${END}${open.type}${DASHES}` ? decoded(open.lines) : undefined;
      if (bytes) yield { type: open.type, hasHeaders: open.headers.length > 0, bytes };
      open = undefined;
    } else if (open) (open.lines.length === 0 && line.includes(":") ? open.headers : open.lines).push(line);
  }
}

/** Returns a block as text in lines of 64 characters. */
export const pemOf = (type: string, bytes: Buffer): string =>
  `${BEGIN}${type}${DASHES}\n${bytes.toString("base64").replaceAll(/.{1,64}/g, "$&\n")}${END}${type}${DASHES}\n`;

function* linesOf(text: string): Generator<string, void, void> {
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\n", at);
    yield text.slice(at, end < 0 ? text.length : end).trimEnd();
    at = end < 0 ? text.length : end + 1;
  }
}

function decoded(lines: readonly string[]): Buffer | undefined {
  const text = lines.join("").replaceAll(/[ \t]/g, "");
  return text.length % 4 === 0 && BASE64.test(text) ? Buffer.from(text, "base64") : undefined;
}
