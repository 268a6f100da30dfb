/**
 * A scanner of YAML 1.1, by the rules of libyaml, which Go's decoder follows, too.
 *
 * Tokens depend on the indentation, on open brackets, and on whether a key may begin: a scalar is a key if a colon follows it
 * on its line, at most 1024 characters from its beginning. So a token that may begin a key waits until that is known, and then
 * KEY and MAP are inserted before it.
 *
 * Time and memory are linear in the text: at most 1024 characters of tokens wait.
 *
 * @module
 */
import { yamlError } from "./yaml-error.ts";

/** The kinds of tokens. */
export const TOKEN = {
  END: 0,
  DIRECTIVE_YAML: 1,
  DIRECTIVE_TAG: 2,
  DOCUMENT_START: 3,
  DOCUMENT_END: 4,
  /** A block sequence begins: the indentation has grown. */
  LIST: 5,
  /** A block mapping begins. */
  MAP: 6,
  /** The indentation has shrunk: the innermost block ends. */
  BLOCK_END: 7,
  FLOW_LIST: 8,
  FLOW_LIST_END: 9,
  FLOW_MAP: 10,
  FLOW_MAP_END: 11,
  /** The `-` of an item. */
  ITEM: 12,
  COMMA: 13,
  KEY: 14,
  VALUE: 15,
  ALIAS: 16,
  ANCHOR: 17,
  TAG: 18,
  SCALAR: 19,
} as const;

/** The kind of a token. */
export type TokenKind = (typeof TOKEN)[keyof typeof TOKEN];

/** A position where a key may have begun. */
interface PossibleKey {
  /** The number of its first token in the text. */
  readonly token: number;
  readonly at: number;
  readonly column: number;
  /** Whether only a key is valid here. */
  readonly isRequired: boolean;
  isPossible: boolean;
  /** Whether its first token waits. That of `[]` and `{}` does not in the reference; these are invalid keys anyway. */
  isAwaited: boolean;
}

/** A token and its index in the text. */
export interface Token {
  readonly kind: TokenKind;
  readonly at: number;
  /** The text of a scalar, the name of an anchor or alias, the suffix of a tag, the prefix of a directive. */
  readonly text: string;
  /** The handle of a tag or of a directive; empty for a full tag. */
  readonly handle: string;
  /** Whether a scalar has no quotes and is no block. */
  readonly isPlain: boolean;
  /** The key that may begin with this token. */
  readonly key: PossibleKey | undefined;
}

const NUL = 0;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DOUBLE = 0x22;
const HASH = 0x23;
const PERCENT = 0x25;
const SINGLE = 0x27;
const PLUS = 0x2b;
const DASH = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** The largest distance of the colon from the beginning of its key, in characters. */
const MAX_KEY_LENGTH = 1024;

/** Classes of ASCII characters in plain scalars. */
const BREAKS = 1; // space, tab, line break or the end
const COLONS = 2;
const FLOWS = 4; // ends a plain scalar inside of brackets
const CLASSES = new Uint8Array(128);
for (const char of "\0\t\n\r ") CLASSES[char.charCodeAt(0)] = BREAKS;
for (const char of ",?[]{}") CLASSES[char.charCodeAt(0)] = FLOWS;
CLASSES[COLON] = COLONS;

/** Characters that do not begin a plain scalar; `-`, `?` and `:` may do so before another character. */
const INDICATORS: ReadonlySet<number> = new Set(Array.from("-?:,[]{}#&*!|>'\"%@`", (char) => char.charCodeAt(0)));

/** Characters that may follow the name of an anchor or alias, beside spaces and line breaks. */
const NAME_ENDS = "?:,]}%@`";
const URI_MARKS = ";/?:@&=+$,.!~*'()[]%";

const ESCAPES: Readonly<Record<string, string>> = {
  "0": "\0",
  a: "\u0007",
  b: "\b",
  t: "\t",
  "\t": "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  e: "\u001b",
  " ": " ",
  '"': '"',
  "'": "'",
  "\\": "\\",
  N: "\u0085",
  _: "\u00a0",
  L: "\u2028",
  P: "\u2029",
};
const HEX_ESCAPES: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

const isBreak = (code: number): boolean =>
  code === LF || code === CR || code === 0x85 || code === 0x2028 || code === 0x2029;
