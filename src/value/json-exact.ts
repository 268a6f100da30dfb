/**
 * The slow JSON decoder, exact about numbers, duplicate members and errors, for the few texts that need it.
 *
 * It is a loop with a stack of its own, so that the limit of the caller bounds the depth, and not the call stack.
 *
 * @module
 */

import {
  DecodeError,
  type Decoded,
  foundText,
  MAX_DUPLICATES,
  pathText,
  positionText,
  type Step,
} from "./decode-error.ts";
import { getMember, isObject, JsonNumber, setMember, type Value, type ValueObject } from "./value.ts";

/** Options of a JSON decoder. */
export interface JsonOptions {
  /** The largest depth of nested containers; default {@link DEFAULT_DEPTH}. */
  readonly depth?: number;
  /** Whether invalid bytes become U+FFFD (kubernetes dialect) instead of an error (neutral dialect, CM-4). */
  readonly replaceInvalidUtf8?: boolean;
}

/** An open container and the position of the decoder in it. */
interface Frame {
  readonly container: Value[] | ValueObject;
  step: Step;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPED_UNIT = /[0-9a-fA-F]{4}/y;
/** The characters after the backslash of a short escape. */
const ESCAPES: ReadonlySet<number> = new Set(new TextEncoder().encode('"\\/bfnrt'));
const WORDS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/** Decodes a JSON text whose depth has been checked, as {@link decodeJson} does. */
export function decodeExactly(text: string, options: JsonOptions): Decoded {
  return new ExactDecoder(text, options).decode();
}

/** Returns the paths that occur in a JSON text, in the order of the text, each as often as it occurs. */
export function membersInOrder(text: string, paths: ReadonlySet<string>): readonly string[] {
  const found: string[] = [];
  const onMember = (path: string): void => {
    if (paths.has(path)) found.push(path);
  };
  new ExactDecoder(text, { replaceInvalidUtf8: true }, onMember).decode();
  return found;
}

class ExactDecoder {
  readonly #text: string;
  readonly #repair: boolean;
  readonly #stack: Frame[] = [];
  readonly #duplicates: string[] = [];
  readonly #reported = new Set<string>();
  readonly #onMember: ((path: string) => void) | undefined;
  #at = 0;

  /** @param onMember called with the path of each member */
  constructor(text: string, options: JsonOptions, onMember?: (path: string) => void) {
    this.#text = text;
    this.#onMember = onMember;
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

  /** Reads a scalar or an empty container; opens any other container up to its first value. */
  #begin(): Value | undefined {
    const code = this.#skip();
    if (code === 0x7b) {
      const container = this.#target();
      this.#at++;
      if (this.#skip() === 0x7d) return this.#advance(container);
      const frame = { container, step: "" };
      this.#stack.push(frame);
      this.#key(frame, "a member name or '}'");
      return undefined;
    }
    if (code === 0x5b) {
      this.#at++;
      if (this.#skip() === 0x5d) return this.#advance([]);
      this.#stack.push({ container: [], step: 0 });
      return undefined;
    }
    return this.#scalar(code);
  }

  /** Adds a finished value to its container, and closes the containers that end with it. Returns the root at the end. */
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

  /** Adds a value and returns the character after it, which continues or ends the container. */
  #put(frame: Frame, value: Value): number {
    const code = this.#skip();
    if (Array.isArray(frame.container)) {
      frame.container.push(value);
      if (code !== 0x2c && code !== 0x5d) this.#fail("',' or ']'");
    } else {
      setMember(frame.container, String(frame.step), value);
      if (code !== 0x2c && code !== 0x7d) this.#fail("',' or '}'");
    }
    return code;
  }

  /** Returns the object for the members of an opening object: the first one of its name, since kube-apiserver merges them. */
  #target(): ValueObject {
    const parent = this.#stack.at(-1);
    if (!parent || Array.isArray(parent.container)) return {};
    const first = getMember(parent.container, String(parent.step));
    return isObject(first) ? first : {};
  }

  #key(frame: Frame, expected: string): void {
    if (this.#skip() !== 0x22) this.#fail(expected);
    const key = this.#string();
    frame.step = key;
    this.#onMember?.(this.#path());
    if (Object.hasOwn(frame.container, key) && this.#duplicates.length < MAX_DUPLICATES) this.#reportDuplicate();
    if (this.#skip() !== 0x3a) this.#fail("':'");
    this.#at++;
  }

  #reportDuplicate(): void {
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
    for (const [word, value] of WORDS) {
      if (this.#text.startsWith(word, this.#at)) return this.#advance(value, word.length);
    }
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

  /** Returns the index of the last character of the escape that begins at `start`. */
  #escape(start: number): number {
    const letter = this.#text.charCodeAt(start + 1);
    if (letter === 0x75) {
      ESCAPED_UNIT.lastIndex = start + 2;
      if (ESCAPED_UNIT.test(this.#text)) return start + 5;
    } else if (ESCAPES.has(letter)) {
      return start + 1;
    }
    return this.#fail("a valid escape", start);
  }

  #unescape(start: number, end: number): string {
    const value = String(JSON.parse(this.#text.slice(start, end)));
    if (value.isWellFormed()) return value;
    if (this.#repair) return value.toWellFormed();
    const place = positionText(this.#text, start);
    throw new DecodeError("invalidUtf8", `Expected a string of Unicode characters at ${place}, found a lone surrogate`);
  }

  /** Skips `length` characters and returns `value`. */
  #advance<T extends Value>(value: T, length = 1): T {
    this.#at += length;
    return value;
  }

  /** Skips white space and returns the code of the next character, NaN at the end. */
  #skip(): number {
    for (; ; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
    }
  }

  #fail(expected: string, at = this.#at): never {
    const place = positionText(this.#text, at);
    throw new DecodeError(
      "malformed",
      `Expected ${expected} at ${place} of the JSON text, found ${foundText(this.#text, at)}`,
    );
  }
}
