/**
 * Sets of field paths: what a manager owns is such a set.
 *
 * A set is a trie in the form of a `fieldsV1` tree (DEC-14): a plain object whose members are path elements. Writes
 * compute with the stored form; nothing is parsed or built for them. A node is
 *
 * - `{}`: the path that leads here is in the set, nothing below it is;
 * - `{".": {}, …}`: the path is in the set, and so are paths below it;
 * - `{…}` without `.`: only paths below it are in the set.
 *
 * The root is the exception: `{}` is the empty set, and the object itself has no owner. Sets are immutable; operations
 * share the parts that they do not change, and return the operand itself when the result equals it. The order of
 * members means nothing here; `serialize.ts` sorts.
 *
 * This file knows nothing of values or schemas.
 *
 * @module
 */
import type { Path, PathElement } from "./element.ts";

/** A set of field paths, in the form of a `fieldsV1` tree. */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}

/** A set under construction, which is not shared yet. */
export interface MutableSet {
  [element: PathElement]: FieldSet;
}

/** The set without paths; below the root, the node of a path without members below it. */
export const EMPTY: FieldSet = Object.freeze({});

/** The member that marks the path of the node itself as one of the set. */
export const SELF = ".";

/** Whether a set has no path, or a node has nothing below it. */
export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Whether the path of a node (not the root) is in the set. */
export const isMember = (node: FieldSet): boolean => node[SELF] !== undefined || isEmpty(node);

/** Whether a node has paths below it. */
export function hasChildren(node: FieldSet): boolean {
  for (const element in node) if (element !== SELF) return true;
  return false;
}

/** The node of a child; elements have a prefix, so members of the prototype do not matter. */
export const childOf = (node: FieldSet, element: PathElement): FieldSet | undefined => node[element];

/** A node from the paths below it and whether its own path is in the set; undefined when there are neither. */
const node = (member: boolean, children: MutableSet | undefined): FieldSet | undefined => {
  if (children === undefined) return member ? EMPTY : undefined;
  if (member) children[SELF] = EMPTY;
  return children;
};

/** Whether `path` itself is in the set. */
export function has(set: FieldSet, path: Path): boolean {
  let at: FieldSet | undefined = set;
  for (const element of path) {
    at = at[element];
    if (at === undefined) return false;
  }
  return path.length > 0 && isMember(at);
}

/** The paths below `element`, relative to it; the empty set when there are none. */
export function withPrefix(set: FieldSet, element: PathElement): FieldSet {
  const child = set[element];
  if (child === undefined) return EMPTY;
  return child[SELF] === undefined ? child : withoutSelf(child);
}

function withoutSelf(child: FieldSet): FieldSet {
  const below: MutableSet = {};
  for (const element in child) if (element !== SELF) below[element] = child[element]!;
  return below;
}

/** The set with one path: `setOf(["f:data"], ["f:spec", "f:x"])`. */
export function setOf(...listed: readonly Path[]): FieldSet {
  return listed.reduce((set, path) => union(set, chain(path)), EMPTY);
}

const chain = (path: Path): FieldSet => path.reduceRight((below, element) => ({ [element]: below }), EMPTY);

/** Every path of either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmpty(b)) return a;
  if (isEmpty(a)) return b;
  return uniteChildren(a, b, false);
}

/** Unites two non-empty nodes or roots. `member`: whether the result is itself in the set. */
function uniteChildren(a: FieldSet, b: FieldSet, member: boolean): FieldSet {
  let result: MutableSet | undefined;
  for (const element in b) {
    if (element === SELF) continue;
    const was = a[element];
    const now = was === undefined ? b[element]! : uniteNodes(was, b[element]!);
    if (now !== was) (result ??= { ...a })[element] = now;
  }
  if (member && a[SELF] === undefined) (result ??= { ...a })[SELF] = EMPTY;
  return result ?? a;
}

function uniteNodes(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const emptyA = isEmpty(a);
  if (isEmpty(b)) return emptyA || a[SELF] !== undefined ? a : { ...a, [SELF]: EMPTY };
  if (emptyA) return b[SELF] !== undefined ? b : { ...b, [SELF]: EMPTY };
  return uniteChildren(a, b, b[SELF] !== undefined);
}

/** Every path of any of the sets; visits each of their members once. */
export function unionAll(sets: readonly FieldSet[]): FieldSet {
  if (sets.length < 2) return sets[0] ?? EMPTY;
  const parts = new Map<PathElement, FieldSet[]>();
  for (const set of sets) {
    for (const element in set) {
      if (element === SELF) continue;
      const known = parts.get(element);
      if (known) known.push(set[element]!);
      else parts.set(element, [set[element]!]);
    }
  }
  const all: MutableSet = {};
  for (const [element, nodes] of parts) all[element] = uniteAllNodes(nodes);
  return all;
}

