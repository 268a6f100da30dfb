/**
 * The common state of clean runs: the objects after each step, and a mask of the members that differ between them.
 *
 * @module
 */
import type { RunRecord } from "../contract/laboratory.ts";
import { type Flat, flatText } from "./flat.ts";
import { type Ignored, isBelow } from "./ignored.ts";
import { drawnNames, type DrawnNames } from "./names.ts";
import { type Item, RunView, type Unordered } from "./view.ts";

/** The members of the objects of one identity that are not judged, because clean runs differ in them. */
export class Mask {
  /** There are more of them in some runs than in others. */
  count = false;
  readonly #paths = new Set<string>();
  /** Lists without keys whose length differs: nothing below is judged. */
  readonly #lists = new Set<string>();
  /** Maps whose keys are drawn: keys that no clean run has are not judged. */
  readonly #open = new Set<string>();
  readonly #known = new Set<string>();
  #texts = new WeakMap<Flat, string>();

  /** One text of all judged leaves: equal for items that are alike. */
  text(flat: Flat): string {
    let text = this.#texts.get(flat);
    if (text === undefined) this.#texts.set(flat, (text = flatText(flat, (path) => this.isJudged(path))));
    return text;
  }

  /** Adds what differs between two forms. Returns whether that is new. */
  add(one: Flat, other: Flat): boolean {
    const differing = differingPaths(one, other).filter((path) => this.isJudged(path));
    for (const path of differing) {
      this.#paths.add(path);
      const list = unkeyedList(path);
      if (list !== undefined && lengthOf(one, list) !== lengthOf(other, list)) this.#lists.add(list);
    }
    const only = (a: Flat, b: Flat): Set<string> =>
      new Set(differing.filter((path) => a.has(path) && !b.has(path)).map(parentOf));
    for (const parent of only(one, other).intersection(only(other, one))) this.#open.add(parent);
    if (differing.length > 0) this.#texts = new WeakMap();
    return differing.length > 0;
  }

  /** Notes the paths that clean runs have. */
  know(flat: Flat): void {
    for (const path of flat.keys()) this.#known.add(path);
  }

  isJudged(path: string): boolean {
    if (this.#paths.has(path)) return false;
    for (const list of this.#lists) if (isBelow(path, list)) return false;
    for (const parent of this.#open)
      if (path !== parent && isBelow(path, parent) && !this.#known.has(path)) return false;
    return true;
  }
}

const NO_MASK = new Mask();

/** The paths in which two forms differ. */
export function differingPaths(one: Flat, other: Flat): string[] {
  if (one === other) return [];
  const paths: string[] = [];
  for (const [path, leaf] of one) if (other.get(path) !== leaf) paths.push(path);
  for (const path of other.keys()) if (!one.has(path)) paths.push(path);
  return paths;
}

const INDEX = /\[\d+\]/;

/** The outermost list of a path whose items have no key: `.spec.args` of `.spec.args[0]`. */
export function unkeyedList(path: string): string | undefined {
  const at = path.search(INDEX);
  return at < 0 ? undefined : path.slice(0, at);
}

const lengthOf = (flat: Flat, list: string): number =>
  new Set(
    [...flat.keys()]
      .filter((path) => path.startsWith(`${list}[`))
      .map((path) => path.slice(list.length).split("]", 1)[0]),
  ).size;

const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf("."), path.lastIndexOf("[")));

/** The clean runs of some steps. */
export class Expected {
  readonly runs: readonly RunView[];
  readonly drawn: readonly DrawnNames[];
  readonly unordered: Unordered;
  readonly #masks = new Map<string, Mask>();

  constructor(clean: readonly RunRecord[], ignored: Ignored) {
    if (clean.length === 0)
      throw new Error("Expected at least one clean run, found none: play the scenario without a plan first");
    const first = clean.map((record) => new RunView(record, ignored));
    this.drawn = drawnNames(first.map(({ names }) => names));
    const named = this.drawn.length === 0 ? first : clean.map((record) => new RunView(record, ignored, this));
    this.unordered = listsWithoutOrder(named);
    this.runs = this.unordered.size === 0 ? named : clean.map((record) => new RunView(record, ignored, this));
    this.#mask();
  }

  #mask(): void {
    const [first, ...others] = this.runs;
    for (const [i, state] of first!.states.entries()) {
      const beside = others.map((run) => run.states[i]?.items ?? new Map<string, readonly Item[]>());
      for (const key of new Set([...state.items.keys(), ...beside.flatMap((items) => [...items.keys()])])) {
        const all = [state.items, ...beside].map((items) => items.get(key) ?? []);
        const mask = this.#masks.get(key) ?? new Mask();
        this.#masks.set(key, mask);
        for (const item of all.flat()) mask.know(item.flat);
        if (all.some(({ length }) => length !== all[0]!.length)) mask.count = true;
        else maskPairs(mask, all);
      }
    }
  }

  /** The mask of an identity; one that masks nothing where no clean run has it. */
  mask(key: string): Mask {
    return this.#masks.get(key) ?? NO_MASK;
  }

  /** The items of the first clean run by state and identity: with the mask they represent all clean runs. */
  items(state: number, key: string): readonly Item[] {
    return this.runs[0]!.states[state]?.items.get(key) ?? [];
  }
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Masks what differs between equally many items of each run; they have no order. */
function maskPairs(mask: Mask, runs: readonly (readonly Item[])[]): void {
  if (runs[0]!.length === 1) {
    for (const [item] of runs.slice(1)) mask.add(runs[0]![0]!.flat, item!.flat);
    return;
  }
  // A mask makes items alike, which then may pair with others: repeated until nothing is added.
  for (let grows = true; grows;) {
    grows = false;
    const [first, ...others] = runs.map((items) => sortedBy(mask, items));
    for (const other of others)
      for (const [i, item] of other.entries()) if (mask.add(first![i]!.flat, item.flat)) grows = true;
  }
}

/** Items in the order of their judged leaves. */
export const sortedBy = (mask: Mask, items: readonly Item[]): readonly Item[] =>
  items.toSorted((a, b) => compareTexts(mask.text(a.flat), mask.text(b.flat)));

/** Finds lists that have the same items in each clean run, but not the same order. */
function listsWithoutOrder(runs: readonly RunView[]): Unordered {
  const found = new Map<string, Set<string>>();
  const [first, ...others] = runs;
  for (const [i, state] of first!.states.entries())
    for (const [key, [item, ...more]] of state.items)
      for (const other of others) {
        const beside = other.states[i]?.items.get(key) ?? [];
        if (more.length > 0 || beside.length !== 1) continue;
        const lists = new Set(differingPaths(item!.flat, beside[0]!.flat).map(unkeyedList));
        for (const list of lists)
          if (list !== undefined && hasSameItems(item!.flat, beside[0]!.flat, list))
            found.set(key, (found.get(key) ?? new Set()).add(list));
      }
  return found;
}

function hasSameItems(one: Flat, other: Flat, list: string): boolean {
  const items = (flat: Flat): string => {
    const byIndex = Map.groupBy(
      [...flat].filter(([path]) => path.startsWith(`${list}[`)),
      ([path]) => path.slice(list.length, path.indexOf("]", list.length)),
    );
    return [...byIndex]
      .map(([index, leaves]) =>
        flatText(new Map(leaves.map(([path, leaf]) => [path.slice(list.length + index.length), leaf]))),
      )
      .sort()
      .join("\n\n");
  };
  return items(one) === items(other);
}
