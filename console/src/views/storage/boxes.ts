/**
 * The boxes and lines that are drawn for items and their links.
 *
 * Where a column would have too many boxes, those that are alike are one box with a count; what waits stays a box of its own as long
 * as there is space for it.
 *
 * @module
 */
import type { Steps } from "../../../../src/util/steps.ts";
import { inSteps } from "../../ui/sliced.ts";
import type { BoxState, Column, Item, Storage } from "./item.ts";

/** A box that is drawn: one object, or several that are alike. */
export interface Box {
  readonly id: string;
  readonly column: Column;
  readonly title: string;
  readonly detail: string;
  readonly state: BoxState;
  readonly says?: string;
  /** 1 for an object of its own. */
  readonly count: number;
  readonly bytes: number;
  /** The objects that it stands for. */
  readonly items: readonly Item[];
}

/** A line that is drawn: how many links it stands for. */
export interface Line {
  readonly from: string;
  readonly to: string;
  readonly isReady: boolean;
  readonly count: number;
}

/** The most boxes in a column. */
export const MAX_BOXES = 60;
/** The most of them that are objects of their own where there are more objects than boxes. */
const MAX_SINGLE = 40;

const RANK: Readonly<Record<BoxState, number>> = { stuck: 0, waits: 1, deleting: 2, free: 3, unknown: 4, ok: 5 };

/** What is drawn. */
export interface Drawn {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

/** Finds what is drawn: at most {@link MAX_BOXES} boxes in a column. */
export function* boxSteps({ items, links }: Pick<Storage, "items" | "links">): Steps<Drawn> {
  const boxOf = new Map<string, string>();
  const boxes: Box[] = [];
  for (const [, column] of Map.groupBy(items, (item) => item.column)) {
    yield;
    const unusual = (): readonly Item[] =>
      column
        .filter(isUnusual)
        .toSorted((a, b) => RANK[a.state] - RANK[b.state])
        .slice(0, MAX_SINGLE);
    const singles = column.length <= MAX_BOXES ? column : unusual();
    for (const item of singles) {
      boxOf.set(item.id, item.id);
      boxes.push(singleBox(item));
    }
    if (column.length <= MAX_BOXES) continue;
    yield;
    const rest = column.filter(({ id }) => !boxOf.has(id));
    const alike = new Map<string, Item[]>();
    yield* inSteps(rest, (item) => {
      const key = `${RANK[item.state]} ${item.group}`;
      const group = alike.get(key);
      if (group) group.push(item);
      else alike.set(key, [item]);
    });
    const groups = [...alike].toSorted(([, one], [, other]) => other.length - one.length);
    const free = MAX_BOXES - singles.length;
    const own = groups.length <= free ? groups : groups.slice(0, free - 1);
    const others = groups.slice(own.length).flatMap(([, group]) => group);
    for (const [key, group] of own) addGroup(`${group[0]!.column}:${key}`, group[0]!.group, group);
    if (others.length > 0) addGroup(`${others[0]!.column}:others`, "others", others);
  }
  function addGroup(id: string, title: string, group: readonly Item[]): void {
    for (const item of group) boxOf.set(item.id, id);
    const [{ column }] = group as [Item];
    const state = group.reduce((worst, item) => (RANK[item.state] < RANK[worst] ? item.state : worst), group[0]!.state);
    const bytes = group.reduce((sum, item) => sum + item.bytes, 0);
    const says = group.find(({ wait }) => wait)?.wait?.says;
    boxes.push({
      id,
      column,
      title: title || column,
      detail: `${group.length} ${column}`,
      state,
      ...(says && { says }),
      count: group.length,
      bytes,
      items: group,
    });
  }
  const lines = new Map<string, { from: string; to: string; isReady: boolean; count: number }>();
  yield* inSteps(links, ({ from, to, isReady }) => {
    const [a, b] = [boxOf.get(from), boxOf.get(to)];
    if (a === undefined || b === undefined) return;
    const key = `${a}\0${b}\0${isReady}`;
    const line = lines.get(key);
    if (line) line.count++;
    else lines.set(key, { from: a, to: b, isReady, count: 1 });
  });
  return { boxes, lines: [...lines.values()] };
}

const isUnusual = ({ state }: Item): boolean => RANK[state] <= RANK.deleting;

const singleBox = (item: Item): Box => ({
  id: item.id,
  column: item.column,
  title: item.namespace === undefined ? item.name : `${item.namespace}/${item.name}`,
  detail: item.detail,
  state: item.state,
  ...(item.wait && { says: item.wait.says }),
  count: 1,
  bytes: item.bytes,
  items: [item],
});
