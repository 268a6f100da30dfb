/**
 * The objects of one resource at one revision: by key, and by labels that selectors have used.
 *
 * A label index sorts the entries with a label by its value, then by key, so that the cost of an equality selector is proportional
 * to its result. It is built in slices of the event loop before the first such list, and updated from then on; without an index
 * every entry in the scope of a selection is examined.
 *
 * @module
 */
import { compareKeys } from "../storage/keys.ts";
import { EFFORT, type Entry, type Selection, afterPrefix, covers, effortOf, labelOf } from "./entry.ts";
import { flatCopy } from "../util/flat-copy.ts";
import { OrderedIndex } from "../util/ordered-index.ts";
import { type Steps, atOnce } from "../util/steps.ts";

type Keyed = Pick<Entry, "key">;
type Labelled = Pick<Entry, "key" | "labels">;
type LabelIndex = OrderedIndex<Labelled, Entry>;

const byKey = (a: Keyed, b: Keyed): number => compareKeys(a.key, b.key);

const byLabel =
  (label: string) =>
  (a: Labelled, b: Labelled): number =>
    compareKeys(labelOf(a, label) ?? "", labelOf(b, label) ?? "") || compareKeys(a.key, b.key);

/** The maximum of label indexes of one resource; the least recently used one is removed. */
const MAX_LABELS = 8;

/** An index is not worth its cost for so few entries. */
const FEW_ENTRIES = 128;

/** Entries that are looked at in one step. */
const ENTRIES_A_STEP = 10_000;

/** An index that is not complete yet. */
interface Growing {
  readonly index: LabelIndex;
  /** Entries before this key are in the index, if they have the label. */
  readonly from: string;
}

/** Visits candidates in key order, and knows their number. */
interface Path {
  readonly candidates: number;
  scan(from: string, visit: (entry: Entry) => boolean): void;
}

/** See the head of this file. */
export class ResourceState {
  readonly #entries: OrderedIndex<Keyed, Entry>;
  /** The index of each label, the most recently used one last; created with the first. */
  #labels: Map<string, LabelIndex> | undefined;
  #growing: Map<string, Growing> | undefined;
  /** Unreadable entries, if any. */
  #unreadable: OrderedIndex<Keyed, Entry> | undefined;

  private constructor(entries: OrderedIndex<Keyed, Entry>) {
    this.#entries = entries;
  }

  /** Creates a state from entries in key order. */
  static of(sorted: readonly Entry[]): ResourceState {
    return atOnce(ResourceState.inSteps(sorted));
  }

