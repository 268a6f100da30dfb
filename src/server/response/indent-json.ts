import { utf8Text } from "../../value/utf8.ts";

/** Characters of a piece; in deeply nested text most of them are blanks. */
const PIECE = 65_536;

/**
 * Indents JSON text without parsing it, so that numbers stay as they are and no member is reordered. The text must be
 * valid and compact or not; white space between tokens is dropped.
 *
 * @param base what every line but the first begins with
 */
export const indentJson = (bytes: Uint8Array, base = ""): Buffer =>
  Buffer.concat([...indentPieces([utf8Text(bytes)], base)]);

/** The same in pieces, of a text in parts that end where tokens do. */
export function* indentPieces(parts: Iterable<string>, base = ""): Generator<Buffer> {
  const indenter = new Indenter(base);
  for (const part of parts) {
    for (let at = 0; at < part.length;) {
      at = indenter.read(part, at);
      if (indenter.size >= PIECE) yield indenter.take();
    }
  }
  yield indenter.take();
}

/** Reads tokens, and writes them in lines. */
class Indenter {
  /** Characters that wait to be taken. */
  size = 0;
  readonly #base: string;
  #out: string[] = [];
  #depth = 0;
  /** Whether the last token opened an object or a list, which may be empty. */
  #isOpen = false;

  constructor(base: string) {
    this.#base = base;
  }

  /** What has been written since the last call. */
  take(): Buffer {
    const bytes = Buffer.from(this.#out.join(""), "utf8");
    this.#out = [];
    this.size = 0;
    return bytes;
  }

  /** Reads from an offset until enough has been written; the offset to go on at. */
  read(text: string, start: number): number {
    let at = start;
    for (let from = at; at < text.length && this.size < PIECE; from = at) {
      const char = text[at];
      if (char === "}" || char === "]") {
        at++;
        this.#close(char);
      } else if (char === ",") {
        at++;
        this.#write(char);
        this.#line();
      } else if (char === ":") {
        at++;
        this.#write(": ");
      } else if (char === " " || char === "\n" || char === "\t" || char === "\r") {
        at++;
      } else {
        if (this.#isOpen) this.#line();
        this.#isOpen = char === "{" || char === "[";
        if (this.#isOpen) this.#depth++;
        at = this.#isOpen ? at + 1 : endOfScalar(text, at);
        this.#write(text.slice(from, at));
      }
    }
    return at;
  }

  #close(char: string): void {
    this.#depth--;
    if (!this.#isOpen) this.#line();
    this.#isOpen = false;
    this.#write(char);
  }

  #line(): void {
    this.#write(`\n${this.#base}${"  ".repeat(this.#depth)}`);
  }

  #write(text: string): void {
    this.#out.push(text);
    this.size += text.length;
  }
}

/** Where a string, a number or a word ends. */
function endOfScalar(text: string, start: number): number {
  let at = start + 1;
  if (text[start] === '"') {
    while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
    return at + 1;
  }
  while (at < text.length && !ENDS.has(text[at]!)) at++;
  return at;
}

/** What ends a number or a word. */
const ENDS: ReadonlySet<string> = new Set([",", "}", "]", ":", " ", "\n", "\t", "\r"]);
