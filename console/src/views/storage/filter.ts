/**
 * Which objects of the picture a filter lets through.
 *
 * @module
 */
import type { Steps } from "../../../../src/util/steps.ts";
import { inSteps } from "../../ui/sliced.ts";
import type { Item, Link } from "./item.ts";

/** Which objects are shown. */
export interface StorageFilter {
  readonly namespace?: string;
  readonly storageClass?: string;
  readonly node?: string;
  /** Only what waits, and what it is linked with. */
  readonly waiting?: boolean;
}

/** What is left of items and links. */
interface Kept {
  readonly items: readonly Item[];
  readonly links: readonly Link[];
}

/** Keeps the chosen objects and those that they are linked with, towards both sides. */
export function* filterSteps(
  items: ReadonlyMap<string, Item>,
  links: readonly Link[],
  { namespace = "", storageClass = "", node = "", waiting = false }: StorageFilter,
): Steps<Kept> {
  const there = links.filter(({ from, to }) => items.has(from) && items.has(to));
  if (namespace === "" && storageClass === "" && node === "" && !waiting)
    return { items: [...items.values()], links: there };
  yield;
  const right = Map.groupBy(there, ({ from }) => from);
  yield;
  const left = Map.groupBy(there, ({ to }) => to);
  const tests: ((item: Item) => boolean)[] = [];
  if (namespace !== "") tests.push((item) => item.namespace === namespace);
  if (storageClass !== "")
    tests.push((item) => item.storageClass === storageClass || item.id === `classes/${storageClass}`);
  if (node !== "") tests.push(({ id }) => id === `nodes/${node}`);
  if (waiting) tests.push(isWaiting);
  const sets: Set<string>[] = [];
  for (const test of tests) {
    const seeds = [...items.values()].filter(test).map(({ id }) => id);
    // To the right from what is chosen, and to the left; never back, so that a class does not bring all of its claims.
    const [after, before] = [new Set(seeds), new Set(seeds)];
    yield* inSteps(seeds, (id) => {
      walk(id, right, (next) => next.to, after);
      walk(id, left, (next) => next.from, before);
    });
    sets.push(after.union(before));
  }
  yield;
  const isKept = (id: string): boolean => sets.every((set) => set.has(id));
  return {
    items: [...items.values()].filter(({ id }) => isKept(id)),
    links: there.filter(({ from, to }) => isKept(from) && isKept(to)),
  };
}

/** Whether something has to happen to an object. */
export const isWaiting = ({ state }: Item): boolean => state === "waits" || state === "stuck" || state === "deleting";

function walk(
  from: string,
  by: ReadonlyMap<string, readonly Link[]>,
  next: (link: Link) => string,
  found: Set<string>,
): void {
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const link of by.get(id) ?? []) {
      const other = next(link);
      if (found.has(other)) continue;
      found.add(other);
      open.push(other);
    }
  }
}
