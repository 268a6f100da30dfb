import { badRequest } from "../../meta/status.ts";
import { parseGoMillis } from "../../util/go-duration.ts";

/** Parameters of a query that are read: clients send fewer than a tenth of that, and each costs time. */
const MAX_PARAMETERS = 1000;

/** The bounds of a number in a query, and its default. */
interface NumberBounds {
  readonly usual?: number;
  /** 1 by default. */
  readonly least?: number;
  readonly most: number;
}

/** The query of a URL, read with the first parameter. Malformed pairs are left out, as the reference does. */
export class Query {
  readonly #text: string;
  #pairs: readonly string[] | undefined = undefined;
  #excess = false;
  #timeout: { readonly millis: number | undefined } | undefined = undefined;

  /** @param text what stands after the question mark */
  constructor(text: string) {
    this.#text = text;
  }

  /** Whether there are more parameters than are read: a request for a resource is refused then. */
  get excess(): boolean {
    this.#read();
    return this.#excess;
  }

  /** The first value, undefined without the parameter; a parameter without `=` is empty. */
  first(name: string): string | undefined {
    const pairs = this.#read();
    for (let i = 0; i < pairs.length; i += 2) if (pairs[i] === name) return pairs[i + 1];
    return undefined;
  }

  /** The first value, empty without the parameter. */
  text(name: string): string {
    return this.first(name) ?? "";
  }

  /** An integer within bounds; the default where the parameter is absent or empty. Throws 400. */
  number(name: string, { usual, least = 1, most }: NumberBounds): number {
    const text = this.text(name) || String(usual ?? "");
    const number = Number(text);
    if (/^\d{1,16}$/.test(text) && number >= least && number <= most) return number;
    throw badRequest(
      `expected ${name} to be a number from ${least} to ${most}, got ${JSON.stringify(text.slice(0, 100))}`,
    );
  }

  /** Every value in order. */
  all(name: string): string[] {
    const pairs = this.#read();
    const values: string[] = [];
    for (let i = 0; i < pairs.length; i += 2) if (pairs[i] === name) values.push(pairs[i + 1]!);
    return values;
  }

  /** A boolean in the spelling of the reference: present and neither `0` nor `false` (DEC-18). */
  flag(name: string): boolean {
    const value = this.first(name);
    return value !== undefined && value !== "0" && value.toLowerCase() !== "false";
  }

  /**
   * The ms that a request may take by its `timeout`: 0 where there is none, undefined for what is no duration. It is read
   * once, since it may have half a million parts.
   */
  get timeoutMillis(): number | undefined {
    return this.first("timeout") ? (this.#timeout ??= { millis: parseGoMillis(this.text("timeout")) }).millis : 0;
  }

  /** Whether the parameter is present. */
  has(name: string): boolean {
    return this.first(name) !== undefined;
  }

  #read(): readonly string[] {
    return (this.#pairs ??= this.#text === "" ? NONE : this.#pairsOf());
  }

  /** Names, each followed by its value. */
  #pairsOf(): readonly string[] {
    const pieces = this.#text.split("&", MAX_PARAMETERS + 1);
    if (pieces.length > MAX_PARAMETERS) {
      this.#excess = true;
      pieces.pop();
    }
    const pairs: string[] = [];
    for (const piece of pieces) {
      if (piece === "" || piece.includes(";")) continue;
      const at = piece.indexOf("=");
      const name = unescape(at < 0 ? piece : piece.slice(0, at));
      const value = at < 0 ? "" : unescape(piece.slice(at + 1));
      if (name !== undefined && value !== undefined) pairs.push(name, value);
    }
    return pairs;
  }
}

const NONE: readonly string[] = [];

/** The query of a URL without one. */
export const NO_QUERY: Query = new Query("");

function unescape(text: string): string | undefined {
  const spaced = text.includes("+") ? withBlanks(text) : text;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
}

const PLUS = 0x2b;
const BLANK = 0x20;

/** A text of a URL, whose characters are bytes, with blanks in place of plus signs: there may be a million of them. */
function withBlanks(text: string): string {
  const bytes = Buffer.from(text, "latin1");
  for (let at = bytes.indexOf(PLUS); at >= 0; at = bytes.indexOf(PLUS, at + 1)) bytes[at] = BLANK;
  return bytes.toString("latin1");
}
