/**
 * The rows of a list that is sorted or filtered: an index of the matching objects by key, and one in the order of the list.
 *
 * It is built in slices of the event loop from the initial events of a watch, or from the objects at a revision, and then follows
 * the watch. Changes are queued when they come, and evaluated when the event loop has time: a write does not wait for them.
 *
 * @module
 */
import { failureOf } from "../../registry/index.ts";
import type { CacheError, Entry, ObjectRange, Resource, Watch, WatchBatch, WatchSink } from "../../registry/index.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { compareKeys } from "../../storage/keys.ts";
import type { Clock } from "../../util/clock.ts";
import type { Slice } from "../../util/loop.ts";
import { OrderedIndex } from "../../util/ordered-index.ts";
import { sortInSteps } from "../../util/sort-in-steps.ts";
import type { Steps } from "../../util/steps.ts";
import { type SortValue, compareSortValues, sortValueBytes, sortValueOf } from "./order.ts";
import type { SharedSlices, SliceJob } from "./shared-slices.ts";
import type { ListSource, ListState, SourceEvents } from "./source.ts";
import { fromNow } from "./plain-source.ts";
import type { WindowTable } from "./table.ts";

/** What an index contains, and in which order. */
export interface IndexedList {
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** {@link folded}; empty for any name. */
  readonly name: string;
  /** {@link folded}; empty for any text. */
  readonly text: string;
  /** By key alone where absent. */
  readonly by?: { readonly column: SortColumn; readonly isDescending: boolean };
}

/** The index of a column, or what is read from the key of an object. */
export type SortColumn = number | "name" | "namespace";

/** The bytes of a row in an index, besides its value: the item, and its places in two trees. */
const ROW_BYTES = 72;
/** Changes that wait; an index that is further behind is built again. */
const MAX_WAITING = 50_000;
const MAX_WAITING_BYTES = 64 << 20;
/** Changes that are evaluated at once when rows are read. */
const MAX_AT_ONCE = 200;
/** Rows between two checks of the memory. */
const CHECK_ROWS = 1024;
/** Items that are collected in one step. */
const ITEMS_A_STEP = 4096;
/** Objects of a past state that are read at a time. */
const PART = 500;

interface Keyed {
  readonly entry: Pick<Entry, "key">;
}

interface Item {
  readonly entry: Entry;
  readonly value: SortValue;
}

const byKey = (a: Keyed, b: Keyed): number => compareKeys(a.entry.key, b.entry.key);

/** What both kinds of indexes have in common. */
abstract class IndexedRows implements ListSource {
  readonly table: WindowTable;
  protected readonly resource: Resource;
  protected readonly list: IndexedList;
  protected readonly events: SourceEvents;
  protected readonly clock: Clock;
  protected isClosed = false;
  isBuilt = false;
  progress = { done: 0, of: 0 };
  readonly #byKey = new OrderedIndex<Keyed, Item>(byKey);
  /** Where the list is sorted by something else: once all objects have been read. */
  #sorted: OrderedIndex<Item, Item> | undefined;
  #bytes = 0;
  #checked = 0;

  constructor(table: WindowTable, list: IndexedList, events: SourceEvents, clock: Clock) {
    this.table = table;
    this.resource = table.resource;
    this.list = list;
    this.events = events;
    this.clock = clock;
  }

  get bytes(): number {
    return this.#bytes;
  }

  abstract state(): ListState | undefined;

  close(): void {
    this.isClosed = true;
  }

  /** The rows of now, which change with the index. */
  protected rows(revision: number, total: number): ListState {
    const index = this.#sorted ?? this.#byKey;
    return {
      revision,
      matching: index.size,
      total,
      entries(offset, count) {
        const found: Entry[] = [];
        if (count <= 0) return found;
        index.scanAt(offset, ({ entry }) => {
          found.push(entry);
          return found.length < count;
        });
        return found;
      },
    };
  }

  /** Adds an entry, or the next version of it, or removes one that no longer matches. */
  protected put(entry: Entry, read: (entry: Entry) => ApiObject): void {
    const value = this.#valueOf(entry, read);
    if (value === undefined) {
      this.remove(entry.key);
      return;
    }
    const item = { entry, value };
    const before = this.#byKey.set(item);
    if (before) this.#drop(before);
    this.#sorted?.set(item);
    this.#bytes += ROW_BYTES + sortValueBytes(value);
    if (this.#bytes - this.#checked < CHECK_ROWS * ROW_BYTES) return;
    this.#checked = this.#bytes;
    this.events.grown();
  }

  /** Sorts what was read, when all of it was. One item after the other would be moved to its place in a tree, which takes longer. */
  protected async sort(slice: Slice): Promise<void> {
    const steps = this.#sortInSteps();
    for (let step = steps.next(); !step.done && !this.isClosed; step = steps.next()) {
      const pause = slice.pause();
      if (pause) await pause;
    }
  }

  *#sortInSteps(): Steps<void> {
    const { by } = this.list;
    if (!by) return;
    const items: Item[] = [];
    while (items.length < this.#byKey.size) {
      const end = items.length + ITEMS_A_STEP;
      this.#byKey.scanAt(items.length, (item) => items.push(item) < end);
      yield;
    }
    const sign = by.isDescending ? -1 : 1;
    // The order of keys is there already, and stays for equal values.
    const sorted = yield* sortInSteps(items, (a, b) => sign * compareSortValues(a.value, b.value));
    const compare = (a: Item, b: Item): number => sign * compareSortValues(a.value, b.value) || byKey(a, b);
    this.#sorted = yield* OrderedIndex.buildInSteps(compare, sorted);
  }

