/**
 * The slow JSON decoder: exact about numbers, repeated members and errors, for the few texts that need it.
 *
 * It is a loop with a stack of its own, so that depth is bounded by the caller's limit and not by the machine's stack.
 *
 * @module
 */

import {
  DecodeError,
  type Decoded,
  foundText,
  MAX_DUPLICATES,
  pathText,
  placeText,
  type Step,
} from "./decode-error.ts";
import { getMember, isObject, JsonNumber, setMember, type Value, type ValueObject } from "./value.ts";

/** How a JSON decoder treats what is unusual. */
export interface JsonOptions {
  /** How many containers may stand inside one another; default {@link DEFAULT_DEPTH}. */
  readonly depth?: number;
  /** Whether bytes that are no UTF-8 become U+FFFD (kubernetes dialect) instead of an error (neutral dialect, CM-4). */
  readonly replaceInvalidUtf8?: boolean;
}

/** A container that is still open, and where in it the decoder stands. */
interface Frame {
  readonly container: Value[] | ValueObject;
  step: Step;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPED_UNIT = /[0-9a-fA-F]{4}/y;
/** The characters that make an escape of one letter: `"`, a backslash, a slash, or one of `bfnrt`. */
const ESCAPES: ReadonlySet<number> = new Set(new TextEncoder().encode('"\\/bfnrt'));
const WORDS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/** Decodes a JSON text whose depth has been checked; see {@link decodeJson} for what the result means. */
export function decodeExactly(text: string, options: JsonOptions): Decoded {
  return new ExactDecoder(text, options).decode();
}

/** Of some paths of members those that a JSON text has, each as often as it has it, in the order of the text. */
export function membersInOrder(text: string, paths: ReadonlySet<string>): readonly string[] {
  const found: string[] = [];
  const note = (path: string): void => {
    if (paths.has(path)) found.push(path);
  };
  new ExactDecoder(text, { replaceInvalidUtf8: true }, note).decode();
  return found;
}

class ExactDecoder {
  readonly #text: string;
  readonly #repair: boolean;
  readonly #stack: Frame[] = [];
  readonly #duplicates: string[] = [];
  readonly #reported = new Set<string>();
  readonly #note: ((path: string) => void) | undefined;
  #at = 0;

  /** @param note is told the path of each member */
  constructor(text: string, options: JsonOptions, note?: (path: string) => void) {
    this.#text = text;
    this.#note = note;
    this.#repair = options.replaceInvalidUtf8 ?? false;
  }