  /** Likewise, in steps that take less than a millisecond. */
  static *inSteps(sorted: readonly Entry[]): Steps<ResourceState> {
    const state = new ResourceState(yield* OrderedIndex.buildInSteps<Keyed, Entry>(byKey, sorted));
    for (let i = 0; i < sorted.length; i++) {
      const entry = sorted[i]!;
      if (entry.unreadable) state.#addUnreadable(entry);
      if (i % ENTRIES_A_STEP === ENTRIES_A_STEP - 1) yield;
    }
    return state;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The number of label indexes. */
  get indexedLabels(): number {
    return this.#labels?.size ?? 0;
  }

  /** Whether there are unreadable entries. */
  get hasUnreadable(): boolean {
    return this.#unreadable !== undefined;
  }

  /** The unreadable entries, in key order. */
  get unreadable(): readonly Entry[] {
    const found: Entry[] = [];
    this.#unreadable?.scan(undefined, (entry) => found.push(entry) > 0);
    return found;
  }

  /** The first unreadable entry in the scope of a selection, in logarithmic time. */
  firstUnreadable(selection: Pick<Selection, "key" | "prefix">): Entry | undefined {
    let first: Entry | undefined;
    this.#unreadable?.scan({ key: selection.key ?? selection.prefix }, (entry) => {
      if (covers(selection, entry.key)) first = entry;
      return false;
    });
    return first;
  }

  /** A copy, in constant time. */
  clone(): ResourceState {
    const copy = new ResourceState(this.#entries.clone());
    if (this.#labels) copy.#labels = copies(this.#labels, (index) => index.clone());
    if (this.#growing) copy.#growing = copies(this.#growing, ({ index, from }) => ({ index: index.clone(), from }));
    if (this.#unreadable) copy.#unreadable = this.#unreadable.clone();
    return copy;
  }

  /** The entry of a key, in logarithmic time. */
  get(key: string): Entry | undefined {
    return this.#entries.get({ key });
  }

  /** Adds an entry; returns the one that it replaced. */
  put(entry: Entry): Entry | undefined {
    const previous = this.#entries.set(entry);
    if (entry.unreadable) this.#addUnreadable(entry);
    else if (this.#unreadable) this.#forgetUnreadable(entry.key);
    this.#eachIndex(entry.key, (index, label) => {
      const value = labelOf(entry, label);
      if (previous !== undefined && labelOf(previous, label) !== value) index.delete(previous);
      if (value !== undefined) index.set(entry);
    });
    return previous;
  }

  /** Removes an entry and returns it. */
  remove(key: string): Entry | undefined {
    const previous = this.#entries.delete({ key });
    if (previous === undefined) return undefined;
    if (this.#unreadable) this.#forgetUnreadable(key);
    this.#eachIndex(key, (index, label) => {
      if (labelOf(previous, label) !== undefined) index.delete(previous);
    });
    return previous;
  }

  /** The number of keys that begin with `prefix`. */
  count(prefix: string): number {
    if (prefix === "") return this.size;
    return this.#entries.rank({ key: afterPrefix(prefix) }) - this.#entries.rank({ key: prefix });
  }

  /** The number of keys that begin with `prefix` and come after `key`. */
  countAfter(prefix: string, key: string): number {
    const end = prefix === "" ? this.size : this.#entries.rank({ key: afterPrefix(prefix) });
    return end - this.#entries.rank({ key: `${key}\0` });
  }

  /** At most `count` entries whose keys begin with `prefix`, from the one with `offset` of them before it on, in key order. */
  range(prefix: string, offset: number, count: number): Entry[] {
    const found: Entry[] = [];
    if (count <= 0) return found;
    const before = prefix === "" ? 0 : this.#entries.rank({ key: prefix });
    this.#entries.scanAt(before + offset, (entry) => {
      if (!entry.key.startsWith(prefix)) return false;
      found.push(entry);
      return found.length < count;
    });
    return found;
  }

  /** The labels of a selection for which an index would be faster, and does not exist. */
  labelsWorthAnIndex({ key, prefix, labels }: Selection): readonly string[] {
    if (key !== undefined || labels === undefined || labels.length === 0 || this.count(prefix) <= FEW_ENTRIES)
      return [];
    const names = labels.slice(0, MAX_LABELS).map(([label]) => label);
    return names.filter((label) => !this.#labels?.has(label));
  }

  /** Extends the index of a label for one slice of the event loop; returns whether it is complete. */
  extendIndex(requested: string): boolean {
    if (this.#labels?.has(requested)) return true;
    // The label is part of a request's query, which the index must not keep in memory.
    const label = flatCopy(requested);
    const { index, from } = this.#growing?.get(label) ?? { index: new OrderedIndex(byLabel(label)), from: "" };
    let left = EFFORT;
    let next: string | undefined;
    this.#entries.scan({ key: from }, (entry) => {
      if (left <= 0) next = entry.key;
      else if (labelOf(entry, label) !== undefined) index.set(entry);
      left -= effortOf(entry);
      return next === undefined;
    });
    if (next !== undefined) {
      (this.#growing ??= new Map()).set(label, { index, from: next });
      return false;
    }
    this.#growing?.delete(label);
    this.#use(label, index);
    return true;
  }

  /**
   * Visits entries with the prefix of a selection from the key `from` on, in key order, until `visit` returns false: all that match,
   * and perhaps others.
   */
  scan(selection: Selection, from: string, visit: (entry: Entry) => boolean): void {
    this.#path(selection).scan(from, visit);
  }

  #path(selection: Selection): Path {
    const { prefix, labels } = selection;
    let best: Path = {
      candidates: labels === undefined || labels.length === 0 ? 0 : this.count(prefix),
      scan: (from, visit) => {
        this.#entries.scan({ key: from }, (entry) => entry.key.startsWith(prefix) && visit(entry));
      },
    };
    if (best.candidates <= FEW_ENTRIES) return best;
    for (const [label, value] of labels ?? []) {
      const index = this.#labels?.get(label);
      if (!index) continue;
      this.#use(label, index);
      const path = labelPath(index, prefix, label, value);
      if (path.candidates < best.candidates) best = path;
    }
    return best;
  }

  #addUnreadable(entry: Entry): void {
    (this.#unreadable ??= new OrderedIndex(byKey)).set(entry);
  }

  #forgetUnreadable(key: string): void {
    this.#unreadable!.delete({ key });
    if (this.#unreadable!.size === 0) this.#unreadable = undefined;
  }

  #use(label: string, index: LabelIndex): void {
    const labels = (this.#labels ??= new Map());
    labels.delete(label);
    labels.set(label, index);
    if (labels.size > MAX_LABELS) labels.delete(labels.keys().next().value);
  }

  /** Visits the indexes that contain, or would contain, an entry of this key. */
  #eachIndex(key: string, visit: (index: LabelIndex, label: string) => void): void {
    if (this.#labels) for (const [label, index] of this.#labels) visit(index, label);
    if (!this.#growing) return;
    for (const [label, { index, from }] of this.#growing) if (compareKeys(key, from) < 0) visit(index, label);
  }
}

const copies = <T>(map: ReadonlyMap<string, T>, copy: (value: T) => T): Map<string, T> =>
  new Map([...map].map(([label, value]) => [label, copy(value)]));

function labelPath(index: LabelIndex, prefix: string, label: string, value: string): Path {
  const labels = Object.fromEntries([[label, value]]);
  const nextValue = Object.fromEntries([[label, `${value}\0`]]);
  const end = prefix === "" ? { key: "", labels: nextValue } : { key: afterPrefix(prefix), labels };
  return {
    candidates: index.rank(end) - index.rank({ key: prefix, labels }),
    scan: (from, visit) => {
      index.scan(
        { key: from, labels },
        (entry) => labelOf(entry, label) === value && entry.key.startsWith(prefix) && visit(entry),
      );
    },
  };
}
