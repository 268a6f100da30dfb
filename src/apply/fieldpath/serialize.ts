import { canonicalElement, compareElements, sortElements, sortTexts } from "./element.ts";
import type { PathElement } from "./element.ts";
import { MEMBERS_A_STEP, type Steps, type Work, atOnce } from "../../util/steps.ts";
import { isSmall } from "../../value/small.ts";
import { EMPTY, isEmpty, SELF } from "./set.ts";
import type { FieldSet, MutableSet } from "./set.ts";

/** An invalid `fieldsV1` tree: a member without a prefix, a key that is no JSON, a node that is no object. */
export class FieldsError extends Error {
  override readonly name = "FieldsError";
}

/** Trees deeper than this are refused. Bodies may be a thousand levels deep, and so may the trees about them. */
const MAX_DEPTH = 2500;

/**
 * Reads a `fieldsV1` tree as a set; returns the tree itself if it is canonical, as nearly all are.
 *
 * Members with an unknown letter before the colon are left out: a later release may define them.
 *
 * @throws {FieldsError} for anything else that is not a tree of path elements
 */
export function parseFields(tree: unknown): FieldSet {
  if (tree === undefined || tree === null) return EMPTY;
  if (typeof tree !== "object") throw new FieldsError(`Expected fieldsV1 to be an object, got ${typeof tree}`);
  const set = parseNode(tree, 0);
  // The root is not a path.
  if (set[SELF] === undefined) return set;
  const { [SELF]: _, ...rest } = set;
  return rest;
}

function parseNode(tree: unknown, depth: number): FieldSet {
  if (tree === null) return EMPTY;
  if (typeof tree !== "object" || Array.isArray(tree)) {
    throw new FieldsError(`Expected a node of fieldsV1 to be an object, got ${JSON.stringify(tree)}`);
  }
  if (depth > MAX_DEPTH) throw new FieldsError(`Expected at most ${MAX_DEPTH} levels in fieldsV1`);
  const source = tree as Readonly<Record<string, unknown>>;
  let canonical = true;
  let changed: MutableSet | undefined;
  let children = 0;
  for (const name in source) {
    const element = name === SELF ? SELF : memberElement(name);
    const child = element === undefined || element === SELF ? EMPTY : parseNode(source[name], depth + 1);
    if (element !== undefined && element !== SELF) children++;
    if (element !== name || (child !== source[name] && element !== SELF)) canonical = false;
    if (canonical) continue;
    changed ??= before(source, name);
    if (element !== undefined) changed[element] = child;
  }
  if (children === 0) return isEmpty(source as FieldSet) ? (source as FieldSet) : EMPTY;
  return changed ?? (source as unknown as FieldSet);
}

/** The members of `source` before `name`, all of which are canonical. */
function before(source: Readonly<Record<string, unknown>>, name: string): MutableSet {
  const copy: MutableSet = {};
  for (const key in source) {
    if (key === name) break;
    copy[key] = source[key] as FieldSet;
  }
  return copy;
}

/** A cache of elements, which are few and repeat with every object of a kind. A full cache is cleared. */
const elements = new Map<string, PathElement>();
const MAX_CACHED_ELEMENTS = 4096;
const MAX_CACHED_LENGTH = 256;

/** The canonical element of a member; undefined for one of an unknown kind. */
function memberElement(name: string): PathElement | undefined {
  if (name.charCodeAt(1) !== 58) {
    throw new FieldsError(`Expected a member of fieldsV1 to begin with f:, k:, v: or i:, got ${JSON.stringify(name)}`);
  }
  const letter = name.charCodeAt(0);
  if (letter === 102) return name;
  if (letter !== 107 && letter !== 118 && letter !== 105) return undefined;
  let element = elements.get(name);
  if (element === undefined) {
    element = canonicalElement(name);
    if (element === undefined) {
      throw new FieldsError(`Expected a member of fieldsV1 to have JSON after its prefix, got ${JSON.stringify(name)}`);
    }
    if (name.length > MAX_CACHED_LENGTH) return element;
    if (elements.size >= MAX_CACHED_ELEMENTS) elements.clear();
    elements.set(name, element);
  }
  return element;
}

/** The tree of a set with its members in the one order: `.`, then as {@link compareElements}; the set itself if sorted. */
export const toFieldsV1 = (set: FieldSet): FieldSet => atOnce(fieldsV1Work(set));

/** {@link toFieldsV1}, in steps where the set is large. */
export const fieldsV1Work = (set: FieldSet): Work<FieldSet> => (isSmall(set) ? sorted(set) : sortedSteps(set));

/** {@link sorted} in steps between the members of what is large. */
function* sortedSteps(node: FieldSet): Steps<FieldSet> {
  if (isSmall(node)) return sorted(node);
  const changed = new Map<string, FieldSet>();
  let previous: string | undefined;
  let inOrder = true;
  let members = 0;
  for (const element in node) {
    const child = node[element]!;
    const done = element === SELF || isSmall(child) ? sorted(child) : yield* sortedSteps(child);
    if (done !== child) changed.set(element, done);
    inOrder &&= previous === undefined || compareMembers(previous, element) < 0;
    previous = element;
    if (++members % MEMBERS_A_STEP === 0) yield;
  }
  if (inOrder && changed.size === 0) return node;
  const names = Object.keys(node);
  const copy: MutableSet = {};
  for (const element of inOrder ? names : yield* sortMembers(names)) {
    copy[element] = changed.get(element) ?? node[element]!;
  }
  return copy;
}

function sorted(node: FieldSet): FieldSet {
  let previous: string | undefined;
  let inOrder = true;
  let changed: Map<string, FieldSet> | undefined;
  for (const element in node) {
    const child = node[element]!;
    const done = element === SELF ? child : sorted(child);
    if (done !== child) (changed ??= new Map()).set(element, done);
    inOrder &&= previous === undefined || compareMembers(previous, element) < 0;
    previous = element;
  }
  if (inOrder && changed === undefined) return node;
  const names = Object.keys(node);
  const copy: MutableSet = {};
  for (const element of inOrder ? names : sortNames(names)) copy[element] = changed?.get(element) ?? node[element]!;
  return copy;
}

const compareMembers = (a: string, b: string): number => (a === SELF ? -1 : b === SELF ? 1 : compareElements(a, b));

/** Whether a member has to be parsed to be sorted. */
const isOther = (name: string): boolean => name !== SELF && !name.startsWith("f:");

/** The members of a small node in their order; fields are sorted in place, others are parsed once each. */
const sortNames = (names: string[]): readonly string[] =>
  names.some(isOther) ? atOnce(sortMembers(names)) : names.sort(compareMembers);

/** The members of a node in their order; a node may have as many as an object has members. */
function* sortMembers(names: readonly string[]): Steps<string[]> {
  const others = yield* sortElements(names.filter(isOther));
  return [...sortTexts(names.filter((name) => !isOther(name))), ...others];
}
