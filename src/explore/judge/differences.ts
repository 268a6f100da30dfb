/**
 * Differences of two states in their normal form.
 *
 * @module
 */
import { differingPaths, type Expected, type Mask, sortedBy, unkeyedList } from "./expected.ts";
import type { Leaf } from "./flat.ts";
import { GONE, type Identity } from "./names.ts";
import type { Revisions } from "./revisions.ts";
import type { Item, StateView } from "./view.ts";
import type { Writers } from "./writers.ts";

/** The difference of one object. */
export interface Difference {
  readonly kind: "missing" | "leaked" | "stuck-in-deletion" | "differs" | "dangling" | "stale-status";
  readonly identity: Identity;
  /** The most significant member that differs. */
  readonly path?: string;
  readonly expected?: Item;
  readonly found?: Item;
  /** All members that differ. */
  readonly paths: readonly string[];
  /** Whether only members differ that neither a program under test nor the user has decided. */
  readonly isByCluster?: boolean;
}

/** The permitted differences of a run, besides those of the masks. */
export interface Leeway {
  /** Whether an object that only one of the states has is left alone. */
  isObject?(item: Item): boolean;
  /** Whether a member is left alone. */
  isMember?(item: Item, path: string, expected: Leaf | undefined, found: Leaf | undefined): boolean;
}

/** A state with the revisions of its run, and who wrote what. */
export interface Side {
  readonly state: StateView;
  readonly revisions: Revisions;
  readonly writers: Writers;
}

/** Compares states of a run with those that clean runs agree on. What has not changed since the state before is not compared again. */
export class Comparer {
  readonly #masks: Pick<Expected, "mask">;
  readonly #leeway: Leeway;
  readonly #before = new Map<
    string,
    { readonly left: readonly Item[]; readonly right: readonly Item[]; readonly found: readonly Difference[] }
  >();

  constructor(masks: Pick<Expected, "mask">, leeway: Leeway) {
    this.#masks = masks;
    this.#leeway = leeway;
  }

  /** The differences between the expected state and the found one. */
  differences(expected: Side, found: Side): readonly Difference[] {
    const keys = new Set([...expected.state.items.keys(), ...found.state.items.keys()]);
    return [...keys].flatMap((key) => {
      const [left, right] = [expected.state.items.get(key) ?? [], found.state.items.get(key) ?? []];
      const before = this.#before.get(key);
      if (before && isSame(before.left, left) && isSame(before.right, right)) return before.found;
      const differences = this.#ofIdentity(key, left, right, expected, found);
      this.#before.set(key, { left, right, found: differences });
      return differences;
    });
  }

  #ofIdentity(
    key: string,
    left: readonly Item[],
    right: readonly Item[],
    expected: Side,
    found: Side,
  ): readonly Difference[] {
    const mask = this.#masks.mask(key);
    if (mask.count) return [];
    const pathsOf = (a: Item, b: Item): readonly string[] =>
      differingPaths(a.flat, b.flat).filter((path) => {
        if (!mask.isJudged(path)) return false;
        const [one, other] = [a.flat.get(path), b.flat.get(path)];
        return !this.#leeway.isMember?.(a, path, one, other) && !expected.revisions.isSame(one, found.revisions, other);
      });
    const isOthers = (it: Items, path: string): boolean => isByCluster(it, path, expected.writers, found.writers);
    // Decisions of built-in controllers do not make two objects with generated names different.
    const unlikeness = (it: Pair): number => it.paths.filter((path) => !isOthers(it, path)).length;
    const pairs = pair(mask, left, right, { pathsOf, unlikeness });
    const paired = new Set(pairs.flatMap((it) => [it.expected, it.found]));
    const isAlone = (item: Item): boolean => !paired.has(item) && !this.#leeway.isObject?.(item);
    return [
      ...pairs.filter(({ paths }) => paths.length > 0).map((it) => difference(it, (path) => isOthers(it, path))),
      ...left
        .filter(isAlone)
        .map((item) => ({ kind: "missing", identity: item.identity, expected: item, paths: [] }) as const),
      ...right.filter(isAlone).map(
        (item) =>
          ({
            kind: item.flat.has(DELETION) ? "stuck-in-deletion" : "leaked",
            identity: item.identity,
            found: item,
            paths: [],
          }) as const,
      ),
    ];
  }
}

