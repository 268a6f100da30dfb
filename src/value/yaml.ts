/**
 * A decoder of YAML that reads as kube-apiserver and kubectl do, with `sigs.k8s.io/yaml` and the parser of libyaml: the first
 * document only, the grammar and the scalars of YAML 1.1 ({@link resolvePlain}), merge keys, anchors, and member names of any
 * scalar. It reads bodies of requests, files of the command line and of the testing kit, and files of settings.
 *
 * `yaml-scan.ts` makes tokens of the text, `yaml-parse.ts` nodes of the tokens, and this file values of the nodes. Aliases are
 * copied within a budget of bytes (CVE-2019-11253).
 *
 * A document takes some 0.05 µs per byte, the worst one 0.2 µs. So that no request delays the others, the server decodes
 * documents beyond {@link YAML_INLINE_LIMIT} in a worker thread: {@link decodeYamlInline} returns undefined for them, and the
 * worker calls {@link decodeYaml}.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { assert } from "../util/assert.ts";
import { goQuoted } from "../util/go-quote.ts";
import { andThen, atOnce, MEMBERS_A_STEP, type Steps, whenLarge, type Work } from "../util/steps.ts";
import { DecodeError, DEFAULT_DEPTH, type Decoded, MAX_DUPLICATES, pathText, type Step } from "./decode-error.ts";
import { isPlainJson } from "./json.ts";
import { decodeUtf8 } from "./utf8.ts";
import { clone, isObject, setMember, type Value, type ValueObject } from "./value.ts";
import { linesOf, yamlError } from "./yaml-error.ts";
import { type NodeBuilder, type NodeHead, parseYaml } from "./yaml-parse.ts";
import { isNoJsonNumber, type KeyName, keyName, MERGE_TAG, resolvePlain, resolveTagged } from "./yaml-scalar.ts";

/** The largest YAML text in bytes that is parsed on the main thread: the worst known document takes less than 100 ms. */
export const YAML_INLINE_LIMIT = 131_072;

/** Options of {@link decodeYaml}. */
export interface YamlOptions {
  /** The largest depth of nested containers; default {@link DEFAULT_DEPTH}. */
  readonly depth?: number;
  /** The largest size of the values of all aliases, in bytes of JSON; default 1 MiB. */
  readonly aliasBytes?: number;
  /**
   * Whether escapes of JSON that YAML 1.1 does not have are accepted: `\\/`, and surrogate pairs such as `\\ud83d\\ude00`
   * (APPLY-3, AMB-39). Default false: they are refused, as kube-apiserver refuses them.
   */
  readonly jsonEscapes?: boolean;
}

const DEFAULT_ALIAS_BYTES = 1 << 20;

/**
 * Decodes the first document of a YAML text; a text without documents is null.
 *
 * JSON is YAML: a text that begins with `{` is decoded as JSON where that loses nothing. Duplicate members, also those of a
 * merge key, are reported; the last one wins and nothing is merged.
 *
 * @throws DecodeError for a text that is no YAML, has no JSON form, or is beyond a limit
 */
export function decodeYaml(bytes: Uint8Array | string, options: YamlOptions = {}): Decoded {
  const source = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
  return atOnce(jsonWork(source, options)) ?? atOnce(documentSteps(textOf(bytes), options));
}

/** Decodes a text that is short enough for the main thread, in steps; undefined for one that needs a worker thread. */
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

/** An escape that YAML 1.1 does not have, after its backslash. */
const JSON_ESCAPE = /^(?:\/|u[dD][89a-fA-F])/;

/** Whether the text of a JSON document has an escape that YAML 1.1 does not have. */
function hasJsonEscape(text: string): boolean {
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", at + 2)) {
    if (JSON_ESCAPE.test(text.slice(at + 1, at + 4))) return true;
  }
  return false;
}

/** Characters that JSON accepts, and that are invalid or line breaks in YAML. */
// eslint-disable-next-line no-control-regex -- it searches for control characters
const UNLIKE_JSON = /[\u007f-\u009f\u2028\u2029\ufffe\uffff]/;

/** Whether the blank lines at the end contain a tab, which JSON allows. */
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