  protected remove(key: string): void {
    const before = this.#byKey.delete({ entry: { key } });
    if (before) this.#drop(before);
  }

  protected fail(error: unknown): void {
    if (this.isClosed) return;
    this.close();
    this.events.ended(error);
  }

  #drop(item: Item): void {
    this.#sorted?.delete(item);
    this.#bytes -= ROW_BYTES + sortValueBytes(item.value);
    this.#checked = Math.min(this.#checked, this.#bytes);
  }

  /** The value by which an entry is sorted; undefined where the filters do not let it through. */
  #valueOf(entry: Entry, read: (entry: Entry) => ApiObject): SortValue | undefined {
    const { name, text, by } = this.list;
    const nameAt = entry.key.indexOf("/") + 1;
    if (name !== "" && !folded(entry.key.slice(nameAt)).includes(name)) return undefined;
    const isRead = text !== "" || typeof by?.column === "number";
    const object = isRead ? read(entry) : undefined;
    if (object && text !== "" && !this.table.cells(object).some((cell) => contains(cell, text))) return undefined;
    if (!by) return null;
    if (by.column === "name") return sortValueOf(entry.key.slice(nameAt), "name");
    if (by.column === "namespace") return sortValueOf(entry.key.slice(0, Math.max(0, nameAt - 1)), "name");
    if (!object) return null;
    return sortValueOf(this.table.cell(object, by.column), this.table.columns[by.column]?.type ?? "string");
  }
}

const contains = (cell: string | number | boolean | null, text: string): boolean =>
  cell !== null && folded(String(cell)).includes(text);

/** A text in which lower and upper case are the same. A sigma at the end of a word has a form of its own in lower case. */
export const folded = (text: string): string => text.toLowerCase().replaceAll("\u03c2", "\u03c3");

/** An index that follows the present state. */
export class IndexSource extends IndexedRows implements WatchSink {
  readonly #slices: SharedSlices;
  readonly #waiting: WatchBatch[] = [];
  /** How many events of the first batch have been evaluated. */
  #at = 0;
  #waitingEvents = 0;
  #waitingBytes = 0;
  /** Resolves when what has come so far of the initial events is evaluated. */
  #building: Promise<void> | undefined;
  /** Whether the last of the initial events has come. */
  #isInitialOver = false;
  #watch: Watch | undefined;
  /** Tells of changes to objects that the selectors exclude, which count in the total. */
  #others: Watch | undefined;
  #revision = 0;

