/**
 * YAML to values, as the real server and kubectl read it: with `sigs.k8s.io/yaml`, whose parser is libyaml's. The first
 * document only, the grammar and the scalars of YAML 1.1 ({@link resolvePlain}), merge keys, anchors, and member names made
 * of whatever scalar stands before the colon. Bodies of requests, files of the command line and of the testing kit, and files
 * of settings are all read here.
 *
 * `yaml-scan.ts` makes tokens of the text, `yaml-parse.ts` nodes of the tokens, and here they become values. Aliases are
 * copied, within a budget of what they stand for (CVE-2019-11253).
 *
 * A document takes some 0.05 µs per byte, an unlucky one 0.2 µs. So that no request holds up the others, documents beyond
 * {@link YAML_INLINE_LIMIT} belong into a worker thread, which the server owns: {@link decodeYamlInline} gives undefined for
 * them, and the worker calls {@link decodeYaml}.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { quoted } from "../util/quoted.ts";
import { andThen, atOnce, type Steps, whenLarge, type Work } from "../util/steps.ts";
import { DecodeError, DEFAULT_DEPTH, type Decoded, MAX_DUPLICATES, pathText, type Step } from "./decode-error.ts";
import { isPlain } from "./json.ts";
import { decodeUtf8 } from "./utf8.ts";
import { clone, isObject, setMember, type Value, type ValueObject } from "./value.ts";
import { linesOf, yamlError } from "./yaml-error.ts";
import { type NodeBuilder, type NodeHead, parseYaml } from "./yaml-parse.ts";
import { isNoJsonNumber, type KeyName, keyName, MERGE_TAG, resolvePlain, resolveTagged } from "./yaml-scalar.ts";

/** How many bytes of YAML may be parsed on the main thread: what stays below 100 ms for the worst documents known. */
export const YAML_INLINE_LIMIT = 131_072;

/** How {@link decodeYaml} treats what is unusual. */
export interface YamlOptions {
  /** How many containers may stand inside one another; default {@link DEFAULT_DEPTH}. */
  readonly depth?: number;
  /** How many bytes of JSON the aliases of a document may stand for together; default 1 MiB. */
  readonly aliasBytes?: number;
  /**
   * Whether the escapes that JSON has and YAML 1.1 has not are taken: `\\/`, and surrogate pairs such as `\\ud83d\\ude00`
   * (APPLY-3, AMB-39). Default false: they are refused, as the real server refuses them.
   */
  readonly jsonEscapes?: boolean;
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
  const source = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
  return atOnce(jsonWork(source, options)) ?? atOnce(documentSteps(textOf(bytes), options));
}

/**
 * {@link decodeYaml} when that takes no longer than a main thread has, else undefined: then decode it in a worker. In steps:
 * of a few megabytes each takes a turn.
 */
export function decodeYamlInline(bytes: Uint8Array, options: YamlOptions = {}): Work<Decoded | undefined> {
  return andThen<Decoded | undefined, Decoded | undefined>(jsonWork(bytes, options), (json) =>
    json || bytes.length > YAML_INLINE_LIMIT ? json : documentSteps(textOf(bytes), options),
  );
}

function textOf(bytes: Uint8Array | string): string {
  if (typeof bytes === "string") return withoutMark(bytes);
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decodeUtf16(bytes, "utf-16le");
  if (first === 0xfe && second === 0xff) return decodeUtf16(bytes, "utf-16be");
  return withoutMark(decodeUtf8(bytes));
}

const withoutMark = (text: string): string => (text.startsWith("\ufeff") ? text.slice(1) : text);

function decodeUtf16(bytes: Uint8Array, encoding: string): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw new DecodeError("invalidUtf8", "Expected UTF-16 text, as its first two bytes say, found none", {
      cause: error,
    });
  }
}

/** What stands behind the backslash of an escape that YAML 1.1 does not know. */
const JSON_ESCAPE = /^(?:\/|u[dD][89a-fA-F])/;

/** Whether the text of a JSON document has an escape that YAML 1.1 does not know. */
function hasJsonEscape(text: string): boolean {
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", at + 2)) {
    if (JSON_ESCAPE.test(text.slice(at + 1, at + 4))) return true;
  }
  return false;
}

/** Characters that JSON takes for themselves, and that YAML refuses or takes for line breaks. */
// eslint-disable-next-line no-control-regex -- these are the characters in question
const UNLIKE_JSON = /[\u007f-\u009f\u2028\u2029\ufffe\uffff]/;