function uniteAllNodes(nodes: readonly FieldSet[]): FieldSet {
  const [first] = nodes;
  if (nodes.every((other) => other === first)) return first!;
  const below = unionAll(nodes.filter(hasChildren));
  if (!nodes.some(isMember) || isEmpty(below) || below[SELF] !== undefined) return below;
  return { ...below, [SELF]: EMPTY };
}

/** Every path of both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  return commonChildren(a, b) ?? EMPTY;
}

function commonChildren(a: FieldSet, b: FieldSet): MutableSet | undefined {
  let result: MutableSet | undefined;
  for (const element in a) {
    if (element === SELF) continue;
    const other = b[element];
    if (other === undefined) continue;
    const mine = a[element]!;
    const both = mine === other ? mine : node(isMember(mine) && isMember(other), commonChildren(mine, other));
    if (both !== undefined) (result ??= {})[element] = both;
  }
  return result;
}

/**
 * The paths of `a` that are not in `b`.
 *
 * Only the very paths count: `.a.b` stays when `b` has `.a`. See {@link recursiveDifference}.
 */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return without(a, b, subtractNode) ?? EMPTY;
}

/** The paths of `a` that are neither in `b` nor below a path of `b`: `.a.b` is removed when `b` has `.a`. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return without(a, b, (mine, other) => (isMember(other) ? undefined : subtractBelow(mine, other))) ?? EMPTY;
}

function subtractBelow(mine: FieldSet, other: FieldSet): FieldSet | undefined {
  if (!hasChildren(mine)) return mine;
  return rejoin(
    without(mine, other, (m, o) => (isMember(o) ? undefined : subtractBelow(m, o))),
    isMember(mine),
  );
}

function subtractNode(mine: FieldSet, other: FieldSet): FieldSet | undefined {
  if (!hasChildren(mine)) return isMember(other) ? undefined : mine;
  return rejoin(without(mine, other, subtractNode), isMember(mine) && !isMember(other));
}

/** A node from what is left below it. `below` may still have the old `.`. */
function rejoin(below: FieldSet | undefined, member: boolean): FieldSet | undefined {
  if (below === undefined || !hasChildren(below)) return member ? EMPTY : undefined;
  if (member === (below[SELF] !== undefined)) return below;
  return member ? { ...below, [SELF]: EMPTY } : withoutSelf(below);
}

/** `a` with the members that `b` also has replaced by `subtract`; `a` itself when nothing changes. */
function without(
  a: FieldSet,
  b: FieldSet,
  subtract: (mine: FieldSet, other: FieldSet) => FieldSet | undefined,
): FieldSet | undefined {
  let result: MutableSet | undefined;
  let shared = 0;
  for (const element in a) {
    const mine = a[element]!;
    const other = element === SELF ? undefined : b[element];
    const left = other === undefined ? mine : subtract(mine, other);
    if (left === mine) {
      if (result) result[element] = mine;
      else shared++;
      continue;
    }
    result ??= firstMembers(a, shared);
    if (left !== undefined) result[element] = left;
  }
  if (result === undefined) return shared > 0 ? a : undefined;
  return isEmpty(result) ? undefined : result;
}

/** The first `count` members of a set. */
function firstMembers(set: FieldSet, count: number): MutableSet {
  const result: MutableSet = {};
  for (const element in set) {
    if (count-- === 0) break;
    result[element] = set[element]!;
  }
  return result;
}

/** The paths of the set that have none of its paths below them. */
export function leaves(set: FieldSet): FieldSet {
  const result: MutableSet = {};
  for (const element in set) {
    if (element === SELF) continue;
    const child = set[element]!;
    result[element] = isEmpty(child) ? child : leaves(child);
  }
  return result;
}

/** Whether two sets have the same paths. */
export function sameSet(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  let left = 0;
  for (const element in a) {
    const other = b[element];
    if (other === undefined || !(element === SELF || sameSet(a[element]!, other))) return false;
    left++;
  }
  for (const _ in b) left--;
  return left === 0;
}

/** The number of paths in the set. */
export function size(set: FieldSet): number {
  let count = 0;
  for (const element in set) {
    if (element === SELF) continue;
    const child = set[element]!;
    count += isEmpty(child) ? 1 : size(child) + (child[SELF] === undefined ? 0 : 1);
  }
  return count;
}

/** Calls `visit` with every path of the set, containers before what is in them. The array is reused: copy to keep. */
export function iterate(set: FieldSet, visit: (path: Path) => void, prefix: PathElement[] = []): void {
  for (const element in set) {
    if (element === SELF) continue;
    const child = set[element]!;
    prefix.push(element);
    if (isMember(child)) visit(prefix);
    iterate(child, visit, prefix);
    prefix.pop();
  }
}

/** Every path of the set, as {@link iterate} visits them. */
export function paths(set: FieldSet): Path[] {
  const all: Path[] = [];
  iterate(set, (path) => all.push([...path]));
  return all;
}
