/**
 * YAML bodies to values, as the real server reads them: the first document only, YAML 1.1 scalars ({@link resolvePlain}),
 * merge keys, anchors, and member names made of whatever scalar stands before the colon.
 *
 * The parser of js-yaml gives events; what they mean is decided here, so nothing of a document reaches an object by way of
 * somebody else's schema. Aliases are copied, within a budget of what they stand for (CVE-2019-11253).
 *
 * No YAML parser is fast: a document takes some 0.2 µs per byte, an unlucky one 0.7 µs. So that no request holds up the
 * others, documents beyond {@link YAML_INLINE_LIMIT} belong into a worker thread, which the server owns:
 * {@link decodeYamlInline} gives undefined for them, and the worker calls {@link decodeYaml}.
 *
 * @module
 */

import {
  type Event,
  EVENT_ID,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from "js-yaml";
import { Buffer } from "node:buffer";
import { atOnce, type Steps } from "../util/steps.ts";
import { DecodeError, DEFAULT_DEPTH, type Decoded, MAX_DUPLICATES, pathText, type Step } from "./decode-error.ts";
import { isPlain, type JsonOptions, parsed } from "./json.ts";
import { decodeExactly } from "./json-exact.ts";
import { decodeUtf8 } from "./utf8.ts";
import { asJsonNumber, clone, isObject, setMember, type Value, type ValueObject } from "./value.ts";
import { isNoJsonNumber, keyText, resolvePlain, resolveTagged } from "./yaml-scalar.ts";

/** How many bytes of YAML may be parsed on the main thread: what stays below 100 ms for the worst documents known. */
export const YAML_INLINE_LIMIT = 131_072;

/** How {@link decodeYaml} treats what is unusual. */
export interface YamlOptions {
  /** How many containers may stand inside one another; default {@link DEFAULT_DEPTH}. */
  readonly depth?: number;
  /** How many bytes of JSON the aliases of a document may stand for together; default 1 MiB. */
  readonly aliasBytes?: number;
  /**
   * Whether the escapes that JSON has and YAML 1.1 has not are refused: `\/`, and surrogate pairs such as `\ud83d\ude00`
   * (APPLY-3, AMB-39). Default false: they are read as JSON reads them.
   */
  readonly escapesAsYaml?: boolean;
}

const DEFAULT_ALIAS_BYTES = 1 << 20;

/**
 * Decodes the first document of a YAML text. A text without one is null.
 *
 * JSON is YAML: a text that begins with `{` is decoded as JSON when that loses nothing. Members given twice, also by way
 * of a merge key, are reported; the last one wins and nothing is merged.
 *
 * @throws DecodeError for anything that is no YAML, has no JSON form, or goes beyond a limit
 */
export function decodeYaml(bytes: Uint8Array | string, options: YamlOptions = {}): Decoded {
  return decodeJsonText(toBytes(bytes), options) ?? decodeDocument(toText(bytes), options);
}

/**
 * {@link decodeYaml} when that takes no longer than a main thread has, else undefined: then decode it in a worker. In steps:
 * of a few megabytes each takes a turn.
 */
export function* decodeYamlInline(bytes: Uint8Array, options: YamlOptions = {}): Steps<Decoded | undefined> {
  const json = yield* jsonTextSteps(bytes, options);
  if (json || bytes.length > YAML_INLINE_LIMIT) return json;
  yield;
  return decodeDocument(toText(bytes), options);
}

const toBytes = (bytes: Uint8Array | string): Uint8Array => (typeof bytes === "string" ? Buffer.from(bytes) : bytes);

function toText(bytes: Uint8Array | string): string {
  const text = typeof bytes === "string" ? bytes : decodeUtf8(bytes);
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

/** What stands behind the backslash of an escape that YAML 1.1 does not know. */
const JSON_ESCAPE = /^(?:\/|u[dD][89a-fA-F])/;

/** Whether the text of a double-quoted scalar or of a JSON document has an escape that YAML 1.1 does not know. */
function hasJsonEscape(text: string): boolean {
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", at + 2)) {
    if (JSON_ESCAPE.test(text.slice(at + 1, at + 4))) return true;
  }
  return false;
}

/** The value of a document that is a JSON object; undefined for every other one. */
const decodeJsonText = (bytes: Uint8Array, options: YamlOptions): Decoded | undefined =>
  atOnce(jsonTextSteps(bytes, options));

function* jsonTextSteps(bytes: Uint8Array, options: YamlOptions): Steps<Decoded | undefined> {
  let start = 0;
  while (start < bytes.length && bytes[start]! <= 0x20) start++;
  if (bytes[start] !== 0x7b) return undefined;
  const limit = options.depth === undefined ? {} : { depth: options.depth };
  const plain = isPlain(bytes, limit);
  yield;
  const value = plain ? parsed(bytes) : undefined;
  yield;
  const decoded = value === undefined ? decodeUnusualJson(bytes, limit) : { value, duplicates: [] };
  yield;
  if (decoded && options.escapesAsYaml) refuseJsonEscapes(decodeUtf8(bytes));
  return decoded;
}

/** JSON with YAML's view of repeated members and of numbers; undefined for what is no JSON, and so may be YAML. */
function decodeUnusualJson(bytes: Uint8Array, limit: JsonOptions): Decoded | undefined {
  try {
    const { value, duplicates } = decodeExactly(decodeUtf8(bytes), {
      ...limit,
      mergeDuplicates: false,
      everyDuplicate: true,
    });
    return { value: withYamlNumbers(value), duplicates };
  } catch (error) {
    if (error instanceof DecodeError && error.code === "malformed") return undefined;
    throw error;
  }
}

/** YAML does not tell `19.0` from `19`: only what no double holds stays a {@link JsonNumber}. */
function withYamlNumbers(value: Value): Value {
  const number = asJsonNumber(value);
  if (number) return resolvePlain(number.text);
  if (Array.isArray(value)) return value.map(withYamlNumbers);
  if (!isObject(value)) return value;
  for (const key of Object.keys(value)) setMember(value, key, withYamlNumbers(value[key]!));
  return value;
}

function refuseJsonEscapes(text: string): void {
  if (!hasJsonEscape(text)) return;
  throw new DecodeError("malformed", "Expected escapes that YAML 1.1 knows, found \\/ or a surrogate pair");
}

function decodeDocument(text: string, options: YamlOptions): Decoded {
  const document = firstDocument(text);
  let events: Event[];
  try {
    // The parser counts differently; the exact limit is that of the composer.
    events = parseEvents(document, { maxDepth: (options.depth ?? DEFAULT_DEPTH) + 2 });
  } catch (error) {
    if (error instanceof YAMLException)
      throw refusal(error.reason.startsWith("nesting") ? "tooDeep" : "malformed", error);
    if (error instanceof RangeError) throw refusal("tooDeep", error);
    throw error;
  }
  return new Composer(document, events, options).compose();
}

/** A parser's error as ours: its reason and place, without the excerpt of the document that follows. */
function refusal(code: "tooDeep" | "malformed", cause: Error): DecodeError {
  return new DecodeError(code, `Expected a YAML document, found: ${cause.message.split("\n", 1)[0]!}`, { cause });
}

/** The text up to the end of the first document: what follows is not even parsed. */
function firstDocument(text: string): string {
  const markers = text.matchAll(/^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm);
  let isFirst = true;
  for (const { 0: marker, index } of markers) {
    const begins = isFirst && marker === "---" && !hasContent(text.slice(0, index));
    if (!begins) return text.slice(0, index);
    isFirst = false;
  }
  return text;
}

/** Whether some line is more than a comment, a directive or blank. */
const hasContent = (text: string): boolean => /^(?:[ \t]*[^ \t#%\n\r\u2028\u2029]|[ \t]+%)/m.test(text);

/** A container that is being filled. A key that has been read waits in `key` for its value. */
interface Frame {
  readonly container: Value[] | ValueObject;
  readonly anchor: string | undefined;
  key: string | undefined;
  isMerge: boolean;
  /** How many levels the container has below itself so far. */
  height: number;
}

/** What an anchor stands for; `value` is undefined while its container is still open. */
interface Anchor {
  readonly value: Value | undefined;
  readonly height: number;
}

/** Builds the value of one document out of its events. */
class Composer {
  readonly #source: string;
  readonly #events: readonly Event[];
  readonly #options: YamlOptions;
  readonly #frames: Frame[] = [];
  readonly #anchors = new Map<string, Anchor>();
  readonly #duplicates: string[] = [];
  #aliasBudget: number;
  #root: Value | undefined;

  constructor(source: string, events: readonly Event[], options: YamlOptions) {
    this.#source = source;
    this.#events = events;
    this.#options = options;
    this.#aliasBudget = options.aliasBytes ?? DEFAULT_ALIAS_BYTES;
  }

  compose(): Decoded {
    for (const event of this.#events) {
      if (this.#root !== undefined) break;
      switch (event.type) {
        case EVENT_ID.SCALAR:
          this.#scalar(event);
          break;
        case EVENT_ID.MAPPING:
          this.#open({}, this.#name(event));
          break;
        case EVENT_ID.SEQUENCE:
          this.#open([], this.#name(event));
          break;
        case EVENT_ID.ALIAS:
          this.#alias(this.#name(event)!);
          break;
        case EVENT_ID.POP:
          this.#close();
          break;
        default:
      }
    }
    return { value: this.#root ?? null, duplicates: this.#duplicates };
  }

  #name(event: { anchorStart: number; anchorEnd: number }): string | undefined {
    return event.anchorStart < 0 ? undefined : this.#source.slice(event.anchorStart, event.anchorEnd);
  }

  #scalar(event: ScalarEvent): void {
    const text = getScalarValue(this.#source, event);
    const quoted = event.style !== SCALAR_STYLE.PLAIN;
    if (event.style === SCALAR_STYLE.DOUBLE_QUOTED) this.#checkEscapes(event, text);
    const tag = event.tagStart < 0 ? undefined : this.#source.slice(event.tagStart, event.tagEnd);
    const value = tag === undefined ? (quoted ? text : resolvePlain(text)) : resolveTagged(tag, text);
    const anchor = this.#name(event);
    if (anchor !== undefined) this.#anchors.set(anchor, { value, height: 0 });
    this.#add(value, 0, text === "<<" && !quoted && (tag === undefined || tag === "!!merge"));
  }

  #checkEscapes(event: ScalarEvent, text: string): void {
    if (this.#options.escapesAsYaml) refuseJsonEscapes(this.#source.slice(event.valueStart, event.valueEnd));
    if (!text.isWellFormed()) {
      throw new DecodeError("invalidUtf8", "Expected a YAML string of Unicode characters, found half a surrogate pair");
    }
  }

  #open(container: Value[] | ValueObject, anchor: string | undefined): void {
    if (anchor !== undefined) this.#anchors.set(anchor, { value: undefined, height: 0 });
    this.#checkDepth(this.#frames.length + 1);
    this.#frames.push({ container, anchor, key: undefined, isMerge: false, height: 1 });
  }

  #close(): void {
    const frame = this.#frames.pop();
    if (!frame) return; // the end of the document
    if (frame.anchor !== undefined) this.#anchors.set(frame.anchor, { value: frame.container, height: frame.height });
    this.#add(frame.container, frame.height, false);
  }

  #alias(name: string): void {
    const anchor = this.#anchors.get(name);
    if (!anchor) throw new DecodeError("malformed", "Expected a YAML alias to follow its anchor, found no anchor");
    if (anchor.value === undefined) {
      throw new DecodeError("malformed", "Expected a YAML anchor not to contain itself, found its alias inside");
    }
    this.#checkDepth(this.#frames.length + anchor.height);
    this.#aliasBudget -= sizeUpTo(anchor.value, this.#aliasBudget);
    if (this.#aliasBudget < 0) {
      throw new DecodeError("tooLarge", `Expected YAML aliases to stand for little, found too much at *${name}`);
    }
    this.#add(clone(anchor.value), anchor.height, false);
  }

  #checkDepth(depth: number): void {
    const limit = this.#options.depth ?? DEFAULT_DEPTH;
    if (depth > limit) throw new DecodeError("tooDeep", `Expected values nested at most ${limit} deep, found more`);
  }

  /** Hands a finished value to the container that is open: as an element, as a key, or as the value of the last key. */
  #add(value: Value, height: number, isMerge: boolean): void {
    const frame = this.#frames.at(-1);
    if (!frame) {
      this.#root = inJson(value);
      return;
    }
    frame.height = Math.max(frame.height, height + 1);
    if (Array.isArray(frame.container)) {
      frame.container.push(inJson(value));
    } else if (frame.key === undefined) {
      frame.key = isMerge ? "<<" : keyText(value);
      frame.isMerge = isMerge;
    } else {
      if (frame.isMerge) this.#merge(frame.container, value);
      else this.#set(frame.container, frame.key, inJson(value));
      frame.key = undefined;
    }
  }

  /** A merge key: the members of a map, or of several maps of which the first wins. */
  #merge(target: ValueObject, value: Value): void {
    const maps = Array.isArray(value) ? value.toReversed() : [value];
    for (const map of maps) {
      if (!isObject(map))
        throw new DecodeError("malformed", "Expected the value of a YAML merge key to be a map or a list of maps");
      for (const key of Object.keys(map)) this.#set(target, key, map[key]!);
    }
  }

  #set(target: ValueObject, key: string, value: Value): void {
    if (Object.hasOwn(target, key) && this.#duplicates.length < MAX_DUPLICATES) {
      this.#duplicates.push(pathText([...this.#steps(), key]));
    }
    setMember(target, key, value);
  }

  /** The way to the innermost open container. */
  #steps(): Step[] {
    return this.#frames
      .slice(0, -1)
      .map(({ container, key }) => (Array.isArray(container) ? container.length : (key ?? "")));
  }
}

function inJson(value: Value): Value {
  if (!isNoJsonNumber(value)) return value;
  throw new DecodeError("malformed", `Expected YAML values that JSON has, found ${Number(value)}`);
}

/** About how many bytes of JSON a value is; stops counting beyond `limit`. */
function sizeUpTo(value: Value, limit: number): number {
  if (typeof value === "string") return value.length + 3;
  if (typeof value !== "object" || value === null) return 5;
  let size = 3;
  if (Array.isArray(value)) {
    for (const element of value) {
      if (size > limit) break;
      size += sizeUpTo(element, limit - size);
    }
    return size;
  }
  for (const key of Object.keys(value)) {
    if (size > limit) break;
    size += key.length + 4 + sizeUpTo(value[key]!, limit - size);
  }
  return size;
}
