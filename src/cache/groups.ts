/**
 * The live watchers of one resource, grouped by what they want to see.
 *
 * A change looks only at the groups where it could matter: those of its key, of its namespace and of the whole
 * resource. Each of them evaluates it once, however many watchers it has; changes that were committed together reach a
 * watcher as one batch.
 *
 * @module
 */
import type { CacheResource, Selection } from "./entry.ts";
import type { Change, WatchEvent } from "./history.ts";

/** Events for a watcher, in order of revision. */
export interface WatchBatch {
  readonly events: readonly WatchEvent[];
  /** After this batch the watcher has every event up to this revision. */
  readonly revision: number;
  /** True once for a watch that started with the present state: that state has now been delivered in full. */
  readonly initialEnd: boolean;
  /** Shared by all watchers that get this very batch, so that it is encoded once; undefined for one that one of them gets. */
  readonly memo: Map<unknown, unknown> | undefined;
}

/** Makes a batch for one watcher. */
export const ownBatch = (events: readonly WatchEvent[], revision: number, initialEnd = false): WatchBatch => ({
  events,
  revision,
  initialEnd,
  memo: undefined,
});

/** Makes a batch that nobody has encoded yet. */
const sharedBatch = (events: readonly WatchEvent[], revision: number): WatchBatch => ({
  events,
  revision,
  initialEnd: false,
  memo: new Map(),
});

/** A member of a group. */
export interface Member {
  deliver(batch: WatchBatch): void;
  /** Its selection could not be evaluated: it would miss an event, so it must end. */
  fail(cause: unknown): void;
}

interface Group {
  readonly selection: Selection;
  readonly members: Set<Member>;
  pending: WatchEvent[];
}

type Place = Map<string, Map<string, Group>>;

/** See the head of this file. */
export class Groups {
  // Place of a group (a key or a prefix), then id of its selection.
  readonly #byKey: Place = new Map();
  readonly #byPrefix: Place = new Map();
  #touched: Group[] = [];
  #groups = 0;

  get groups(): number {
    return this.#groups;
  }

  /** Puts a watcher into the group of its selection. */
  join(selection: Selection, member: Member): void {
    const { place, at } = this.#placeOf(selection);
    let there = place.get(at);
    if (!there) place.set(at, (there = new Map()));
    let group = there.get(selection.id);
    if (!group) {
      there.set(selection.id, (group = { selection, members: new Set(), pending: [] }));
      this.#groups++;
    }
    group.members.add(member);
  }

  /** Takes a watcher out of its group; the last one takes the group with it. */
  leave(selection: Selection, member: Member): void {
    const { place, at } = this.#placeOf(selection);
    const there = place.get(at);
    const group = there?.get(selection.id);
    if (!there || !group?.members.delete(member)) return;
    if (group.members.size > 0) return;
    there.delete(selection.id);
    this.#groups--;
    if (there.size === 0) place.delete(at);
  }

  /** Evaluates a change for the groups that it may concern; {@link Groups.flush} delivers. */
  offer(change: Change, restamp: CacheResource["restamp"]): void {
    if (this.#groups === 0) return;
    const { key } = change.entry;
    if (this.#byKey.size > 0) this.#offerTo(this.#byKey.get(key), change, restamp);
    this.#offerTo(this.#byPrefix.get(""), change, restamp);
    const slash = key.indexOf("/");
    if (slash >= 0) this.#offerTo(this.#byPrefix.get(key.slice(0, slash + 1)), change, restamp);
  }

  /** Delivers what has been offered since the last time; members then have everything up to `revision`. */
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

  #placeOf(selection: Selection): { place: Place; at: string } {
    return selection.key === undefined
      ? { place: this.#byPrefix, at: selection.prefix }
      : { place: this.#byKey, at: selection.key };
  }
}
