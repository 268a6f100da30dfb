/**
 * Path elements: one step from a container to something in it.
 *
 * An element is a string in the form that `fieldsV1` has on the wire (DEC-14), so sets of paths need no translation:
 *
 * - `f:<name>` a field of a struct or a key of a map,
 * - `k:{"key":"value"}` the entry of a keyed list whose key fields have these values, sorted by name,
 * - `v:<json>` the element of a set with this value,
 * - `i:<n>` the element of a list at this position (read, never produced).
 *
 * Elements are canonical: two mean the same exactly when their strings are equal. A name never collides with
 * `__proto__` or `constructor`, because every element has its prefix.
 *
 * @module
 */
import { goString } from "../../value/html-safe.ts";
import { MEMBERS_A_STEP, type Steps } from "../../util/steps.ts";
import { isContainer } from "../../value/value.ts";
import type { Value } from "../../value/value.ts";

/** One step of a path, in canonical wire form: `f:…`, `k:…`, `v:…` or `i:…`. */
export type PathElement = string;

/** A path from the root of an object: outermost element first. */
export type Path = readonly PathElement[];

/**
 * A cache of the elements of fields by their names, which repeat with every object of a kind: a string that has been a
 * property name before is looked up faster than a new one. A full cache is cleared.
 */
const fields = new Map<string, PathElement>();
const MAX_CACHED_FIELDS = 4096;
const MAX_FIELD_LENGTH = 64;

/** The element of a struct field or map key. */
export function fieldElement(name: string): PathElement {
  const known = fields.get(name);
  if (known !== undefined) return known;
  const element = "f:" + name;
  if (name.length <= MAX_FIELD_LENGTH) {
    if (fields.size >= MAX_CACHED_FIELDS) fields.clear();
    fields.set(name, element);
  }
  return element;
}

/** The element of a set entry. */
export const valueElement = (value: Value): PathElement => "v:" + canonicalJson(value);

/** The element of a list entry by position. */
export const indexElement = (index: number): PathElement => "i:" + index;

/** The element of a keyed list entry; `names` are the key fields that it has, sorted, with their `values`. */
export function keyElement(names: readonly string[], values: readonly Value[]): PathElement {
  let text = "k:{";
  for (let i = 0; i < names.length; i++) {
    text += (i === 0 ? "" : ",") + quote(names[i]!) + ":" + canonicalJson(values[i]!);
  }
  return text + "}";
}

/** A JSON string as in FieldsV1 keys: `<`, `>`, `&` and the line separators are escaped too. */
const quote = (text: string): string => (isPlain(text) ? '"' + text + '"' : goString(text));

/** Whether a text needs no escapes; most names do not. Long texts are not examined. */
function isPlain(text: string): boolean {
  if (text.length > 64) return false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 32 || unit >= 0x2028 || unit === 34 || unit === 92 || unit === 60 || unit === 62 || unit === 38)
      return false;
  }
  return true;
}

function canonicalJson(value: Value): string {
  if (typeof value === "string") return quote(value);
  if (!isContainer(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return "[" + value.map(canonicalJson).join(",") + "]";
  const names = Object.keys(value).sort(compareText);
  return "{" + names.map((name) => quote(name) + ":" + canonicalJson(value[name]!)).join(",") + "}";
}

/** An element by its parts. */
export type ParsedElement =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "key"; readonly names: readonly string[]; readonly values: readonly Value[] }
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "index"; readonly index: number };

/**
 * Parses an element; undefined when the text is none.
 *
 * The text need not be canonical: `k:` texts may have blanks and any order of fields.
 */
export function parseElement(text: string): ParsedElement | undefined {
  if (text.charCodeAt(1) !== 58) return undefined;
  const rest = text.slice(2);
  switch (text[0]) {
    case "f":
      return { kind: "field", name: rest };
    case "i":
      return /^[+-]?\d{1,15}$/.test(rest) ? { kind: "index", index: Number(rest) } : undefined;
    case "v": {
      const value = parseJson(rest);
      return value === undefined ? undefined : { kind: "value", value };
    }
    case "k": {
      const value = parseJson(rest);
      if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
      const names = Object.keys(value).sort(compareText);
      return { kind: "key", names, values: names.map((name) => value[name]!) };
    }
    default:
      return undefined;
  }
}

function parseJson(text: string): Value | undefined {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return undefined;
  }
}

/** The canonical text of an element that a client or an older server wrote; undefined when it is malformed. */
export function canonicalElement(text: string): PathElement | undefined {
  const parsed = parseElement(text);
  switch (parsed?.kind) {
    case undefined:
      return undefined;
    case "field":
      return text;
    case "index":
      return indexElement(parsed.index);
    case "value":
      return valueElement(parsed.value);
    case "key":
      return keyElement(parsed.names, parsed.values);
  }
}

