import { compareKeys } from "../storage/keys.ts";
import { EFFORT, type Entry, type Selection, covers, effortOf, isSelective, passes } from "./entry.ts";
import type { Pause } from "./load.ts";
import type { ResourceState } from "./resource-state.ts";

/** Which part of a list is wanted. */
export interface ListRange {
  /** Only keys after this one. */
  readonly after?: string;
  /** Only this key and those after it; where both are given, `after` counts. */
  readonly from?: string;
  /** At most this many entries; no limit when absent or not positive. */
  readonly limit?: number;
  /**
   * At most this effort is spent on looking at entries, one for each and more for those that are large and must be
   * looked into, so that a rare match does not hold up everything else; `next` then says where to go on. No bound when
   * absent.
   */
  readonly budget?: number;
}

/** A part of a list. */
export interface ListPage {
  readonly entries: Entry[];
  /** Whether there is more after this part; when entries are selected or the budget is spent, whether there may be. */
  readonly more: boolean;
  /** The `after` of the next part; undefined when there is no more. */
  readonly next: string | undefined;
  /** How many are left; only known (and cheap) when the selection asks for everything at its place. */
  readonly remaining?: number;
}

/** Some entries of a list, and the way to those that follow: who holds it holds the snapshot, a place in it, and no more. */
export interface ListPart {
  readonly entries: readonly Entry[];
  /** The entries that follow; undefined where there are none. It may be asked for again. */
  readonly next?: (() => Promise<ListPart>) | undefined;
}

/** The objects of one resource as they were at one revision; nothing changes it. */
export interface Snapshot {
  readonly revision: number;
  /** Objects of the whole resource. */
  readonly size: number;
  get(key: string): Entry | undefined;
  /** An entry in the place of a selection that cannot be read, so that a list of it cannot be told. */
  unreadable(selection: Pick<Selection, "key" | "prefix">): Entry | undefined;
  /** The selected entries in order of their keys, compared as UTF-8 (DEC-4). */
  list(selection: Selection, range?: ListRange): ListPage;
  /** What {@link Snapshot.list} answers, without ever holding up everything else for more than a few milliseconds. */
  listInTurns(selection: Selection, range?: Omit<ListRange, "budget">): Promise<ListPage>;
  /**
   * The entries of {@link Snapshot.listInTurns} in parts of {@link PART} entries, found when they are asked for. Nothing
   * is left for later: this revision need not stay readable for others.
   */
  parts(selection: Selection, range?: Omit<ListRange, "budget">): Promise<ListPart>;
  /** What {@link Snapshot.listInTurns} answers, of its entries the last one alone, and how many they are. */
  endInTurns(selection: Selection, range?: Omit<ListRange, "budget">): Promise<ListPage & { readonly count: number }>;
}

/** The entries that are in memory for a list that is read part by part. */
export const PART = 1000;

/** How much less it takes to list an entry that need not be looked into. */
const UNSELECTIVE = 40;

/** A snapshot over a state that nobody changes any more. */
export class StateSnapshot implements Snapshot {
  readonly revision: number;
  readonly #state: ResourceState;
  readonly #pause: Pause;
  readonly #retain: () => void;

  /** @param retain called when a list leaves something for later, so that this revision must stay readable */
  constructor(revision: number, state: ResourceState, pause: Pause, retain: () => void) {
    this.revision = revision;
    this.#state = state;
    this.#pause = pause;
    this.#retain = retain;
  }

  get size(): number {
    return this.#state.size;
  }

  get(key: string): Entry | undefined {
    return this.#state.get(key);
  }

  unreadable(selection: Pick<Selection, "key" | "prefix">): Entry | undefined {
    return this.#state.hasUnreadable ? this.#state.unreadable(selection)[0] : undefined;
  }

  list(selection: Selection, range: ListRange = {}): ListPage {
    const page = this.#part(selection, range);
    if (page.more) this.#retain();
    return page;
  }

  async listInTurns(selection: Selection, range: Omit<ListRange, "budget"> = {}): Promise<ListPage> {
    const entries: Entry[] = [];
    const page = await this.#walk(selection, range, (found) => append(entries, found));
    if (page.more) this.#retain();
    return { ...page, entries };
  }

  async endInTurns(
    selection: Selection,
    range: Omit<ListRange, "budget"> = {},
  ): Promise<ListPage & { readonly count: number }> {
    const last: Entry[] = [];
    let count = 0;
    const page = await this.#walk(selection, range, (found) => {
      count += found.length;
      last.splice(0, found.length, ...found.slice(-1));
    });
    if (page.more) this.#retain();
    return { ...page, entries: last, count };
  }

  async parts(selection: Selection, range: Omit<ListRange, "budget"> = {}): Promise<ListPart> {
    const most = mostOf(range);
    const entries: Entry[] = [];
    const { next } = await this.#walk(selection, { ...range, limit: Math.min(most, PART) }, (found) =>
      append(entries, found),
    );
    const left = most - entries.length;
    if (next === undefined || left <= 0) return { entries };
    return { entries, next: () => this.parts(selection, { after: next, limit: left === Infinity ? 0 : left }) };
  }

  /** Looks through a range in turns; what is found is given to `take`, and the last page is given back. */
  async #walk(
    selection: Selection,
    range: Omit<ListRange, "budget">,
    take: (found: readonly Entry[]) => void,
  ): Promise<ListPage> {
    const most = mostOf(range);
    const budget = isSelective(selection) ? EFFORT : EFFORT * UNSELECTIVE;
    let page = this.#part(selection, { ...range, budget });
    let count = page.entries.length;
    take(page.entries);
    while (count < most && page.next !== undefined) {
      await this.#pause();
      page = this.#part(selection, { after: page.next, limit: most - count, budget });
      count += page.entries.length;
      take(page.entries);
    }
    return page;
  }

  #part(selection: Selection, range: ListRange): ListPage {
    return selection.key === undefined ? this.#scan(selection, range) : this.#one(selection.key, selection, range);
  }

  #one(key: string, selection: Selection, range: ListRange): ListPage {
    const entry = compareKeys(lowest(range), key) <= 0 ? this.#state.get(key) : undefined;
    const found = entry !== undefined && covers(selection, key) && passes(selection, entry);
    return { entries: found ? [entry] : [], more: false, next: undefined };
  }

  #scan(selection: Selection, range: ListRange): ListPage {
    const { prefix } = selection;
    const { after, limit = 0, budget = Infinity } = range;
    const selective = isSelective(selection);
    const most = limit > 0 ? limit : Infinity;
    const start = lowest(range);
    const from = compareKeys(start, prefix) < 0 ? prefix : start;
    const entries: Entry[] = [];
    let left = Math.max(1, budget);
    let last: string | undefined;
    let next: string | undefined;
    this.#state.scan(selection, from, (entry) => {
      if (left <= 0 || entries.length === most) next = last ?? after;
      if (next !== undefined) return false;
      left -= selective ? effortOf(entry) : 1;
      if (!selective || passes(selection, entry)) entries.push(entry);
      last = entry.key;
      return true;
    });
    const page = { entries, more: next !== undefined, next };
    return selective || next === undefined ? page : { ...page, remaining: this.#state.countAfter(prefix, next) };
  }
}

/** The lowest key that is in a range. */
const lowest = ({ after, from = "" }: ListRange): string => (after === undefined ? from : `${after}\0`);

/** At most how many entries are wanted. */
const mostOf = ({ limit = 0 }: ListRange): number => (limit > 0 ? limit : Infinity);

/** Puts entries at the end of others. */
function append(entries: Entry[], more: readonly Entry[]): void {
  for (const entry of more) entries.push(entry);
}
