import type { Bytes } from "../storage/contract.ts";

/** One version of one object; immutable. */
export interface Entry {
  /** In its resource: `namespace/name`, or `name` in a cluster-scoped resource. */
  readonly key: string;
  /** The revision of the change to this version. */
  readonly revision: number;
  /** The object as JSON with its resourceVersion. */
  readonly bytes: Uint8Array;
  /** May be computed at the first access. */
  readonly labels: Readonly<Record<string, string>>;
  /** Set where the stored value is no object, such as a text without its key; it has no bytes and no labels. */
  readonly unreadable?: true;
}

/**
 * Creates the entry of a stored value; of a delete with the last value and the revision of the delete. An exception is a bug: stored
 * values were checked when they were written.
 */
export type EntryFactory = (key: string, value: Bytes, revision: number) => Entry;

/** A resource of the cache. */
export interface CacheResource {
  /** The beginning of the store's keys; ends with `/`. No prefix may begin with another one. */
  readonly prefix: string;
  readonly factory: EntryFactory;
  /**
   * The same state with a later revision, for the DELETED event when an object stops matching a selector (DEC-28: the last matching
   * state, with the revision of the change).
   */
  readonly restamp: (entry: Entry, revision: number) => Entry;
}

/** The entries of a list or a watch. All conditions must hold. */
export interface Selection {
  /** Equal ids mean equal selections: watchers with the same id share a group. */
  readonly id: string;
  /** `""` for all, `namespace/` for one namespace. */
  readonly prefix: string;
  /** One object only, by its whole key. */
  readonly key?: string;
  /** Required values of labels; an index may find them. */
  readonly labels?: readonly (readonly [label: string, value: string])[];
  /** All other conditions: set-based labels, fields. */
  matches?(entry: Entry): boolean;
}

/** The key in its resource of a store key, as a copy: a slice would keep the store key in memory and is slower to compare. */
export const keyInside = (prefix: string, storeKey: string): string =>
  Buffer.from(storeKey.slice(prefix.length), "utf8").toString("utf8");

/** The value of a label, undefined when the entry does not have it. */
export function labelOf(entry: Pick<Entry, "labels">, label: string): string | undefined {
  const { labels } = entry;
  return Object.hasOwn(labels, label) ? labels[label] : undefined;
}

/** Whether the selection has conditions besides the key, so that an object can start and stop matching. */
export const isSelective = (selection: Selection): boolean =>
  selection.matches !== undefined || (selection.labels !== undefined && selection.labels.length > 0);

/** Whether a key is in the scope of the selection. */
export const covers = (selection: Pick<Selection, "key" | "prefix">, key: string): boolean =>
  selection.key === undefined ? key.startsWith(selection.prefix) : key === selection.key;

/** Whether an entry matches the labels and the filter of a selection; its key is not checked. */
export function passes(selection: Selection, entry: Entry): boolean {
  const { labels } = selection;
  if (labels !== undefined) {
    for (const [label, value] of labels) if (labelOf(entry, label) !== value) return false;
  }
  return selection.matches === undefined || selection.matches(entry);
}

/** The first string after all that begin with `prefix`, which is neither empty nor ends with the last code unit. */
export const afterPrefix = (prefix: string): string =>
  prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);

/** The effort of one slice of the event loop: 250 objects of a KiB, a few milliseconds. */
export const EFFORT = 500;

/** The effort of examining an entry, which may have to be parsed: one, and one more for each KiB. */
export const effortOf = (entry: Entry): number => 1 + (entry.bytes.length >>> 10);