/** Whether a tab stands in the blank lines at the end, which JSON allows. */
function endsUnlikeJson(bytes: Uint8Array): boolean {
  let hasTab = false;
  for (let at = bytes.length - 1; at >= 0; at--) {
    const byte = bytes[at];
    if (byte === 0x09) hasTab = true;
    else if (byte === 0x0a || byte === 0x0d) {
      if (hasTab) return true;
    } else if (byte !== 0x20) return false;
  }
  return false;
}

/**
 * The value of a document that is a JSON object and means the same in YAML; undefined for every other one. Scan, text and value
 * of a large one take a step each.
 */
function jsonWork(bytes: Uint8Array, options: YamlOptions): Work<Decoded | undefined> {
  if (!beginsLikeJson(bytes) || endsUnlikeJson(bytes)) return undefined;
  const isLarge = bytes.length > YAML_INLINE_LIMIT;
  const plain = isPlain(bytes, options.depth === undefined ? {} : { depth: options.depth });
  const text = plain ? whenLarge(isLarge, () => textLikeJson(bytes, options)) : undefined;
  return andThen(text, (found) => {
    if (found === undefined) return undefined;
    try {
      return { value: JSON.parse(found) as Value, duplicates: [] };
    } catch {
      return undefined; // it may be YAML
    }
  });
}

function beginsLikeJson(bytes: Uint8Array): boolean {
  let start = 0;
  while (bytes[start] === 0x20 || bytes[start] === 0x0a || bytes[start] === 0x0d) start++;
  return bytes[start] === 0x7b;
}

/** The text of a document that YAML reads as JSON does. */
function textLikeJson(bytes: Uint8Array, options: YamlOptions): string | undefined {
  const text = decodeUtf8(bytes);
  const isAscii = text.length === bytes.length;
  if (isAscii ? text.includes("\u007f") : UNLIKE_JSON.test(text)) return undefined;
  return !options.jsonEscapes && hasJsonEscape(text) ? undefined : text;
}

/** Characters that no YAML text has: controls but tabs and line breaks, and what is no character. */
// eslint-disable-next-line no-control-regex -- these are the characters in question
const NO_YAML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/;

function* documentSteps(text: string, options: YamlOptions): Steps<Decoded> {
  const bad = text.search(NO_YAML);
  if (bad >= 0) throw yamlError(text, bad, "control characters are not allowed");
  if (!text.isWellFormed())
    throw new DecodeError("invalidUtf8", "Expected a YAML text of Unicode characters, found half a surrogate pair");
  const builder = new Builder(text, options);
  yield* parseYaml(`${text}\0`, builder, { jsonEscapes: options.jsonEscapes ?? false });
  return builder.decoded();
}

/** A container that is being filled. A key that has been read waits in `key` for its value. */
interface Frame {
  readonly container: Value[] | ValueObject;
  readonly head: NodeHead;
  key: KeyName | undefined;
  isMerge: boolean;
  /** How many levels the container has below itself so far. */
  height: number;
  /** How many nodes it is, with those that aliases stand for. */
  weight: number;
  /** Where the members begin, of a map that may be merged into another. */
  readonly places: Map<string, Place> | undefined;
  /** What its anchor stands for until it ends. */
  readonly open: Anchor;
  /** How many members had been repeated when it began. */
  readonly repeatedBefore: number;
}

/** The key of a member, and where its value begins. */
interface Place {
  readonly key: KeyName;
  readonly at: number;
}

/** What an anchor stands for; `value` is undefined while its container is still open. */
interface Anchor {
  readonly value: Value | undefined;
  readonly height: number;
  readonly weight: number;
  /** What a scalar is as a key. */
  readonly key: (() => KeyName | undefined) | undefined;
  readonly places: Map<string, Place> | undefined;
  /** Which members are repeated inside, of all that are, and how long the way to it is: each alias repeats them again. */
  readonly inside: { readonly from: number; readonly to: number; readonly level: number };
}

const OPEN: Anchor = {
  value: undefined,
  height: 0,
  weight: 0,
  key: undefined,
  places: undefined,
  inside: { from: 0, to: 0, level: 0 },
};

/** A member that is there already: the way to it, its key as Go writes it, and where its value begins. */
interface Repeated {
  readonly way: readonly Step[];
  readonly key: string;
  readonly at: number;
}

/** Builds the value of one document out of its nodes. */
class Builder implements NodeBuilder {
  readonly #text: string;
  readonly #depth: number;
  readonly #frames: Frame[] = [];
  readonly #anchors = new Map<string, Anchor>();
  readonly #repeated: Repeated[] = [];
  /** Where the members of maps begin that are merged. */
  readonly #places = new Map<ValueObject, ReadonlyMap<string, Place>>();
  #aliasBudget: number;
  /** How many nodes there have been, and how many of them by way of aliases. */
  #nodes = 0;
  #aliased = 0;
  #root: Value = null;
  /** Where the first value stands that JSON has not. */
  #noJson: number | undefined;

