/**
 * The objects of one resource at one moment: by key, and by the labels that selectors have asked for.
 *
 * A label index orders the entries that have a label by its value, then by key, so that an equality selector costs in
 * proportion to its answer. It is built when a selector first names the label and kept up from then on.
 *
 * @module
 */
import { compareKeys } from "../storage/keys.ts";
import { type Entry, type Selection, afterPrefix, labelOf } from "./entry.ts";
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

/** A way to visit candidates in key order, and how many there are. */
interface Path {
  readonly candidates: number;
  scan(from: string, visit: (entry: Entry) => boolean): void;
}

/** See the head of this file. */
export class ResourceState {
  readonly #entries: OrderedIndex<Keyed, Entry>;
  readonly #labels: Map<string, LabelIndex>;

  private constructor(entries: OrderedIndex<Keyed, Entry>, labels: Map<string, LabelIndex>) {
    this.#entries = entries;
    this.#labels = labels;
  }

  /** The state with these entries, given in key order. */
  static of(sorted: readonly Entry[]): ResourceState {
    return new ResourceState(OrderedIndex.build<Keyed, Entry>(byKey, sorted), new Map());
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Labels that have an index now. */
  get indexedLabels(): number {
    return this.#labels.size;
  }

  /** A copy, in a time that does not depend on the number of entries. */
  clone(): ResourceState {
    const labels = new Map<string, LabelIndex>();
    for (const [label, index] of this.#labels) labels.set(label, index.clone());
    return new ResourceState(this.#entries.clone(), labels);
  }

  /** The entry of a key; in logarithmic time. */
  get(key: string): Entry | undefined {
    return this.#entries.get({ key });
  }

  /** Puts an entry in; returns the one that it replaced. */
  put(entry: Entry): Entry | undefined {
    const previous = this.#entries.set(entry);
    for (const [label, index] of this.#labels) {
      const value = labelOf(entry, label);
      if (previous !== undefined && labelOf(previous, label) !== value) index.delete(previous);
      if (value !== undefined) index.set(entry);
    }
    return previous;
  }

  /** Takes an entry out and returns it. */
  remove(key: string): Entry | undefined {
    const previous = this.#entries.delete({ key });
    if (previous === undefined) return undefined;
    for (const [label, index] of this.#labels) if (labelOf(previous, label) !== undefined) index.delete(previous);
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
      const path = labelPath(this.#labelIndex(label), prefix, label, value);
      if (path.candidates < best.candidates) best = path;
    }
    return best;
  }

  #labelIndex(label: string): LabelIndex {
    const index = this.#labels.get(label) ?? this.#buildLabelIndex(label);
    this.#labels.delete(label);
    this.#labels.set(label, index);
    if (this.#labels.size > MOST_LABELS) this.#labels.delete(this.#labels.keys().next().value!);
    return index;
  }

  /** Groups by value while in key order, so that only the values need to be sorted. */
  #buildLabelIndex(label: string): LabelIndex {
    const byValue = new Map<string, Entry[]>();
    this.forEach((entry) => {
      const value = labelOf(entry, label);
      if (value === undefined) return;
      const group = byValue.get(value);
      if (group) group.push(entry);
      else byValue.set(value, [entry]);
    });
    const groups = [...byValue].toSorted(([a], [b]) => compareKeys(a, b)).map(([, entries]) => entries);
    return OrderedIndex.build<Labelled, Entry>(byLabel(label), groups.flat());
  }
}

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
