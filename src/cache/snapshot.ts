import { compareKeys } from "../storage/keys.ts";
import { EFFORT, type Entry, type Selection, covers, effortOf, isSelective, passes } from "./entry.ts";
import type { Pause } from "./load.ts";
import type { ResourceState } from "./resource-state.ts";

/** A part of a list. */
export interface ListRange {
  /** Only keys after this one. */
  readonly after?: string;
  /** Only this key and those after it; `after` has precedence. */
  readonly from?: string;
  /** At most this many entries; no limit when absent or not positive. */
  readonly limit?: number;
  /**
   * The maximum of effort, one for each entry and more for large ones that are examined, so that a rare match does not block the
   * event loop; `next` then continues. No limit when absent.
   */
  readonly budget?: number;
}

/** The entries of a part of a list. */
export interface ListPage {
  readonly entries: Entry[];
  /** Whether more entries follow; with a selection or a spent budget, whether they may. */
  readonly more: boolean;
  /** The `after` of the next part; undefined at the end. */
  readonly next: string | undefined;
  /** The number of later entries; known only (and cheap) when the selection has no conditions besides the key. */
  readonly remaining?: number;
}

/** Some entries of a list, and a function for the next ones; it keeps the snapshot and a position in memory. */
export interface ListPart {
  readonly entries: readonly Entry[];
  /** Reads the next entries; undefined at the end. It can be called several times. */
  readonly next?: (() => Promise<ListPart>) | undefined;
}

/** The immutable objects of one resource at one revision. */
export interface Snapshot {
  readonly revision: number;
  /** Objects of the whole resource. */
  readonly size: number;
  get(key: string): Entry | undefined;
  /** The number of entries whose keys begin with a prefix, in logarithmic time. */
  count(prefix: string): number;
  /** At most `count` entries whose keys begin with a prefix, after the first `offset` of them; found in logarithmic time. */
  range(prefix: string, offset: number, count: number): readonly Entry[];
  /** An unreadable entry in the scope of a selection, which makes a list impossible. */
  unreadable(selection: Pick<Selection, "key" | "prefix">): Entry | undefined;
  /** The matching entries in order of their keys, compared as UTF-8 (DEC-4). */
  list(selection: Selection, range?: ListRange): ListPage;
  /** Lists like {@link Snapshot.list}, in slices of the event loop of a few milliseconds. */
  listInSlices(selection: Selection, range?: Omit<ListRange, "budget">): Promise<ListPage>;
  /**
   * Lists like {@link Snapshot.listInSlices}, in parts of {@link PART} entries that are read on demand. The revision does not stay
   * readable for other lists.
   */
  parts(selection: Selection, range?: Omit<ListRange, "budget">): Promise<ListPart>;
  /** Lists like {@link Snapshot.listInSlices}; returns the last entry alone, and the number of entries. */
  endInSlices(selection: Selection, range?: Omit<ListRange, "budget">): Promise<ListPage & { readonly count: number }>;
}

/** The number of entries in memory of a list that is read in parts. */
export const PART = 1000;

/** How much less effort an entry needs that is not examined. */
const UNSELECTIVE = 40;

/** A snapshot of a state that does not change any more. */
export class StateSnapshot implements Snapshot {
  readonly revision: number;
  readonly #state: ResourceState;
  readonly #pause: Pause;
  readonly #retain: () => void;

  /** @param retain called when a list has a next page, to keep the revision readable */
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

  count(prefix: string): number {
    return this.#state.count(prefix);
  }

  range(prefix: string, offset: number, count: number): readonly Entry[] {
    return this.#state.range(prefix, offset, count);
  }

  unreadable(selection: Pick<Selection, "key" | "prefix">): Entry | undefined {
    return this.#state.firstUnreadable(selection);
  }

  list(selection: Selection, range: ListRange = {}): ListPage {
    const page = this.#part(selection, range);
    if (page.more) this.#retain();
    return page;
  }

  async listInSlices(selection: Selection, range: Omit<ListRange, "budget"> = {}): Promise<ListPage> {
    const entries: Entry[] = [];
    const page = await this.#walk(selection, range, (found) => append(entries, found));
    if (page.more) this.#retain();
    return { ...page, entries };
  }

  async endInSlices(
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
    const max = limitOf(range);
    const entries: Entry[] = [];
    const { next } = await this.#walk(selection, { ...range, limit: Math.min(max, PART) }, (found) =>
      append(entries, found),
    );
    const left = max - entries.length;
    if (next === undefined || left <= 0) return { entries };
    return { entries, next: () => this.parts(selection, { after: next, limit: left === Infinity ? 0 : left }) };
  }

  /** Walks a range in slices of the event loop; calls `take` with the found entries, and returns the last page. */
  async #walk(
    selection: Selection,
    range: Omit<ListRange, "budget">,
    take: (found: readonly Entry[]) => void,
  ): Promise<ListPage> {
    const max = limitOf(range);
    const budget = isSelective(selection) ? EFFORT : EFFORT * UNSELECTIVE;
    let page = this.#part(selection, { ...range, budget });
    let count = page.entries.length;
    take(page.entries);
    while (count < max && page.next !== undefined) {
      await this.#pause();
      page = this.#part(selection, { after: page.next, limit: max - count, budget });
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
    const { after, budget = Infinity } = range;
    const selective = isSelective(selection);
    const max = limitOf(range);
    const start = lowest(range);
    const from = compareKeys(start, prefix) < 0 ? prefix : start;
    const entries: Entry[] = [];
    let left = Math.max(1, budget);
    let last: string | undefined;
    let next: string | undefined;
    this.#state.scan(selection, from, (entry) => {
      if (left <= 0 || entries.length === max) next = last ?? after;
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

/** The lowest key of a range. */
const lowest = ({ after, from = "" }: ListRange): string => (after === undefined ? from : `${after}\0`);

const limitOf = ({ limit = 0 }: ListRange): number => (limit > 0 ? limit : Infinity);

/** Appends entries, also more than a call can have arguments. */
function append(entries: Entry[], more: readonly Entry[]): void {
  for (const entry of more) entries.push(entry);
}