/** The letter of fields, which come first. */
const FIELD = 102;
const RANK: Readonly<Record<string, number>> = { f: 0, k: 1, v: 2, i: 3 };

/** The order of elements in a tree: fields, keys, values, indexes; elements of one sort by their content. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  const isField = a.charCodeAt(0) === FIELD;
  if (isField !== (b.charCodeAt(0) === FIELD)) return isField ? -1 : 1;
  if (isField) return compareText(a, b);
  const rank = RANK[a[0]!]! - RANK[b[0]!]!;
  if (rank !== 0) return rank;
  return compareParsed(a, parsedElement(a), b, parsedElement(b));
}

/** A cache of parsed elements, which are few and repeat with every object of a kind. A full cache is cleared. */
const remembered = new Map<PathElement, ParsedElement | undefined>();
const MAX_CACHED_ELEMENTS = 4096;
const MAX_CACHED_LENGTH = 256;

/** {@link parseElement} with a cache. */
function parsedElement(element: PathElement): ParsedElement | undefined {
  if (element.length > MAX_CACHED_LENGTH) return parseElement(element);
  let parsed = remembered.get(element);
  if (parsed === undefined && !remembered.has(element)) {
    parsed = parseElement(element);
    if (remembered.size >= MAX_CACHED_ELEMENTS) remembered.clear();
    remembered.set(element, parsed);
  }
  return parsed;
}

/** Elements in the order of {@link compareElements}; each is parsed once. */
export function* sortElements(elements: readonly PathElement[]): Steps<PathElement[]> {
  if (elements.length < 2) return [...elements];
  const parsed = new Map<PathElement, ParsedElement | undefined>();
  for (const element of elements) {
    parsed.set(element, parsedElement(element));
    if (parsed.size % MEMBERS_A_STEP === 0) yield;
  }
  const order = (a: PathElement, b: PathElement): number =>
    RANK[a[0]!]! - RANK[b[0]!]! || compareParsed(a, parsed.get(a), b, parsed.get(b));
  return elements.toSorted(order);
}

function compareParsed(
  a: PathElement,
  pa: ParsedElement | undefined,
  b: PathElement,
  pb: ParsedElement | undefined,
): number {
  if (pa?.kind === "index" && pb?.kind === "index") return pa.index - pb.index;
  if (pa?.kind === "value" && pb?.kind === "value") return compareValues(pa.value, pb.value);
  if (pa?.kind === "key" && pb?.kind === "key") return compareKeys(pa, pb);
  return compareText(a, b);
}

type Key = Extract<ParsedElement, { kind: "key" }>;

function compareKeys(a: Key, b: Key): number {
  for (let i = 0; i < a.names.length && i < b.names.length; i++) {
    const order = compareText(a.names[i]!, b.names[i]!) || compareValues(a.values[i]!, b.values[i]!);
    if (order !== 0) return order;
  }
  return a.names.length - b.names.length;
}

const typeRank = (value: Value): number =>
  typeof value === "number"
    ? 0
    : typeof value === "string"
      ? 1
      : typeof value === "boolean"
        ? 2
        : value === null
          ? 4
          : 3;

function compareValues(a: Value, b: Value): number {
  const rank = typeRank(a) - typeRank(b);
  if (rank !== 0) return rank;
  if (typeof a === "number" || typeof a === "boolean") return Number(a) - Number(b);
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  return compareText(canonicalJson(a), canonicalJson(b));
}

const SURROGATE = /[\ud800-\udfff]/;

/** Texts in the order of {@link compareText}, which is that of their code units if they have no surrogates. */
export const sortTexts = (texts: readonly string[]): string[] =>
  texts.some((text) => SURROGATE.test(text)) ? texts.toSorted(compareText) : texts.toSorted();

/** The order of the UTF-8 bytes of two texts, which is the order of code points. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // Surrogates encode code points above the rest of the plane.
    const high = Number(isSurrogate(x)) - Number(isSurrogate(y));
    return high === 0 ? x - y : high;
  }
  return a.length - b.length;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;

/** An element as people read it: `.name`, `[name="d1"]`, `[="x"]`, `[3]`. */
export function elementToString(element: PathElement): string {
  const parsed = parseElement(element);
  switch (parsed?.kind) {
    case "field":
      return "." + parsed.name;
    case "index":
      return `[${parsed.index}]`;
    case "value":
      return `[=${JSON.stringify(parsed.value)}]`;
    case "key":
      return `[${parsed.names.map((name, i) => `${name}=${JSON.stringify(parsed.values[i])}`).join(",")}]`;
    case undefined:
      return `{${element}}`;
  }
}

/** A path as conflict causes name it: `.data.k`, `.spec.drivers[name="d1"].nodeID`, `.metadata.finalizers[="x"]` (DEC-20). */
export const pathToString = (path: Path): string => path.map(elementToString).join("");