const isBlank = (code: number): boolean => code === SPACE || code === TAB;
/** Whether a code is a space, a tab, a line break, or the end of the text. */
const isGap = (code: number): boolean => (code < 128 ? CLASSES[code] === BREAKS : isBreak(code));
const isWord = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= ZERO && code <= NINE) ||
  code === 0x5f ||
  code === DASH;
const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;
const isHex = (code: number): boolean => isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);

/** Options of a scanner. */
export interface ScanOptions {
  /** Whether escapes of JSON that YAML 1.1 does not have are accepted: `\/`, and surrogate pairs. */
  readonly jsonEscapes?: boolean;
}

/** Scans a text that ends with its only NUL. Throws DecodeError with the position of an error. */
export class YamlScanner {
  readonly #text: string;
  readonly #jsonEscapes: boolean;
  #at = 0;
  /** The beginning of the line of `#at`. */
  #line = 0;
  /** Tokens that wait, from `#head` to before `#tail`. */
  readonly #tokens: Token[] = [];
  #head = 0;
  #tail = 0;
  /** How many tokens were skipped. */
  #taken = 0;
  #isReady = false;
  /** How many brackets are open. */
  #flow = 0;
  /** The column of the innermost block; -1 outside of blocks. */
  #indent = -1;
  readonly #indents: number[] = [];
  /** The last position where a key may have begun, for each level of brackets. */
  readonly #keys: (PossibleKey | undefined)[] = [undefined];
  /** The number of the open bracket at each level. */
  readonly #brackets: number[] = [];
  #keyMayBegin = true;
  /** The indentation of the lines of a block scalar; 0 until it is known. */
  #margin = 0;

  constructor(text: string, options: ScanOptions = {}) {
    this.#text = text;
    this.#jsonEscapes = options.jsonEscapes ?? false;
  }

  /** Returns the next token without skipping it. */
  peek(): Token {
    if (!this.#isReady) this.#fill();
    return this.#tokens[this.#head]!;
  }

  /** Skips the token of {@link peek}. */
  skip(): void {
    this.#isReady = false;
    this.#taken++;
    if (++this.#head === this.#tail) this.#head = this.#tail = 0;
  }

  /** Scans until it is known whether the first waiting token begins a key. */
  #fill(): void {
    for (;;) {
      if (this.#head < this.#tail) {
        const { key } = this.#tokens[this.#head]!;
        if (!key?.isAwaited || !this.#isStillPossible(key)) break;
      }
      this.#scan();
    }
    this.#isReady = true;
  }

  #fail(problem: string, at = this.#at): never {
    throw yamlError(this.#text, at, problem);
  }

  #code(ahead = 0): number {
    return this.#text.charCodeAt(this.#at + ahead);
  }

  get #column(): number {
    return this.#at - this.#line;
  }

