/**
 * The live watchers of one resource, grouped by their selections.
 *
 * A change is compared only with the groups of its key, of its namespace and of the whole resource. Each group evaluates it once,
 * for all of its watchers; changes that were committed together reach a watcher as one batch.
 *
 * @module
 */
import type { CacheResource, Selection } from "./entry.ts";
import type { Change, WatchEvent } from "./history.ts";

/** Events for a watcher, in order of revision. */
export interface WatchBatch {
  readonly events: readonly WatchEvent[];
  /** The watcher now has every event up to this revision. */
  readonly revision: number;
  /** True once for a watch that started with the current state: that state is now complete. */
  readonly initialEnd: boolean;
  /** Shared by all watchers that get the batch, which is encoded once; undefined for a batch of one watcher. */
  readonly memo: Map<unknown, unknown> | undefined;
}

/** Creates a batch for one watcher. */
export const ownBatch = (events: readonly WatchEvent[], revision: number, initialEnd = false): WatchBatch => ({
  events,
  revision,
  initialEnd,
  memo: undefined,
});

/** Creates a batch for several watchers. */
const sharedBatch = (events: readonly WatchEvent[], revision: number): WatchBatch => ({
  events,
  revision,
  initialEnd: false,
  memo: new Map(),
});

/** A member of a group. */
export interface Member {
  deliver(batch: WatchBatch): void;
  /** Ends it: its selection could not be evaluated, so it would miss an event. */
  fail(cause: unknown): void;
}

interface Group {
  readonly selection: Selection;
  readonly members: Set<Member>;
  pending: WatchEvent[];
}

/** Groups by key or prefix, then by the id of the selection. */
type GroupMap = Map<string, Map<string, Group>>;

/** See the head of this file. */
export class Groups {
  readonly #byKey: GroupMap = new Map();
  readonly #byPrefix: GroupMap = new Map();
  #touched: Group[] = [];
  #groups = 0;

  get groups(): number {
    return this.#groups;
  }

  /** Adds a watcher to the group of its selection. */
  join(selection: Selection, member: Member): void {
    const { map, key } = this.#mapOf(selection);
    let groups = map.get(key);
    if (!groups) map.set(key, (groups = new Map()));
    let group = groups.get(selection.id);
    if (!group) {
      groups.set(selection.id, (group = { selection, members: new Set(), pending: [] }));
      this.#groups++;
    }
    group.members.add(member);
  }

  /** Removes a watcher, and its group when that is empty. */
  leave(selection: Selection, member: Member): void {
    const { map, key } = this.#mapOf(selection);
    const groups = map.get(key);
    const group = groups?.get(selection.id);
    if (!groups || !group?.members.delete(member)) return;
    if (group.members.size > 0) return;
    groups.delete(selection.id);
    this.#groups--;
    if (groups.size === 0) map.delete(key);
  }

  /** Evaluates a change for the groups of its key; {@link Groups.flush} delivers it. */
  offer(change: Change, restamp: CacheResource["restamp"]): void {
    if (this.#groups === 0) return;
    const { key } = change.entry;
    if (this.#byKey.size > 0) this.#offerTo(this.#byKey.get(key), change, restamp);
    this.#offerTo(this.#byPrefix.get(""), change, restamp);
    const slash = key.indexOf("/");
    if (slash >= 0) this.#offerTo(this.#byPrefix.get(key.slice(0, slash + 1)), change, restamp);
  }

  /** Delivers the changes since the last call; members then have everything up to `revision`. */
  flush(revision: number): void {
    const touched = this.#touched;
    if (touched.length === 0) return;
    this.#touched = [];
    for (const group of touched) {
      const batch = sharedBatch(group.pending, revision);
      group.pending = [];
      for (const member of group.members) member.deliver(batch);
    }
  }

  #offerTo(groups: ReadonlyMap<string, Group> | undefined, change: Change, restamp: CacheResource["restamp"]): void {
    if (!groups) return;
    for (const group of groups.values()) {
      let event: WatchEvent | undefined;
      try {
        event = change.seenBy(group.selection, restamp);
      } catch (error) {
        for (const member of group.members) member.fail(error);
      }
      if (event === undefined) continue;
      if (group.pending.length === 0) this.#touched.push(group);
      group.pending.push(event);
    }
  }

  #mapOf(selection: Selection): { map: GroupMap; key: string } {
    return selection.key === undefined
      ? { map: this.#byPrefix, key: selection.prefix }
      : { map: this.#byKey, key: selection.key };
  }
}
