/**
 * Addresses of electronic mail as Go reads them (`net/mail`'s `ParseAddress`): `a@b`, `A B <a@b>`, with comments, and a group that
 * has one address. A text is read at most twice.
 *
 * @module
 */
import { parseGoAddress } from "./go-address.ts";

/** Whether a text is one address. */
export function isMailAddress(text: string): boolean {
  const reader = new Reader(text);
  return reader.addresses(true) === 1 && reader.skipComments() && reader.isAtEnd;
}

const SPECIALS = '()<>[]:;@\\,"';

/** Whether a character can be seen: of ASCII all from `!` to `~`, and all others. */
const isVisible = (code: number): boolean => code > 0x20 && code !== 0x7f;
const isBlank = (char: string): boolean => char === " " || char === "\t";
const isAtom = (char: string): boolean => isVisible(char.charCodeAt(0)) && !SPECIALS.includes(char);

/** What a word says, of a display name or a comment. */
type Word = "read" | "unreadable";

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

  /** False where a comment does not end. */
  skipComments(): boolean {
    this.#skipBlanks();
    while (this.#next() === "(") {
      if (this.#comment() === undefined) return false;
      this.#skipBlanks();
    }
    return true;
  }

  /** What stands in a comment, whose parts may be comments themselves. */
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

  /** How many addresses stand here: of a group all of its own; undefined where there is none. */
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
    return comment !== undefined && !comment.split(/[ \t]/).some((word) => wordOf(word) === "unreadable");
  }

  /** `local@domain` */
  #spec(): boolean {
    this.#skipBlanks();
    const isLocal = this.#next() === '"' ? (this.#quoted() ?? 0) > 0 : this.#dotAtom();
    if (!isLocal || !this.#take("@")) return false;
    this.#skipBlanks();
    return this.#next() === "[" ? this.#literal() : this.#dotAtom();
  }

  /** The words of a name; one that cannot be read ends it. */
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
    return atom !== "" && wordOf(atom) === "read";
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

  /** The length of a text in quotes; undefined where it does not end or has a character that cannot be seen. */
  #quoted(): number | undefined {
    let length = 0;
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const char = this.#text[at]!;
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

  /** An address of the Internet in brackets. */
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

/** A word that is encoded (RFC 2047), in a set of characters that nobody knows, cannot be read; any other can. */
function wordOf(word: string): Word {
  const [, charset, encoding, content] = ENCODED.exec(word) ?? [];
  if (charset === undefined || CHARSETS.has(charset.toLowerCase())) return "read";
  const isRight = /^[bB]$/.test(encoding!) ? isBase64(content!) : /^[qQ]$/.test(encoding!) && isQuoted(content!);
  return isRight ? "unreadable" : "read";
}

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z\d+/]*={0,2}$/.test(text);
const isQuoted = (text: string): boolean => /^(?:[ -<>-~\n\r\t]|=[\da-fA-F]{2})*$/.test(text);