  #add(kind: TokenKind, at: number, text = "", handle = "", isPlain = false): void {
    const number = this.#taken + this.#tail - this.#head;
    const last = this.#keys[this.#flow];
    const key = last?.isPossible && last.token === number ? last : undefined;
    this.#tokens[this.#tail++] = { kind, at, text, handle, isPlain, key };
  }

  /** Inserts a token before the one with a number, or at the end where that was skipped. */
  #insert(number: number, kind: TokenKind, at: number): void {
    if (number < this.#taken) return this.#add(kind, at);
    const index = this.#head + number - this.#taken;
    for (let i = this.#tail++; i > index; i--) this.#tokens[i] = this.#tokens[i - 1]!;
    this.#tokens[index] = { kind, at, text: "", handle: "", isPlain: false, key: undefined };
  }

  #isStillPossible(key: PossibleKey): boolean {
    if (!key.isPossible) return false;
    if (key.at >= this.#line && !this.#isFarFrom(key.at)) return true;
    this.#dropKey(key);
    return false;
  }

  /** Whether an index is farther from here than the colon of a key may be. */
  #isFarFrom(at: number): boolean {
    const units = this.#at - at;
    if (units <= MAX_KEY_LENGTH) return false;
    if (units > 2 * MAX_KEY_LENGTH) return true;
    let pairs = 0;
    for (let i = at; i < this.#at; i++) if ((this.#text.charCodeAt(i) & 0xfc00) === 0xd800) pairs++;
    return units - pairs > MAX_KEY_LENGTH;
  }

  #dropKey(key: PossibleKey | undefined): void {
    if (!key?.isPossible) return;
    if (key.isRequired) this.#fail("could not find expected ':'");
    key.isPossible = false;
  }

  /** Records that a key may begin with the next token. */
  #saveKey(): void {
    if (!this.#keyMayBegin) return;
    const column = this.#column;
    this.#dropKey(this.#keys[this.#flow]);
    this.#keys[this.#flow] = {
      token: this.#taken + this.#tail - this.#head,
      at: this.#at,
      column,
      isRequired: this.#flow === 0 && this.#indent === column,
      isPossible: true,
      isAwaited: true,
    };
  }

  /** Begins a block where the column is greater than that of the block around it. */
  #indentTo(column: number, kind: TokenKind, at: number, number?: number): void {
    if (this.#flow > 0 || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    if (number === undefined) this.#add(kind, at);
    else this.#insert(number, kind, at);
  }

  /** Ends all blocks with a greater column. */
  #unindentTo(column: number): void {
    if (this.#flow > 0) return;
    while (this.#indent > column) {
      this.#add(TOKEN.BLOCK_END, this.#at);
      this.#indent = this.#indents.pop() ?? -1;
    }
  }

  /** Scans the next token, and the tokens that precede it. */
  #scan(): void {
    this.#toToken();
    this.#unindentTo(this.#column);
    const code = this.#code();
    if (this.#at === this.#line) {
      if (code === NUL) return this.#end();
      if (code === PERCENT) return this.#directive();
      if (this.#isMarker()) return this.#marker(code === DASH ? TOKEN.DOCUMENT_START : TOKEN.DOCUMENT_END);
    }
    switch (code) {
      case NUL:
        return this.#end();
      case 0x5b: // [
        return this.#openFlow(TOKEN.FLOW_LIST);
      case 0x7b: // {
        return this.#openFlow(TOKEN.FLOW_MAP);
      case 0x5d: // ]
        return this.#closeFlow(TOKEN.FLOW_LIST_END);
      case 0x7d: // }
        return this.#closeFlow(TOKEN.FLOW_MAP_END);
      case 0x2c: // ,
        this.#dropKey(this.#keys[this.#flow]);
        this.#keyMayBegin = true;
        return this.#indicator(TOKEN.COMMA);
      case DASH:
        if (isGap(this.#code(1))) return this.#item();
        break;
      case 0x3f: // ?
        if (this.#flow > 0 || isGap(this.#code(1))) return this.#explicitKey();
        return this.#plain();
      case COLON:
        if (this.#flow > 0 || isGap(this.#code(1))) return this.#value();
        return this.#plain();
      case 0x2a: // *
        return this.#name(TOKEN.ALIAS);
      case 0x26: // &
        return this.#name(TOKEN.ANCHOR);
      case 0x21: // !
        return this.#tag();
      case 0x7c: // |
        if (this.#flow === 0) return this.#block(true);
        break;
      case 0x3e: // >
        if (this.#flow === 0) return this.#block(false);
        break;
      case SINGLE:
      case DOUBLE:
        return this.#quoted(code);
      default:
    }
    if (code === DASH || !(isGap(code) || INDICATORS.has(code))) return this.#plain();
    this.#fail("found character that cannot start any token");
  }

  /** Skips spaces, comments and line breaks. Tabs do not indent. */
  #toToken(): void {
    const text = this.#text;
    for (;;) {
      let code = text.charCodeAt(this.#at);
      while (code === SPACE || (code === TAB && (this.#flow > 0 || !this.#keyMayBegin)))
        code = text.charCodeAt(++this.#at);
      if (code === HASH) {
        this.#at = this.#endOfLine(this.#at);
        code = text.charCodeAt(this.#at);
      }
      if (!isBreak(code)) return;
      this.#newLine();
      if (this.#flow === 0) this.#keyMayBegin = true;
    }
  }

  /** Skips a line break, if there is one; returns its text in a scalar. */
  #newLine(): string {
    const code = this.#code();
    if (!isBreak(code)) return "";
    this.#at += code === CR && this.#code(1) === LF ? 2 : 1;
    this.#line = this.#at;
    return code === 0x2028 ? "\u2028" : code === 0x2029 ? "\u2029" : "\n";
  }

  #endOfLine(from: number): number {
    const text = this.#text;
    let at = from;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code < 0x85 ? code === LF || code === CR || code === NUL : isBreak(code)) return at;
      at++;
    }
  }

  /** Whether a line begins here with `---` or `...`. */
  #isMarker(): boolean {
    if (this.#at !== this.#line) return false;
    const code = this.#code();
    return (code === DASH || code === DOT) && this.#code(1) === code && this.#code(2) === code && isGap(this.#code(3));
  }

  #indicator(kind: TokenKind): void {
    this.#add(kind, this.#at++);
  }

  #end(): void {
    this.#line = this.#at; // a token that waits for a colon in this line gets none
    this.#unindentTo(-1);
    this.#dropKey(this.#keys[this.#flow]);
    this.#keyMayBegin = false;
    this.#add(TOKEN.END, this.#at);
  }

  #marker(kind: TokenKind): void {
    this.#unindentTo(-1);
    this.#dropKey(this.#keys[this.#flow]);
    this.#keyMayBegin = false;
    this.#add(kind, this.#at);
    this.#at += 3;
  }

  #openFlow(kind: TokenKind): void {
    this.#saveKey();
    this.#brackets[this.#flow] = this.#taken + this.#tail - this.#head;
    this.#indicator(kind);
    this.#keys[++this.#flow] = undefined;
    this.#keyMayBegin = true;
  }

  #closeFlow(kind: TokenKind): void {
    this.#dropKey(this.#keys[this.#flow]);
    if (this.#flow > 0) {
      const isEmpty = this.#keys[this.#flow] === undefined;
      this.#keys[this.#flow--] = undefined;
      const around = this.#keys[this.#flow];
      if (isEmpty && around && around.token === this.#brackets[this.#flow]) around.isAwaited = false;
    }
    this.#keyMayBegin = false;
    this.#indicator(kind);
  }

  #item(): void {
    if (this.#flow === 0) {
      if (!this.#keyMayBegin) this.#fail("block sequence entries are not allowed in this context");
      this.#indentTo(this.#column, TOKEN.LIST, this.#at);
    }
    this.#dropKey(this.#keys[this.#flow]);
    this.#keyMayBegin = true;
    this.#indicator(TOKEN.ITEM);
  }

  #explicitKey(): void {
    if (this.#flow === 0) {
      if (!this.#keyMayBegin) this.#fail("mapping keys are not allowed in this context");
      this.#indentTo(this.#column, TOKEN.MAP, this.#at);
    }
    this.#dropKey(this.#keys[this.#flow]);
    this.#keyMayBegin = this.#flow === 0;
    this.#indicator(TOKEN.KEY);
  }

  #value(): void {
    const key = this.#keys[this.#flow];
    if (key && this.#isStillPossible(key)) {
      this.#insert(key.token, TOKEN.KEY, key.at);
      this.#indentTo(key.column, TOKEN.MAP, key.at, key.token);
      key.isPossible = false;
      this.#keyMayBegin = false;
    } else {
      if (this.#flow === 0) {
        if (!this.#keyMayBegin) this.#fail("mapping values are not allowed in this context");
        this.#indentTo(this.#column, TOKEN.MAP, this.#at);
      }
      this.#keyMayBegin = this.#flow === 0;
    }
    this.#indicator(TOKEN.VALUE);
  }

  #name(kind: TokenKind): void {
    this.#saveKey();
    this.#keyMayBegin = false;
    const start = this.#at++;
    while (isWord(this.#code())) this.#at++;
    const behind = this.#text.charAt(this.#at);
    if (this.#at === start + 1 || !(isGap(this.#code()) || NAME_ENDS.includes(behind)))
      this.#fail("did not find expected alphabetic or numeric character");
    this.#add(kind, start, this.#text.slice(start + 1, this.#at));
  }

  #tag(): void {
    this.#saveKey();
    this.#keyMayBegin = false;
    const start = this.#at;
    let handle = "";
    let suffix: string;
    if (this.#text.charAt(start + 1) === "<") {
      this.#at += 2;
      suffix = this.#uri("");
      if (this.#text.charAt(this.#at) !== ">") this.#fail("did not find the expected '>'");
      this.#at++;
    } else {
      handle = this.#handle();
      if (handle.length > 1 && handle.endsWith("!")) {
        suffix = this.#uri("");
      } else {
        // It is no handle, but the beginning of the tag.
        suffix = this.#uri(handle);
        handle = suffix === "" ? "" : "!";
        suffix ||= "!";
      }
    }
    if (!isGap(this.#code())) this.#fail("did not find expected whitespace or line break");
    this.#add(TOKEN.TAG, start, suffix, handle);
  }

  /** Scans `!`, `!!` or `!name!`, or the valid beginning of another text. */
  #handle(): string {
    const start = this.#at;
    if (this.#text.charAt(start) !== "!") this.#fail("did not find expected '!'");
    this.#at++;
    while (isWord(this.#code())) this.#at++;
    if (this.#text.charAt(this.#at) === "!") this.#at++;
    return this.#text.slice(start, this.#at);
  }

  /** Scans characters of a URI after those of `head`, without its `!`. */
  #uri(head: string): string {
    let uri = head.slice(1);
    let from = this.#at;
    for (;;) {
      const code = this.#code();
      if (!isWord(code) && (code > 127 || !URI_MARKS.includes(String.fromCharCode(code)))) break;
      if (code === PERCENT) {
        uri += this.#text.slice(from, this.#at) + this.#uriEscape();
        from = this.#at;
      } else this.#at++;
    }
    uri += this.#text.slice(from, this.#at);
    if (uri === "" && head === "") this.#fail("did not find expected tag URI");
    return uri;
  }

  /** Scans one character in UTF-8, each byte as `%xx`. */
  #uriEscape(): string {
    const bytes: number[] = [];
    let size = 1;
    while (bytes.length < size) {
      if (this.#code() !== PERCENT || !isHex(this.#code(1)) || !isHex(this.#code(2)))
        this.#fail("did not find URI escaped octet");
      const byte = Number.parseInt(this.#text.slice(this.#at + 1, this.#at + 3), 16);
      if (bytes.length === 0) {
        size = byte < 0x80 ? 1 : byte >> 5 === 6 ? 2 : byte >> 4 === 14 ? 3 : byte >> 3 === 30 ? 4 : 0;
        if (size === 0) this.#fail("found an incorrect leading UTF-8 octet");
      } else if (byte >> 6 !== 2) this.#fail("found an incorrect trailing UTF-8 octet");
      bytes.push(byte);
      this.#at += 3;
    }
    return new TextDecoder().decode(Uint8Array.from(bytes));
  }

  #directive(): void {
    this.#unindentTo(-1);
    this.#dropKey(this.#keys[this.#flow]);
    this.#keyMayBegin = false;
    const start = this.#at++;
    while (isWord(this.#code())) this.#at++;
    const name = this.#text.slice(start + 1, this.#at);
    if (name === "") this.#fail("could not find expected directive name");
    if (!isGap(this.#code())) this.#fail("found unexpected non-alphabetical character");
    if (name === "YAML") this.#version(start);
    else if (name === "TAG") this.#tagDirective(start);
    else this.#fail("found unknown directive name");
    this.#restOfLine();
  }

  #version(start: number): void {
    this.#skipBlanks();
    const major = this.#versionNumber();
    if (this.#code() !== DOT) this.#fail("did not find expected digit or '.' character");
    this.#at++;
    this.#add(TOKEN.DIRECTIVE_YAML, start, `${major}.${this.#versionNumber()}`);
  }

  #versionNumber(): number {
    const start = this.#at;
    while (isDigit(this.#code())) {
      if (this.#at - start >= 2) this.#fail("found extremely long version number");
      this.#at++;
    }
    if (this.#at === start) this.#fail("did not find expected version number");
    return Number(this.#text.slice(start, this.#at));
  }

  #tagDirective(start: number): void {
    this.#skipBlanks();
    const handle = this.#handle();
    if (handle !== "!" && !handle.endsWith("!")) this.#fail("did not find expected '!'");
    if (!isBlank(this.#code())) this.#fail("did not find expected whitespace");
    this.#skipBlanks();
    const prefix = this.#uri("");
    if (!isGap(this.#code())) this.#fail("did not find expected whitespace or line break");
    this.#add(TOKEN.DIRECTIVE_TAG, start, prefix, handle);
  }

  #skipBlanks(): void {
    while (isBlank(this.#code())) this.#at++;
  }

  /** Skips the rest of a line, which may only be a comment. */
  #restOfLine(): void {
    this.#skipBlanks();
    if (this.#code() === HASH) this.#at = this.#endOfLine(this.#at);
    if (this.#code() !== NUL && !isBreak(this.#code())) this.#fail("did not find expected comment or line break");
    this.#newLine();
  }

  /** Scans a block scalar: `|` or `>`, its header, and the lines below. */
  #block(isLiteral: boolean): void {
    this.#dropKey(this.#keys[this.#flow]);
    this.#keyMayBegin = true;
    const start = this.#at++;
    let keep = this.#chomping();
    const increment = this.#increment();
    if (increment > 0 && keep === undefined) keep = this.#chomping();
    this.#restOfLine();
    this.#margin = increment > 0 ? Math.max(this.#indent, 0) + increment : 0;
    let more = this.#emptyLines();
    let text = "";
    let lineBreak = "";
    let wasIndented = false;
    while (this.#column === this.#margin && this.#code() !== NUL) {
      const isIndented = isBlank(this.#code());
      // In a folded scalar one line break between two lines of the same indentation is a space, several lose the first.
      if (!isLiteral && lineBreak === "\n" && !wasIndented && !isIndented) text += more === "" ? " " : more;
      else text += lineBreak + more;
      wasIndented = isIndented;
      const end = this.#endOfLine(this.#at);
      text += this.#text.slice(this.#at, end);
      this.#at = end;
      lineBreak = this.#newLine();
      more = this.#emptyLines();
    }
    if (keep !== false) text += lineBreak;
    if (keep) text += more;
    this.#add(TOKEN.SCALAR, start, text);
  }

  /** Scans `+`, which keeps the line breaks at the end, or `-`, which keeps none; undefined keeps one. */
  #chomping(): boolean | undefined {
    const code = this.#code();
    if (code !== PLUS && code !== DASH) return undefined;
    this.#at++;
    return code === PLUS;
  }

  #increment(): number {
    const code = this.#code();
    if (!isDigit(code)) return 0;
    if (code === ZERO) this.#fail("found an indentation indicator equal to 0");
    this.#at++;
    return code - ZERO;
  }

  /** Skips blank lines up to the first other line, which determines an unknown indentation of the block. */
  #emptyLines(): string {
    let breaks = "";
    let widest = 0;
    for (;;) {
      const margin = this.#margin === 0 ? Infinity : this.#margin;
      while (this.#column < margin && this.#code() === SPACE) this.#at++;
      widest = Math.max(widest, this.#column);
      if (this.#column < margin && this.#code() === TAB)
        this.#fail("found a tab character where an indentation space is expected");
      if (!isBreak(this.#code())) break;
      breaks += this.#newLine();
    }
    if (this.#margin === 0) this.#margin = Math.max(widest, this.#indent + 1, 1);
    return breaks;
  }

  /**
   * Skips white space in a scalar and returns its text. One line break is a space, several lose the first.
   *
   * @param isEscaped whether an escaped line break precedes it
   * @param indent the column from which tabs are valid
   */
  #gap(isEscaped: boolean, indent: number): string {
    const start = this.#at;
    let first = "";
    let more = "";
    for (;;) {
      const code = this.#code();
      if (isBlank(code)) {
        if (code === TAB && first !== "" && this.#column < indent)
          this.#fail("found a tab character that violates indentation");
        this.#at++;
      } else if (!isBreak(code)) break;
      else if (first === "" && !isEscaped) first = this.#newLine();
      else more += this.#newLine();
    }
    if (isEscaped) return more;
    if (first === "") return this.#text.slice(start, this.#at);
    return first === "\n" ? more || " " : first + more;
  }

  #quoted(quote: number): void {
    this.#saveKey();
    this.#keyMayBegin = false;
    const start = this.#at++;
    let text = "";
    for (;;) {
      const from = this.#at;
      const code = this.#endOfQuotedPiece(quote);
      if (code === quote) {
        text += this.#text.slice(from, this.#at++);
        if (quote === DOUBLE || this.#code() !== SINGLE) break;
        text += "'";
        this.#at++;
      } else if (code === BACKSLASH) {
        text += this.#text.slice(from, this.#at++);
        text += isBreak(this.#code()) ? this.#escapedBreak() : this.#escape();
      } else if (code === NUL) {
        this.#fail("found unexpected end of stream");
      } else {
        let end = this.#at;
        while (end > from && isBlank(this.#text.charCodeAt(end - 1))) end--;
        text += this.#text.slice(from, end);
        this.#at = end;
        text += this.#gap(false, 0);
        this.#checkNoMarker();
      }
    }
    this.#add(TOKEN.SCALAR, start, text);
  }

  #escapedBreak(): string {
    this.#newLine();
    this.#checkNoMarker();
    const text = this.#gap(true, 0);
    this.#checkNoMarker();
    return text;
  }

  #checkNoMarker(): void {
    if (this.#isMarker()) this.#fail("found unexpected document indicator");
  }

  /** Skips the literal characters of a quoted scalar: up to a quote, an escape, white space or the end. */
  #endOfQuotedPiece(quote: number): number {
    const text = this.#text;
    const escape = quote === DOUBLE ? BACKSLASH : NUL;
    let at = this.#at;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === quote || code === escape || code === NUL || isBreak(code)) {
        this.#at = at;
        return code;
      }
      at++;
    }
  }

  /** Scans an escape from its letter on, and returns its text. */
  #escape(): string {
    const letter = this.#text.charAt(this.#at);
    const plain = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
    if (plain !== undefined) {
      this.#at++;
      return plain;
    }
    if (letter === "/" && this.#jsonEscapes) {
      this.#at++;
      return "/";
    }
    const digits = (Object.hasOwn(HEX_ESCAPES, letter) && HEX_ESCAPES[letter]) || 0;
    if (digits === 0) this.#fail("found unknown escape character", this.#at - 1);
    this.#at++;
    const code = this.#hex(digits);
    if ((code & 0xfffff800) === 0xd800) return this.#surrogates(code, digits);
    if (code > 0x10ffff) this.#fail("found invalid Unicode character escape code");
    return String.fromCodePoint(code);
  }

  /** Scans a number in hexadecimal digits. */
  #hex(digits: number): number {
    for (let i = 0; i < digits; i++)
      if (!isHex(this.#code(i))) this.#fail("did not find expected hexdecimal number", this.#at);
    const code = Number.parseInt(this.#text.slice(this.#at, this.#at + digits), 16);
    this.#at += digits;
    return code;
  }

  /** Scans a surrogate pair of two escapes, as in JSON. */
  #surrogates(high: number, digits: number): string {
    const isPair =
      this.#jsonEscapes && digits === 4 && high < 0xdc00 && this.#code() === BACKSLASH && this.#code(1) === 0x75;
    if (!isPair) this.#fail("found invalid Unicode character escape code");
    this.#at += 2;
    const low = this.#hex(4);
    if ((low & 0xfc00) !== 0xdc00) this.#fail("found invalid Unicode character escape code");
    return String.fromCharCode(high, low);
  }

  #plain(): void {
    this.#saveKey();
    this.#keyMayBegin = false;
    const start = this.#at;
    const indent = this.#indent + 1;
    let text = "";
    let gap = "";
    let line = this.#line;
    while (!this.#isMarker() && this.#code() !== HASH) {
      const from = this.#at;
      this.#at = this.#endOfPlainPiece(from);
      if (this.#at > from) {
        text += gap + this.#text.slice(from, this.#at);
        line = this.#line;
      }
      const code = this.#code();
      if (!(isBlank(code) || isBreak(code))) break;
      gap = this.#gap(false, indent);
      if (this.#flow === 0 && this.#column < indent) break;
    }
    // After a scalar that ended on an earlier line, a key may begin here.
    if (line !== this.#line) this.#keyMayBegin = true;
    this.#add(TOKEN.SCALAR, start, text, "", true);
  }

  /** The index of white space or of the end of a plain scalar. */
  #endOfPlainPiece(from: number): number {
    const text = this.#text;
    const stop = this.#flow > 0 ? FLOWS : 0;
    for (let at = from; ; at++) {
      const code = text.charCodeAt(at);
      if (code >= 128) {
        if (isBreak(code)) return at;
        continue;
      }
      const kind = CLASSES[code]!;
      if (kind === 0) continue;
      if (kind === BREAKS || (kind & stop) !== 0) return at;
      if (kind === COLONS && isGap(text.charCodeAt(at + 1))) return at;
    }
  }
}
