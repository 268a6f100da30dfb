import type { PathElement } from "./element.ts";
import { hasChildren, isEmpty, isMember, recursiveDifference, SELF, EMPTY } from "./set.ts";
import type { FieldSet, MutableSet } from "./set.ts";

/** Keeps some paths of a set, and drops the others. */
export type Filter = (set: FieldSet) => FieldSet;

/** Drops the paths of `excluded` and everything below them: the fields that a (sub)resource resets on every write. */
export const excludeFilter =
  (excluded: FieldSet): Filter =>
  (set) =>
    isEmpty(excluded) ? set : recursiveDifference(set, excluded);

/** A pattern of paths; see {@link prefixPattern}. */
export type Pattern = "all" | ReadonlyMap<PathElement, Pattern>;

/** The pattern of everything that begins with `prefix`; `*` stands for any element. */
export const prefixPattern = (...prefix: readonly PathElement[]): Pattern =>
  prefix.reduceRight<Pattern>((below, element) => new Map([[element, below]]), "all");

/**
 * Keeps the paths that the patterns match, and the paths on the way to them.
 *
 * Where one pattern has `*` at a place, the others do not count below it.
 */
export function includeFilter(...patterns: readonly Pattern[]): Filter {
  const pattern = patterns.reduce(mergePatterns, new Map());
  return (set) => (patterns.length === 0 ? set : include(set, pattern));
}

function mergePatterns(a: Pattern, b: Pattern): Pattern {
  if (a === "all" || b === "all") return "all";
  const merged = new Map(a);
  for (const [element, below] of b) {
    const present = merged.get(element);
    merged.set(element, present === undefined ? below : mergePatterns(present, below));
  }
  return merged;
}

function include(set: FieldSet, pattern: Pattern): FieldSet {
  if (pattern === "all") return set;
  const kept: MutableSet = {};
  for (const element in set) {
    if (element === SELF) continue;
    const below = pattern.get("*") ?? pattern.get(element);
    if (below === undefined) continue;
    const child = set[element]!;
    const left = include(child, below);
    if (left === child || hasChildren(left)) kept[element] = isMember(child) ? withSelf(left) : left;
    else if (isMember(child)) kept[element] = EMPTY;
  }
  return kept;
}

const withSelf = (node: FieldSet): FieldSet =>
  isEmpty(node) || node[SELF] !== undefined ? node : { ...node, [SELF]: EMPTY };
