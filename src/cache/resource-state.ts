/**
 * The objects of one resource at one moment: by key, and by the labels that selectors have asked for.
 *
 * A label index orders the entries that have a label by its value, then by key, so that an equality selector costs in
 * proportion to its answer. It is built in turns before a selector that names the label is answered, and kept up from
 * then on; a selection whose labels have no index is answered by looking at every entry in its place.
 *
 * @module
 */
import { compareKeys } from "../storage/keys.ts";
import { EFFORT, type Entry, type Selection, afterPrefix, covers, effortOf, labelOf } from "./entry.ts";
import { flatCopy } from "../util/flat-copy.ts";
import { OrderedIndex } from "../util/ordered-index.ts";

type Keyed = Pick<Entry, "key">;
type Labelled = Pick<Entry, "key" | "labels">;
type LabelIndex = OrderedIndex<Labelled, Entry>;

const byKey = (a: Keyed, b: Keyed): number => compareKeys(a.key, b.key);

const byLabel =
  (label: string) =>
  (a: Labelled, b: Labelled): number =>
    compareKeys(labelOf(a, label) ?? "", labelOf(b, label) ?? "") || compareKeys(a.key, b.key);

/** Most label indexes of one resource; the one that was not used for longest makes room. */
const MOST_LABELS = 8;

/** Where no more entries than this could be looked at, an index would not pay. */
const FEW = 128;

/** An index that is not complete yet. */
interface Growing {
  readonly index: LabelIndex;
  /** Entries before this key are in the index, if they have the label. */
  readonly from: string;
}

/** A way to visit candidates in key order, and how many there are. */
interface Path {
  readonly candidates: number;
  scan(from: string, visit: (entry: Entry) => boolean): void;
}

/** See the head of this file. */
export class ResourceState {
  readonly #entries: OrderedIndex<Keyed, Entry>;
  /** The index of each label that has one, the one that was used last at the end; made with the first. */
  #labels: Map<string, LabelIndex> | undefined;
  #growing: Map<string, Growing> | undefined;
  /** Entries that cannot be read; mostly there are none. */
  #unreadable: Map<string, Entry> | undefined;

  private constructor(entries: OrderedIndex<Keyed, Entry>) {
    this.#entries = entries;
  }

  /** The state with these entries, given in key order. */
  static of(sorted: readonly Entry[]): ResourceState {
    const state = new ResourceState(OrderedIndex.build<Keyed, Entry>(byKey, sorted));
    const unreadable = sorted.filter((entry) => entry.unreadable);
    if (unreadable.length > 0) state.#unreadable = new Map(unreadable.map((entry) => [entry.key, entry]));
    return state;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Labels that have an index now. */
  get indexedLabels(): number {
    return this.#labels?.size ?? 0;
  }

  /** Whether some entries cannot be read. */
  get hasUnreadable(): boolean {
    return this.#unreadable !== undefined;
  }

  /** The entries in the place of a selection that cannot be read, in no order. */
  unreadable(selection: Pick<Selection, "key" | "prefix">): readonly Entry[] {
    return [...(this.#unreadable?.values() ?? [])].filter(({ key }) => covers(selection, key));
  }

  /** A copy, in a time that does not depend on the number of entries. */
  clone(): ResourceState {
    const copy = new ResourceState(this.#entries.clone());
    if (this.#labels) copy.#labels = copies(this.#labels, (index) => index.clone());
    if (this.#growing) copy.#growing = copies(this.#growing, ({ index, from }) => ({ index: index.clone(), from }));
    if (this.#unreadable) copy.#unreadable = new Map(this.#unreadable);
    return copy;
  }

  /** The entry of a key; in logarithmic time. */
  get(key: string): Entry | undefined {
    return this.#entries.get({ key });
  }

  /** Puts an entry in; returns the one that it replaced. */
  put(entry: Entry): Entry | undefined {
    const previous = this.#entries.set(entry);
    if (entry.unreadable) (this.#unreadable ??= new Map()).set(entry.key, entry);
    else if (this.#unreadable) this.#forgetUnreadable(entry.key);
    this.#eachIndex(entry.key, (index, label) => {
      const value = labelOf(entry, label);
      if (previous !== undefined && labelOf(previous, label) !== value) index.delete(previous);
      if (value !== undefined) index.set(entry);
    });
    return previous;
  }

  /** Takes an entry out and returns it. */
  remove(key: string): Entry | undefined {
    const previous = this.#entries.delete({ key });
    if (previous === undefined) return undefined;
    if (this.#unreadable) this.#forgetUnreadable(key);
    this.#eachIndex(key, (index, label) => {
      if (labelOf(previous, label) !== undefined) index.delete(previous);
    });
    return previous;
  }

  /** How many keys begin with `prefix`. */
  count(prefix: string): number {
    if (prefix === "") return this.size;
    return this.#entries.rank({ key: afterPrefix(prefix) }) - this.#entries.rank({ key: prefix });
  }

  /** How many keys that begin with `prefix` come after `key`. */
  countAfter(prefix: string, key: string): number {
    const end = prefix === "" ? this.size : this.#entries.rank({ key: afterPrefix(prefix) });
    return end - this.#entries.rank({ key: `${key}\0` });
  }

  /** Visits every entry in key order. */
  forEach(visit: (entry: Entry) => void): void {
    this.#entries.scan(undefined, (entry) => {
      visit(entry);
      return true;
    });
  }

  /** Labels without an index by which a selection could be answered faster than by looking at all entries in its place. */
  labelsWorthAnIndex({ key, prefix, labels }: Selection): readonly string[] {
    if (key !== undefined || labels === undefined || labels.length === 0 || this.count(prefix) <= FEW) return [];
    const names = labels.slice(0, MOST_LABELS).map(([label]) => label);
    return names.filter((label) => !this.#labels?.has(label));
  }

  /** Brings the index of a label nearer to its end, as far as one turn goes; answers whether it is complete. */
  extendIndex(asked: string): boolean {
    if (this.#labels?.has(asked)) return true;
    // It stands in the query of a request, and the index outlives that.
    const label = flatCopy(asked);
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
   * Visits entries under the prefix of a selection from the key `from` on, in key order, until `visit` returns false:
   * every selected one is among them, others may be.
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
    if (best.candidates <= FEW) return best;
    for (const [label, value] of labels ?? []) {
      const index = this.#labels?.get(label);
      if (!index) continue;
      this.#use(label, index);
      const path = labelPath(index, prefix, label, value);
      if (path.candidates < best.candidates) best = path;
    }
    return best;
  }

  #forgetUnreadable(key: string): void {
    this.#unreadable!.delete(key);
    if (this.#unreadable!.size === 0) this.#unreadable = undefined;
  }

  #use(label: string, index: LabelIndex): void {
    const labels = (this.#labels ??= new Map());
    labels.delete(label);
    labels.set(label, index);
    if (labels.size > MOST_LABELS) labels.delete(labels.keys().next().value!);
  }

  /** Visits the indexes that have, or would have, an entry of this key. */
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