/** Decodes a document that is a JSON object and has the same value in YAML, a large one in steps; undefined for any other. */
function jsonWork(bytes: Uint8Array, options: YamlOptions): Work<Decoded | undefined> {
  if (!beginsLikeJson(bytes) || endsUnlikeJson(bytes)) return undefined;
  const isLarge = bytes.length > YAML_INLINE_LIMIT;
  const plain = isPlainJson(bytes, options.depth === undefined ? {} : { depth: options.depth });
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

/** The text of a document that has the same value in YAML and in JSON. */
function textLikeJson(bytes: Uint8Array, options: YamlOptions): string | undefined {
  const text = decodeUtf8(bytes);
  const isAscii = text.length === bytes.length;
  if (isAscii ? text.includes("\u007f") : UNLIKE_JSON.test(text)) return undefined;
  return !options.jsonEscapes && hasJsonEscape(text) ? undefined : text;
}

/** Invalid characters of YAML: controls other than tabs and line breaks, and noncharacters. */
// eslint-disable-next-line no-control-regex -- it searches for control characters
const NO_YAML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/;

function* documentSteps(text: string, options: YamlOptions): Steps<Decoded> {
  const bad = text.search(NO_YAML);
  if (bad >= 0) throw yamlError(text, bad, "control characters are not allowed");
  if (!text.isWellFormed())
    throw new DecodeError("invalidUtf8", "Expected a YAML text of Unicode characters, found a lone surrogate");
  const builder = new Builder(text, options);
  yield* parseYaml(`${text}\0`, builder, { jsonEscapes: options.jsonEscapes ?? false });
  return builder.decoded();
}

/** An open container. */
interface Frame {
  readonly container: Value[] | ValueObject;
  readonly head: NodeHead;
  /** The key of the next value. */
  key: KeyName | undefined;
  isMerge: boolean;
  /** The number of levels below it so far. */
  height: number;
  /** The number of its nodes, with those of aliases. */
  weight: number;
  /** The members of a map that may be merged into another one. */
  readonly members: Map<string, Member> | undefined;
  /** The value of its anchor until it ends. */
  readonly open: Anchor;
  /** How many members were duplicates before it began. */
  readonly repeatedBefore: number;
}

/** The key of a member, and the index of its value. */
interface Member {
  readonly key: KeyName;
  readonly at: number;
}

/** The value of an anchor, undefined while its container is open. */
interface Anchor {
  readonly value: Value | undefined;
  readonly height: number;
  readonly weight: number;
  /** Returns the key that a scalar is. */
  readonly key: (() => KeyName | undefined) | undefined;
  readonly members: Map<string, Member> | undefined;
  /** The range of the duplicates inside, and the length of the path to it: each alias repeats them. */
  readonly inside: { readonly from: number; readonly to: number; readonly level: number };
}

const OPEN: Anchor = {
  value: undefined,
  height: 0,
  weight: 0,
  key: undefined,
  members: undefined,
  inside: { from: 0, to: 0, level: 0 },
};

/** A duplicate member: its path, its key as Go prints it, and the index of its value. */
interface Repeated {
  readonly path: readonly Step[];
  readonly key: string;
  readonly at: number;
}

/** Builds the value of one document from its nodes. */
class Builder implements NodeBuilder {
  readonly #text: string;
  readonly #depth: number;
  readonly #frames: Frame[] = [];
  readonly #anchors = new Map<string, Anchor>();
  readonly #repeated: Repeated[] = [];
  /** The members of maps that may be merged. */
  readonly #members = new Map<Value, ReadonlyMap<string, Member>>();
  #aliasBudget: number;
  /** The number of nodes so far, and of those from aliases. */
  #nodes = 0;
  #aliased = 0;
  /** The number of nodes that were copied since the last pause. */
  #copied = 0;
  #rest: Steps<void> | undefined;
  #root: Value = null;
  /** The index of the first value that JSON does not have. */
  #noJson: number | undefined;

  constructor(text: string, options: YamlOptions) {
    this.#text = text;
    this.#depth = options.depth ?? DEFAULT_DEPTH;
    this.#aliasBudget = options.aliasBytes ?? DEFAULT_ALIAS_BYTES;
  }

  decoded(): Decoded {
    if (this.#noJson !== undefined && holdsNoJson(this.#root))
      this.#fail("expected values of JSON, found an infinity or NaN", this.#noJson);
    const repeated = this.#repeated;
    if (repeated.length === 0) return { value: this.#root, duplicates: [] };
    const lines = linesOf(
      this.#text,
      repeated.map(({ at }) => at),
    );
    const errors = repeated.map(({ key, at }) => `line ${lines.get(at)}: key ${key} already set in map`);
    return {
      value: this.#root,
      duplicates: repeated.map(({ path }) => pathText(path)),
      unmarshalErrors: `yaml: unmarshal errors:\n  ${errors.join("\n  ")}`,
    };
  }

  scalar(text: string, isImplicit: boolean, head: NodeHead): void {
    const { tag, anchor, at } = head;
    let value: Value = text;
    if (tag !== undefined) value = resolveTagged(tag, text, (problem) => this.#fail(problem, at));
    else if (isImplicit) value = resolvePlain(text);
    const key = () => (typeof value === "string" ? { name: value, shown: undefined } : keyName(value, text, tag));
    if (anchor !== undefined) this.#anchors.set(anchor, { ...OPEN, value, weight: 1, key });
    const frame = this.#frames.at(-1);
    this.#nodes++;
    if (!frame || !isKeyNext(frame)) return this.#value(value, 0, 1, at);
    frame.isMerge = text === "<<" && (isImplicit || tag === MERGE_TAG);
    if (!frame.isMerge) frame.weight++;
    frame.key = key() ?? this.#failKey(value, at);
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
    if (this.#aliased > 100 && this.#nodes > 1000 && this.#aliased / this.#nodes > maxAliasedShare(this.#nodes))
      this.#fail("document contains excessive aliasing", at);
    this.#aliasBudget -= sizeUpTo(value, this.#aliasBudget);
    if (this.#aliasBudget < 0) {
      throw new DecodeError("tooLarge", "Expected small values of YAML aliases, found too large ones");
    }
    const frame = this.#frames.at(-1);
    if (frame && isKeyNext(frame)) {
      frame.weight += weight + 1;
      frame.key = anchor.key?.() ?? this.#failKey(value, at);
      return;
    }
    this.#repeatInside(anchor);
    const copy = clone(value);
    if (anchor.members) this.#members.set(copy, anchor.members);
    if (frame?.isMerge && !isObject(value)) this.#failMerge(at);
    this.#value(copy, anchor.height, weight + 1, at);
    this.#copied += weight;
    if (this.#copied < MEMBERS_A_STEP) return;
    this.#copied = 0;
    this.#rest ??= pause();
  }

  takeRest(): Steps<void> | undefined {
    const rest = this.#rest;
    this.#rest = undefined;
    return rest;
  }

  end(): void {
    const ended = this.#frames.pop();
    assert(ended, "a container is open");
    const { container, head, height, weight, members, open, repeatedBefore } = ended;
    // A node inside may have the same anchor.
    if (head.anchor !== undefined && this.#anchors.get(head.anchor) === open) {
      const inside = { from: repeatedBefore, to: this.#repeated.length, level: this.#frames.length };
      this.#anchors.set(head.anchor, { value: container, height, weight, key: undefined, members, inside });
    }
    if (members) this.#members.set(container, members);
    const frame = this.#frames.at(-1);
    if (frame && isKeyNext(frame)) this.#failKey(container, head.at);
    this.#value(container, height, weight, head.at);
  }

  #fail(problem: string, at: number): never {
    throw yamlError(this.#text, at, problem);
  }

  #failKey(value: Value, at: number): never {
    const found = value === null ? "null" : Array.isArray(value) ? "a list" : isObject(value) ? "a map" : "this number";
    return this.#fail(`invalid map key: expected a text, a number of 64 bits, true or false, found ${found}`, at);
  }

  #failMerge(at: number): never {
    return this.#fail("map merge requires map or sequence of maps as the value", at);
  }

  #open(container: Value[] | ValueObject, head: NodeHead): void {
    const open = head.anchor === undefined ? OPEN : { ...OPEN };
    if (head.anchor !== undefined) this.#anchors.set(head.anchor, open);
    this.#checkDepth(this.#frames.length + 1);
    this.#nodes++;
    const mayBeMerged = !Array.isArray(container) && (head.anchor !== undefined || this.#isInMerge());
    const members = mayBeMerged ? new Map<string, Member>() : undefined;
    const repeatedBefore = this.#repeated.length;
    const empty = { key: undefined, isMerge: false, height: 1, weight: 1 };
    this.#frames.push({ container, head, ...empty, members, open, repeatedBefore });
  }

  /** Whether the next value is that of a merge key, or in a list of one. */
  #isInMerge(): boolean {
    const frame = this.#frames.at(-1);
    if (frame && Array.isArray(frame.container)) return this.#frames.at(-2)?.isMerge ?? false;
    return frame?.isMerge ?? false;
  }

  #checkDepth(depth: number): void {
    const limit = this.#depth;
    if (depth > limit) throw new DecodeError("tooDeep", `Expected values nested at most ${limit} deep, found more`);
  }

  /** Adds a finished value to the open container: as an element, or as the value of the last key. */
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
      if (this.#isInMerge() && !isObject(value)) this.#failMerge(at);
      container.push(value);
      return;
    }
    if (frame.isMerge) this.#rest = this.#merge(frame, value, at);
    else if (key) this.#set(frame, key, value, at);
    frame.key = undefined;
    frame.isMerge = false;
  }

  /** Adds the members of a merge key: of a map, or of several maps of which the first wins. */
  *#merge(frame: Frame, value: Value, at: number): Steps<void> {
    const maps = Array.isArray(value) ? value.toReversed() : [value];
    let left = MEMBERS_A_STEP;
    for (const map of maps) {
      if (!isObject(map)) this.#failMerge(at);
      const members = this.#members.get(map);
      for (const [name, merged] of Object.entries(map)) {
        const member = members?.get(name);
        this.#set(frame, member?.key ?? { name, shown: undefined }, merged, member?.at ?? at);
        if (--left > 0) continue;
        left = MEMBERS_A_STEP;
        yield;
      }
    }
  }

  #set(frame: Frame, key: KeyName, value: Value, at: number): void {
    const { name, shown } = key;
    if (Object.hasOwn(frame.container, name) && this.#repeated.length < MAX_DUPLICATES) {
      const path = [...this.#path(this.#frames.length - 1), name];
      this.#repeated.push({ path, key: shown ?? goQuoted(name), at });
    }
    frame.members?.set(name, { key, at });
    setMember(frame.container, name, value);
  }

  /** Reports the duplicates inside of an anchor again, up to the limit. */
  #repeatInside({ inside: { from, to, level } }: Anchor): void {
    const end = Math.min(to, from + MAX_DUPLICATES - this.#repeated.length);
    if (from >= end) return;
    const here = this.#path(this.#frames.length - (this.#frames.at(-1)?.isMerge ? 1 : 0));
    for (const { path, key, at } of this.#repeated.slice(from, end)) {
      this.#repeated.push({ path: [...here, ...path.slice(level)], key, at });
    }
  }

  /** The path of the open container at a level, or of the next value of the innermost one. */
  #path(level: number): Step[] {
    return this.#frames
      .slice(0, level)
      .map(({ container, key }) => (Array.isArray(container) ? container.length : (key?.name ?? "")));
  }
}

function* pause(): Steps<void> {
  yield;
}

const isKeyNext = ({ container, key }: Frame): boolean => key === undefined && !Array.isArray(container);

const FEW_NODES = 400_000;
const MANY_NODES = 4_000_000;

/** The largest share of nodes from aliases, by the rule of the decoder in Go. */
function maxAliasedShare(nodes: number): number {
  if (nodes <= FEW_NODES) return 0.99;
  return nodes >= MANY_NODES ? 0.1 : 0.99 - (0.89 * (nodes - FEW_NODES)) / (MANY_NODES - FEW_NODES);
}

/** Whether a value contains an infinity or NaN; a later duplicate may have replaced one. */
function holdsNoJson(value: Value): boolean {
  if (Array.isArray(value)) return value.some(holdsNoJson);
  return isObject(value) ? Object.values(value).some(holdsNoJson) : isNoJsonNumber(value);
}

/** The approximate size of a value in bytes of JSON; stops beyond `limit`. */
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
  for (const [key, member] of Object.entries(value)) {
    if (size > limit) break;
    size += key.length + 4 + sizeUpTo(member, limit - size);
  }
  return size;
}