const isSame = (one: readonly Item[], other: readonly Item[]): boolean =>
  one.length === other.length && one.every((item, i) => item === other[i]);

const DELETION = ".metadata.deletionTimestamp";

interface Items {
  readonly expected: Item;
  readonly found: Item;
}

interface Pair extends Items {
  readonly paths: readonly string[];
}

/** Pairs the items of an identity: equal ones first, then those that differ least. */
function pair(
  mask: Mask,
  left: readonly Item[],
  right: readonly Item[],
  {
    pathsOf,
    unlikeness,
  }: {
    readonly pathsOf: (a: Item, b: Item) => readonly string[];
    readonly unlikeness: (pair: Pair) => number;
  },
): readonly Pair[] {
  if (left.length === 0 || right.length === 0) return [];
  if (left.length === 1 && right.length === 1)
    return [{ expected: left[0]!, found: right[0]!, paths: pathsOf(left[0]!, right[0]!) }];
  const judged = ({ flat }: Item): string => mask.text(flat);
  const free = Map.groupBy(sortedBy(mask, right), judged);
  const rest: Item[] = [];
  for (const item of left) if (!free.get(judged(item))?.pop()) rest.push(item);
  const candidates = [...free.values()].flat();
  const pairs: Pair[] = [];
  for (const item of rest) {
    const best = candidates
      .map((other) => ({ expected: item, found: other, paths: pathsOf(item, other) }))
      .map((one) => ({ one, by: unlikeness(one) }))
      .reduce<{ one: Pair; by: number } | undefined>((a, b) => (a && a.by <= b.by ? a : b), undefined)?.one;
    if (!best) break;
    pairs.push(best);
    candidates.splice(candidates.indexOf(best.found), 1);
  }
  // Equal ones are pairs without differing paths.
  const unequal = new Set(pairs.flatMap((it) => [it.expected, it.found]));
  const equalLeft = left.filter((item) => !rest.includes(item));
  const equalRight = right.filter((item) => !unequal.has(item) && !candidates.includes(item));
  return [...pairs, ...equalLeft.map((item, i) => ({ expected: item, found: equalRight[i]!, paths: [] }))];
}

const isGone = (leaf: Leaf | undefined): boolean => typeof leaf === "string" && leaf.includes(GONE);

/** The members of an object, the most significant first. */
function weight(path: string): number {
  if (path === DELETION) return 0;
  if (path.endsWith(".observedGeneration")) return 3;
  if (path.startsWith(".status")) return 4;
  return path.startsWith(".metadata") ? 2 : 1;
}

/** Whether a member has a value of built-in controllers or nodes, where any run has one. */
function isByCluster({ expected, found }: Items, path: string, ...[left, right]: readonly [Writers, Writers]): boolean {
  const writers = [expected.object && left.of(expected.object, path), found.object && right.of(found.object, path)];
  return writers.includes("cluster") && writers.every((writer) => writer === undefined || writer === "cluster");
}

function difference({ expected, found, paths }: Pair, isOthers: (path: string) => boolean): Difference {
  const isGoneNow = (path: string): boolean => isGone(found.flat.get(path)) && !isGone(expected.flat.get(path));
  // A deletion that began, and a deleted object, are no decision about a member.
  const others = new Set(paths.filter((path) => path !== DELETION && !isGoneNow(path) && isOthers(path)));
  const rank = (path: string): number => (others.has(path) ? 10 : 0) + weight(path);
  const sorted = [...paths].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const gone = sorted.find(isGoneNow);
  const first = gone ?? sorted[0]!;
  // Items without a key have no name that means the same in all runs: their list differs.
  const path = unkeyedList(first) ?? first;
  const stuck = path === DELETION && found.flat.has(DELETION);
  const kind = stuck
    ? "stuck-in-deletion"
    : gone !== undefined
      ? "dangling"
      : weight(path) >= 3
        ? "stale-status"
        : "differs";
  return {
    kind,
    identity: found.identity,
    ...(!stuck && { path }),
    expected,
    found,
    paths: sorted,
    ...(others.size === paths.length && { isByCluster: true }),
  };
}