  decode(): Decoded {
    for (;;) {
      const value = this.#begin();
      if (value === undefined) continue; // a container was opened, its first value is next
      const root = this.#complete(value);
      if (root === undefined) continue;
      const duplicates = this.#duplicates;
      return duplicates.length === 0 ? { value: root, duplicates } : { value: root, duplicates, json: this.#text };
    }
  }

  /** Reads a scalar or an empty container; opens any other container, up to where its first value begins. */
  #begin(): Value | undefined {
    const code = this.#skip();
    if (code === 0x7b) {
      const container = this.#target();
      this.#at++;
      if (this.#skip() === 0x7d) return this.#past(container);
      const frame = { container, step: "" };
      this.#stack.push(frame);
      this.#key(frame, "a member name or '}'");
      return undefined;
    }
    if (code === 0x5b) {
      this.#at++;
      if (this.#skip() === 0x5d) return this.#past([]);
      this.#stack.push({ container: [], step: 0 });
      return undefined;
    }
    return this.#scalar(code);
  }

  /** Hands a finished value to its container, and closes the containers that end with it. Gives the root at the end. */
  #complete(finished: Value): Value | undefined {
    let value = finished;
    for (let frame = this.#stack.at(-1); frame; frame = this.#stack.at(-1)) {
      const code = this.#put(frame, value);
      this.#at++;
      if (code === 0x2c) {
        if (typeof frame.step === "number") frame.step++;
        else if (this.#skip() !== 0x22) this.#fail("a member name");
        else this.#key(frame, "a member name");
        return undefined;
      }
      value = frame.container;
      this.#stack.pop();
    }
    this.#skip();
    if (this.#at < this.#text.length) this.#fail("the end");
    return value;
  }

  /** Stores a value and gives the character after it, which continues or ends the container. */
  #put(frame: Frame, value: Value): number {
    const code = this.#skip();
    if (Array.isArray(frame.container)) {
      frame.container.push(value);
      if (code !== 0x2c && code !== 0x5d) this.#fail("',' or ']'");
    } else {
      setMember(frame.container, frame.step as string, value);
      if (code !== 0x2c && code !== 0x7d) this.#fail("',' or '}'");
    }
    return code;
  }

  /** The object that the members of an opening object go to: the first one of that name, as the typed decoder of the real server merges them. */
  #target(): ValueObject {
    const parent = this.#stack.at(-1);
    if (!parent || Array.isArray(parent.container)) return {};
    const key = parent.step as string;
    const first = getMember(parent.container, key);
    return isObject(first) ? first : {};
  }

  #key(frame: Frame, expected: string): void {
    if (this.#skip() !== 0x22) this.#fail(expected);
    const key = this.#string();
    frame.step = key;
    this.#note?.(this.#path());
    if (Object.hasOwn(frame.container, key) && this.#duplicates.length < MAX_DUPLICATES) this.#tellDuplicate();
    if (this.#skip() !== 0x3a) this.#fail("':'");
    this.#at++;
  }

  #tellDuplicate(): void {
    const path = this.#path();
    if (this.#reported.has(path)) return;
    this.#reported.add(path);
    this.#duplicates.push(path);
  }

  #path(): string {
    return pathText(this.#stack.map(({ step }) => step));
  }

  #scalar(code: number): Value {
    if (code === 0x22) return this.#string();
    if (code === 0x2d || (code >= 0x30 && code <= 0x39)) return this.#number();
    for (const [word, value] of WORDS) if (this.#text.startsWith(word, this.#at)) return this.#past(value, word.length);
    return this.#fail("a value");
  }

  #number(): Value {
    NUMBER.lastIndex = this.#at;
    const literal = NUMBER.exec(this.#text)?.[0];
    if (literal === undefined) return this.#fail("a number");
    this.#at += literal.length;
    const value = Number(literal);
    const exact = /[.eE]/.test(literal)
      ? Number.isFinite(value) && !Number.isInteger(value)
      : Number.isSafeInteger(value);
    return exact ? value : (new JsonNumber(literal) as unknown as Value);
  }

  #string(): string {
    const start = this.#at;
    let end = start + 1;
    let escaped = false;
    for (; ; end++) {
      const code = this.#text.charCodeAt(end);
      if (code === 0x22) break;
      if (!(code >= 0x20)) this.#fail("the end of a string", end); // also NaN, past the end
      if (code === 0x5c) {
        escaped = true;
        end = this.#escape(end);
      }
    }
    this.#at = end + 1;
    return escaped ? this.#unescape(start, end + 1) : this.#text.slice(start + 1, end);
  }

  /** Steps over an escape whose backslash is at `start`, to its last character. */
  #escape(start: number): number {
    const letter = this.#text.charCodeAt(start + 1);
    if (letter === 0x75) {
      ESCAPED_UNIT.lastIndex = start + 2;
      if (ESCAPED_UNIT.test(this.#text)) return start + 5;
    } else if (ESCAPES.has(letter)) {
      return start + 1;
    }
    return this.#fail("an escape that JSON knows", start);
  }

  #unescape(start: number, end: number): string {
    const value = JSON.parse(this.#text.slice(start, end)) as string;
    if (value.isWellFormed()) return value;
    if (this.#repair) return value.toWellFormed();
    const place = placeText(this.#text, start);
    throw new DecodeError(
      "invalidUtf8",
      `Expected a string of Unicode characters at ${place}, found half a surrogate pair`,
    );
  }

  /** Steps over `length` characters and gives `value`. */
  #past<T extends Value>(value: T, length = 1): T {
    this.#at += length;
    return value;
  }

  /** Steps over white space; gives the code of the next character, NaN at the end. */
  #skip(): number {
    for (; ; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
    }
  }

  #fail(expected: string, at = this.#at): never {
    const place = placeText(this.#text, at);
    throw new DecodeError(
      "malformed",
      `Expected ${expected} at ${place} of the JSON text, found ${foundText(this.#text, at)}`,
    );
  }
}
