/**
 * Email addresses as Go reads them (`net/mail`'s `ParseAddress`): `a@b`, `A B <a@b>`, with comments, and a group of one
 * address. A text is read at most twice.
 *
 * @module
 */
import { parseGoAddress } from "./go-address.ts";

/** Whether a text is one email address. */
export function isMailAddress(text: string): boolean {
  const reader = new Reader(text);
  return reader.addresses(true) === 1 && reader.skipComments() && reader.isAtEnd;
}

const SPECIALS = '()<>[]:;@\\,"';

/** Whether a character is visible: `!` to `~` of ASCII, and all other characters. */
const isVisible = (code: number): boolean => code > 0x20 && code !== 0x7f;
const isBlank = (char: string): boolean => char === " " || char === "\t";
const isAtom = (char: string): boolean => isVisible(char.charCodeAt(0)) && !SPECIALS.includes(char);

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  #next(): string {
    return this.#text[this.#at] ?? "";
  }

  #take(char: string): boolean {
    if (this.#next() !== char) return false;
    this.#at++;
    return true;
  }

  #skipBlanks(): void {
    while (isBlank(this.#next())) this.#at++;
  }

  /** Returns false where a comment does not end. */
  skipComments(): boolean {
    this.#skipBlanks();
    while (this.#next() === "(") {
      if (this.#comment() === undefined) return false;
      this.#skipBlanks();
    }
    return true;
  }

  /** Reads a comment, which may contain comments. */
  #comment(): string | undefined {
    const from = ++this.#at;
    for (let depth = 1; !this.isAtEnd; this.#at++) {
      const char = this.#next();
      if (char === "\\" && this.#at + 1 < this.#text.length) this.#at++;
      else if (char === "(") depth++;
      else if (char === ")") depth--;
      if (depth === 0) return this.#text.slice(from, this.#at++);
    }
    return undefined;
  }

  /** Reads an address, or the addresses of a group; returns their number, undefined for invalid ones. */
  addresses(mayBeGroup: boolean): number | undefined {
    this.#skipBlanks();
    if (this.isAtEnd) return undefined;
    const start = this.#at;
    if (this.#spec()) {
      this.#skipBlanks();
      return this.#next() !== "(" || this.#isReadable(this.#comment()) ? 1 : undefined;
    }
    this.#at = start;
    if (this.#next() !== "<" && !this.#phrase()) return undefined;
    this.#skipBlanks();
    if (mayBeGroup && this.#take(":")) return this.#group();
    return this.#take("<") && this.#spec() && this.#take(">") ? 1 : undefined;
  }

  #group(): number | undefined {
    this.#skipBlanks();
    let count = 0;
    while (!this.#take(";")) {
      if (count > 0 && !this.#take(",")) return undefined;
      if (this.addresses(false) === undefined || !this.skipComments()) return undefined;
      count++;
    }
    return this.skipComments() ? count : undefined;
  }

  #isReadable(comment: string | undefined): boolean {
    return comment !== undefined && comment.split(/[ \t]/).every(isReadableWord);
  }

  /** `local@domain` */
  #spec(): boolean {
    this.#skipBlanks();
    const isLocal = this.#next() === '"' ? (this.#quoted() ?? 0) > 0 : this.#dotAtom();
    if (!isLocal || !this.#take("@")) return false;
    this.#skipBlanks();
    return this.#next() === "[" ? this.#literal() : this.#dotAtom();
  }

  /** Reads the words of a name up to the first unreadable one. */
  #phrase(): boolean {
    for (let words = 0; ; words++) {
      if (words > 0 && !this.skipComments()) return false;
      this.#skipBlanks();
      if (this.isAtEnd) return true;
      if (!this.#word()) return words > 0;
    }
  }

  #word(): boolean {
    if (this.#next() === '"') return this.#quoted() !== undefined;
    const atom = this.#atom();
    return atom !== "" && isReadableWord(atom);
  }

  #atom(): string {
    const from = this.#at;
    while (!this.isAtEnd && isAtom(this.#next())) this.#at++;
    return this.#text.slice(from, this.#at);
  }

  #dotAtom(): boolean {
    const atom = this.#atom();
    return atom !== "" && !atom.startsWith(".") && !atom.endsWith(".") && !atom.includes("..");
  }

  /** Returns the length of a quoted text; undefined where it does not end or has an invisible character. */
  #quoted(): number | undefined {
    let length = 0;
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const char = this.#text.charAt(at);
      if (char === '"') {
        this.#at = at + 1;
        return length;
      }
      const isEscape = char === "\\";
      const meant = isEscape ? this.#text[++at] : char;
      if (meant === undefined || !(isBlank(meant) || isVisible(meant.charCodeAt(0)))) return undefined;
      length++;
    }
    return undefined;
  }

  /** Reads an IP address in brackets. */
  #literal(): boolean {
    const end = this.#text.indexOf("]", this.#at);
    if (end < 0) return false;
    const address = parseGoAddress(this.#text.slice(this.#at + 1, end));
    this.#at = end + 1;
    return typeof address !== "string" && address.zone === "";
  }
}

const ENCODED = /^=\?([^?]+)\?([^?])\?([^?]*)\?=$/;
const CHARSETS: ReadonlySet<string> = new Set(["utf-8", "iso-8859-1", "us-ascii"]);

/** Every word is readable but one that is encoded (RFC 2047) in an unknown character set. */
function isReadableWord(word: string): boolean {
  const [, charset, encoding = "", content = ""] = ENCODED.exec(word) ?? [];
  if (charset === undefined || CHARSETS.has(charset.toLowerCase())) return true;
  const isEncoded = /^[bB]$/.test(encoding) ? isBase64(content) : /^[qQ]$/.test(encoding) && isQuoted(content);
  return !isEncoded;
}

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z\d+/]*={0,2}$/.test(text);
const isQuoted = (text: string): boolean => /^(?:[ -<>-~\n\r\t]|=[\da-fA-F]{2})*$/.test(text);