  constructor(table: WindowTable, list: IndexedList, events: SourceEvents, clock: Clock, slices: SharedSlices) {
    super(table, list, events, clock);
    this.#slices = slices;
    clock.loop.later(() => void this.#begin());
  }

  state(): ListState | undefined {
    if (!this.isBuilt) return undefined;
    if (this.#waiting.length > 0 && !this.#catchUp()) return undefined;
    const { size } = this.resource.present(this.list.namespace);
    return this.rows(Math.max(this.#revision, this.#watch?.revision ?? 0), size);
  }

  deliver(batch: WatchBatch): void {
    if (this.isClosed) return;
    this.#waiting.push(batch);
    this.#waitingEvents += batch.events.length;
    for (const { entry } of batch.events) this.#waitingBytes += entry.bytes.length;
    this.#isInitialOver ||= batch.initialEnd;
    // Until then the watch goes no faster than the index is built.
    if (this.#isInitialOver && (this.#waitingEvents > MAX_WAITING || this.#waitingBytes > MAX_WAITING_BYTES)) {
      this.fail(undefined);
      return;
    }
    if (this.isBuilt) this.#slices.add(this.#update);
    else this.#building ??= this.#build();
  }

  drained(): Promise<void> | undefined {
    return this.#building;
  }

  ended(error: CacheError): void {
    this.fail(error.code === "failed" ? failureOf(error) : undefined);
  }

  override close(): void {
    super.close();
    this.#watch?.close();
    this.#others?.close();
    this.#waiting.length = 0;
  }

  async #begin(): Promise<void> {
    if (this.isClosed) return;
    const { namespace, labelSelector, fieldSelector } = this.list;
    try {
      this.progress = { done: 0, of: this.resource.present(namespace).size };
      const options = {
        labelSelector,
        fieldSelector,
        resourceVersion: "",
        resourceVersionMatch: "",
        sendInitialEvents: true,
        allowWatchBookmarks: false,
      } as const;
      const { watch } = await this.resource.watch(namespace, options, this);
      this.#watch = watch;
      if (labelSelector !== "" || fieldSelector !== "") this.#others = await this.#watchOthers();
      if (this.isClosed) this.close();
    } catch (error) {
      this.fail(error);
    }
  }

  async #watchOthers(): Promise<Watch> {
    const sink = {
      deliver: () => this.events.changed(),
      ended: (error: CacheError) => this.ended(error),
    };
    const { namespace } = this.list;
    return (await this.resource.watch(namespace, fromNow(this.resource, namespace), sink)).watch;
  }

  readonly #update: SliceJob = (slice) => {
    if (!this.#evaluate(() => slice.isOver)) return false;
    if (!this.isClosed) this.events.changed();
    return true;
  };

  /** Evaluates the initial events that have come, in slices; sorts after the last one. */
  async #build(): Promise<void> {
    const { loop } = this.clock;
    await new Promise<void>((resolve) => {
      loop.later(resolve);
    });
    const slice = loop.slice();
    try {
      for (let batch = this.#waiting[0]; batch && !this.isBuilt; batch = this.#waiting[0]) {
        for (const event of batch.events) {
          this.#apply(event);
          const pause = slice.pause();
          if (pause) await pause;
          if (this.isClosed) return;
        }
        if (batch.initialEnd) {
          this.events.grown();
          await this.sort(slice);
          if (this.isClosed) return;
        }
        this.#done(batch);
      }
    } catch (error) {
      this.fail(error);
      return;
    } finally {
      this.#building = undefined;
    }
    if (this.#waiting.length > 0) this.#slices.add(this.#update);
    else if (!this.isClosed) this.events.changed();
  }

  /** Evaluates what waits at once, where that is little; false where it is much. */
  #catchUp(): boolean {
    return this.#waitingEvents <= MAX_AT_ONCE && this.#evaluate(() => false) && !this.isClosed;
  }

  /** Evaluates what waits until it is to stop; returns whether nothing is left. */
  #evaluate(isOver: () => boolean): boolean {
    try {
      for (let batch = this.#waiting[0]; batch; batch = this.#waiting[0]) {
        for (let event = batch.events[this.#at]; event; event = batch.events[this.#at]) {
          if (isOver()) return false;
          this.#at++;
          this.#apply(event);
        }
        this.#at = 0;
        this.#done(batch);
      }
    } catch (error) {
      this.fail(error);
    }
    return true;
  }

  #apply({ type, entry }: WatchBatch["events"][number]): void {
    if (type === "DELETED") this.remove(entry.key);
    else this.put(entry, this.isBuilt ? this.#hot : this.#cold);
    this.#waitingEvents--;
    this.#waitingBytes -= entry.bytes.length;
  }

  #done(batch: WatchBatch): void {
    this.#waiting.shift();
    this.#revision = Math.max(this.#revision, batch.revision);
    if (batch.initialEnd) this.isBuilt = true;
    else if (!this.isBuilt) {
      const done = this.progress.done + batch.events.length;
      this.progress = { done, of: Math.max(done, this.progress.of) };
    }
  }

  /** An object that was just written is read by others, too. */
  readonly #hot = (entry: Entry): ApiObject => this.resource.object(entry);
  /** One of many is read once. */
  readonly #cold = (entry: Entry): ApiObject => this.resource.parse(entry);
}

/** An index of a state that does not change any more. */
export class PastIndexSource extends IndexedRows {
  readonly #range: ObjectRange;

  constructor(table: WindowTable, list: IndexedList, range: ObjectRange, events: SourceEvents, clock: Clock) {
    super(table, list, events, clock);
    this.#range = range;
    this.progress = { done: 0, of: range.size };
    clock.loop.later(() => void this.#build().catch((error: unknown) => this.fail(error)));
  }

  state(): ListState | undefined {
    return this.isBuilt ? this.rows(this.#range.revision, this.#range.size) : undefined;
  }

  async #build(): Promise<void> {
    const { namespace, labelSelector, fieldSelector } = this.list;
    const matches = this.resource.selector(namespace, labelSelector, fieldSelector);
    const slice = this.clock.loop.slice();
    for (let from = 0; from < this.#range.size; from += PART) {
      const entries = this.#range.entries(from, PART);
      await this.resource.ready(entries);
      if (!(await this.#add(entries, matches, slice))) return;
      this.progress = { done: from + entries.length, of: this.#range.size };
      this.events.changed();
    }
    this.events.grown();
    await this.sort(slice);
    if (this.isClosed) return;
    this.isBuilt = true;
    this.events.changed();
  }

  /** False where it was closed meanwhile. */
  async #add(entries: readonly Entry[], matches: (entry: Entry) => boolean, slice: Slice): Promise<boolean> {
    for (const entry of entries) {
      if (this.isClosed) return false;
      if (matches(entry)) this.put(entry, (one) => this.resource.parse(one));
      const pause = slice.pause();
      if (pause) await pause;
    }
    return !this.isClosed;
  }
}
