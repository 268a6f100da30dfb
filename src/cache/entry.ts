/**
 * What the cache knows of an object: its key, its bytes and its labels.
 *
 * @module
 */
import type { Bytes } from "../storage/contract.ts";

/** One version of one object; immutable. */
export interface Entry {
  /** Inside its resource: `namespace/name`, or `name` for resources of the cluster. */
  readonly key: string;
  /** The revision of the change that made this version. */
  readonly revision: number;
  /** The object as JSON on the wire, resourceVersion included. */
  readonly bytes: Uint8Array;
  /** May be computed when first asked for. */
  readonly labels: Readonly<Record<string, string>>;
  /** Set where something is stored that is no object, such as a text without its key: no bytes and no labels are known. */
  readonly unreadable?: true;
}

/**
 * Makes the entry of a stored value. For a delete it is called with the last value and the revision of the delete.
 * What it throws is a mistake: stored values were checked when they were written.
 */
export type EntryFactory = (key: string, value: Bytes, revision: number) => Entry;

/** One resource for the cache to keep. */
export interface CacheResource {
  /** What the store's keys begin with; ends with `/`. No prefix may begin with another one. */
  readonly prefix: string;
  readonly factory: EntryFactory;
  /**
   * The same state under a later revision: what a watcher gets as DELETED when an object stops matching its selector
   * (DEC-28: the last matching state, with the revision of the change).
   */
  readonly restamp: (entry: Entry, revision: number) => Entry;
}

/** Which entries a list or a watch wants. All conditions must hold. */
export interface Selection {
  /** Equal ids mean equal selections: watchers with the same id share a group. */
  readonly id: string;
  /** `""` for all, `namespace/` for one namespace. */
  readonly prefix: string;
  /** One object only, by its whole key. */
  readonly key?: string;
  /** Labels that must have these values; they can be answered from an index. */
  readonly labels?: readonly (readonly [label: string, value: string])[];
  /** Everything else: set-based labels, fields. */
  matches?(entry: Entry): boolean;
}

/**
 * The key inside its resource of a key of the store, as a text of its own: a mere slice would keep the whole store key
 * alive and makes each comparison slower.
 */
export const keyInside = (prefix: string, storeKey: string): string =>
  Buffer.from(storeKey.slice(prefix.length), "utf8").toString("utf8");

/** The value of a label, undefined when the entry has no such label of its own. */
export function labelOf(entry: Pick<Entry, "labels">, label: string): string | undefined {
  const { labels } = entry;
  return Object.hasOwn(labels, label) ? labels[label] : undefined;
}

/** Whether the selection says more than where to look, so that an object can start and stop matching. */
export const isSelective = (selection: Selection): boolean =>
  selection.matches !== undefined || (selection.labels !== undefined && selection.labels.length > 0);

/** Whether a key is where the selection looks. */
export const covers = (selection: Pick<Selection, "key" | "prefix">, key: string): boolean =>
  selection.key === undefined ? key.startsWith(selection.prefix) : key === selection.key;

/** Whether an entry has the labels and passes the filter of a selection; where it lies is not looked at. */
export function passes(selection: Selection, entry: Entry): boolean {
  const { labels } = selection;
  if (labels !== undefined) {
    for (const [label, value] of labels) if (labelOf(entry, label) !== value) return false;
  }
  return selection.matches === undefined || selection.matches(entry);
}

/** The first string after all that begin with `prefix`, which is not empty and does not end with the last code unit. */
export const afterPrefix = (prefix: string): string =>
  prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);

/** The effort that one turn of the event loop may take; with objects of a KiB it is 250 of them, a few milliseconds. */
export const EFFORT = 500;

/** What it takes to look into an entry, which may have to be parsed: one, and one more for each KiB. */
export const effortOf = (entry: Entry): number => 1 + (entry.bytes.length >>> 10);