  constructor(text: string, options: YamlOptions) {
    this.#text = text;
    this.#depth = options.depth ?? DEFAULT_DEPTH;
    this.#aliasBudget = options.aliasBytes ?? DEFAULT_ALIAS_BYTES;
  }

  decoded(): Decoded {
    if (this.#noJson !== undefined && holdsNoJson(this.#root))
      this.#fail("expected values that JSON has, found an infinity or no number", this.#noJson);
    const repeated = this.#repeated;
    if (repeated.length === 0) return { value: this.#root, duplicates: [] };
    const lines = linesOf(
      this.#text,
      repeated.map(({ at }) => at),
    );
    const faults = repeated.map(({ key, at }) => `line ${lines.get(at)}: key ${key} already set in map`);
    return {
      value: this.#root,
      duplicates: repeated.map(({ way }) => pathText(way)),
      unmarshalErrors: `yaml: unmarshal errors:\n  ${faults.join("\n  ")}`,
    };
  }

  scalar(text: string, isImplicit: boolean, head: NodeHead): void {
    const { tag, anchor, at } = head;
    let value: Value = text;
    if (tag !== undefined) value = resolveTagged(tag, text, (problem) => this.#fail(problem, at));
    else if (isImplicit) value = resolvePlain(text);
    const isText = typeof value === "string";
    const key = isText ? undefined : () => keyName(value, text, tag);
    if (anchor !== undefined) this.#anchors.set(anchor, { ...OPEN, value, weight: 1, key });
    const frame = this.#frames.at(-1);
    this.#nodes++;
    if (!frame || !isKeyNext(frame)) return this.#value(value, 0, 1, at);
    frame.isMerge = text === "<<" && (isImplicit || tag === MERGE_TAG);
    if (!frame.isMerge) frame.weight++;
    frame.key = isText ? { name: value as string, shown: undefined } : (key!() ?? this.#noKey(value, at));
  }

  map(head: NodeHead): void {
    this.#open({}, head);
  }

  list(head: NodeHead): void {
    this.#open([], head);
  }

  alias(name: string, at: number): void {
    const anchor = this.#anchors.get(name);
    if (!anchor) this.#fail("unknown anchor referenced", at);
    const { value, weight } = anchor;
    if (value === undefined) this.#fail("anchor value contains itself", at);
    this.#checkDepth(this.#frames.length + anchor.height);
    this.#nodes += weight + 1;
    this.#aliased += weight;
    if (this.#aliased > 100 && this.#nodes > 1000 && this.#aliased / this.#nodes > mostAliased(this.#nodes))
      this.#fail("document contains excessive aliasing", at);
    this.#aliasBudget -= sizeUpTo(value, this.#aliasBudget);
    if (this.#aliasBudget < 0) {
      throw new DecodeError("tooLarge", "Expected YAML aliases to stand for little, found too much");
    }
    const frame = this.#frames.at(-1);
    if (frame && isKeyNext(frame)) {
      frame.weight += weight + 1;
      frame.key =
        typeof value === "string" ? { name: value, shown: undefined } : (anchor.key?.() ?? this.#noKey(value, at));
      return;
    }
    this.#repeatInside(anchor);
    const copy = clone(value);
    if (anchor.places) this.#places.set(copy as ValueObject, anchor.places);
    if (frame?.isMerge && !isObject(value)) this.#noMap(at);
    this.#value(copy, anchor.height, weight + 1, at);
  }

  end(): void {
    const { container, head, height, weight, places, open, repeatedBefore } = this.#frames.pop()!;
    // A node inside may have taken the name of the anchor.
    if (head.anchor !== undefined && this.#anchors.get(head.anchor) === open) {
      const inside = { from: repeatedBefore, to: this.#repeated.length, level: this.#frames.length };
      this.#anchors.set(head.anchor, { value: container, height, weight, key: undefined, places, inside });
    }
    if (places) this.#places.set(container as ValueObject, places);
    const frame = this.#frames.at(-1);
    if (frame && isKeyNext(frame)) this.#noKey(container, head.at);
    this.#value(container, height, weight, head.at);
  }

  #fail(problem: string, at: number): never {
    throw yamlError(this.#text, at, problem);
  }

  #noKey(value: Value, at: number): never {
    const found = value === null ? "null" : Array.isArray(value) ? "a list" : isObject(value) ? "a map" : "this number";
    return this.#fail(`invalid map key: expected a text, a number of 64 bits, true or false, found ${found}`, at);
  }

  #noMap(at: number): never {
    return this.#fail("map merge requires map or sequence of maps as the value", at);
  }

  #open(container: Value[] | ValueObject, head: NodeHead): void {
    const open = head.anchor === undefined ? OPEN : { ...OPEN };
    if (head.anchor !== undefined) this.#anchors.set(head.anchor, open);
    this.#checkDepth(this.#frames.length + 1);
    this.#nodes++;
    const mayBeMerged = !Array.isArray(container) && (head.anchor !== undefined || this.#isInMerge());
    const places = mayBeMerged ? new Map<string, Place>() : undefined;
    const repeatedBefore = this.#repeated.length;
    const begun = { key: undefined, isMerge: false, height: 1, weight: 1 };
    this.#frames.push({ container, head, ...begun, places, open, repeatedBefore });
  }

  /** Whether the next value is merged: it is that of a merge key, or in a list that is. */
  #isInMerge(): boolean {
    const frame = this.#frames.at(-1);
    if (frame && Array.isArray(frame.container)) return this.#frames.at(-2)?.isMerge ?? false;
    return frame?.isMerge ?? false;
  }

  #checkDepth(depth: number): void {
    const limit = this.#depth;
    if (depth > limit) throw new DecodeError("tooDeep", `Expected values nested at most ${limit} deep, found more`);
  }

  /** Hands a finished value to the container that is open: as an element, or as the value of the last key. */
  #value(value: Value, height: number, weight: number, at: number): void {
    const frame = this.#frames.at(-1);
    if (isNoJsonNumber(value)) this.#noJson ??= at;
    if (!frame) {
      this.#root = value;
      return;
    }
    if (height >= frame.height) frame.height = height + 1;
    frame.weight += weight;
    const { container, key } = frame;
    if (Array.isArray(container)) {
      if (this.#isInMerge() && !isObject(value)) this.#noMap(at);
      container.push(value);
      return;
    }
    if (frame.isMerge) this.#merge(frame, value, at);
    else this.#set(frame, key!, value, at);
    frame.key = undefined;
    frame.isMerge = false;
  }

  /** A merge key: the members of a map, or of several maps of which the first wins. */
  #merge(frame: Frame, value: Value, at: number): void {
    const maps = Array.isArray(value) ? value.toReversed() : [value];
    for (const map of maps) {
      if (!isObject(map)) this.#noMap(at);
      const places = this.#places.get(map);
      for (const name of Object.keys(map)) {
        const place = places?.get(name);
        this.#set(frame, place?.key ?? { name, shown: undefined }, map[name]!, place?.at ?? at);
      }
    }
  }

  #set(frame: Frame, key: KeyName, value: Value, at: number): void {
    const { name, shown } = key;
    const map = frame.container as ValueObject;
    if (Object.hasOwn(map, name) && this.#repeated.length < MAX_DUPLICATES) {
      const way = [...this.#steps(this.#frames.length - 1), name];
      this.#repeated.push({ way, key: shown ?? quoted(name), at });
    }
    frame.places?.set(name, { key, at });
    setMember(map, name, value);
  }

  /** Tells again what is repeated inside of an anchor, as far as anything more is told. */
  #repeatInside({ inside: { from, to, level } }: Anchor): void {
    const most = Math.min(to, from + MAX_DUPLICATES - this.#repeated.length);
    if (from >= most) return;
    const here = this.#steps(this.#frames.length - (this.#frames.at(-1)?.isMerge ? 1 : 0));
    for (const { way, key, at } of this.#repeated.slice(from, most))
      this.#repeated.push({ way: [...here, ...way.slice(level)], key, at });
  }

  /** The way to the container that is open at a level, or to the value that comes next in the innermost. */
  #steps(level: number): Step[] {
    return this.#frames
      .slice(0, level)
      .map(({ container, key }) => (Array.isArray(container) ? container.length : (key?.name ?? "")));
  }
}

const isKeyNext = ({ container, key }: Frame): boolean => key === undefined && !Array.isArray(container);

const FEW_NODES = 400_000;
const MANY_NODES = 4_000_000;

/** Which part of so many nodes may come from aliases, by the rule of the reader in Go. */
function mostAliased(nodes: number): number {
  if (nodes <= FEW_NODES) return 0.99;
  return nodes >= MANY_NODES ? 0.1 : 0.99 - (0.89 * (nodes - FEW_NODES)) / (MANY_NODES - FEW_NODES);
}

/** Whether a value has an infinity or NaN in it; another may have taken the place of one. */
function holdsNoJson(value: Value): boolean {
  if (Array.isArray(value)) return value.some(holdsNoJson);
  return isObject(value) ? Object.values(value).some(holdsNoJson) : isNoJsonNumber(value);
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
