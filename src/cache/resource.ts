/**
 * The cache of one resource: its current objects, its recent changes, and its watchers.
 *
 * It does not follow the store itself. Its {@link Hub} applies committed changes ({@link ResourceCache.apply}) and, when all
 * resources have theirs, delivers them ({@link ResourceCache.flush}); so a called watcher sees every resource at the same revision.
 * What an unused resource does not need is created at the first use.
 *
 * @module
 */
import type { Store, StoreEvent } from "../storage/contract.ts";
import type { Activity } from "../util/activity.ts";
import { type CacheResource, type Entry, type Selection, keyInside } from "./entry.ts";
import { type CacheError, closed, compacted, fromStore, future, unreadable } from "./errors.ts";
import { Groups } from "./groups.ts";
import { type Pause, type StatePart, loadPart } from "./load.ts";
import { replay } from "./replay.ts";
import { ResourceState } from "./resource-state.ts";
import { type Snapshot, StateSnapshot } from "./snapshot.ts";
import { Timeline, type TimelineSettings } from "./timeline.ts";
import type { Version } from "./versions.ts";
import { CacheWatch, type Watch, type WatchSink, type WatchSource, type WatchStart } from "./watch.ts";

/** What all resources of a cache share. */
export interface Hub extends TimelineSettings {
  readonly store: Store;
  /** Every change up to this revision has been applied to all resources. */
  readonly revision: number;
  /** Every change up to this revision has been delivered to all live watchers. */
  readonly delivered: number;
  reached(revision: number, signal: AbortSignal): Promise<void>;
  readonly pause: Pause;
  readonly activity: Activity | undefined;
}

/** Statistics of one resource, for `/metrics`. */
export interface ResourceStats {
  readonly prefix: string;
  readonly objects: number;
  /** Changes in memory, their bytes, and the revision after which they start. */
  readonly historyEvents: number;
  readonly historyBytes: number;
  readonly historyStart: number;
  readonly watches: number;
  readonly groups: number;
  readonly keptVersions: number;
  readonly labelIndexes: number;
}

/** The watchers of a resource. */
interface Watchers {
  readonly all: Set<CacheWatch>;
  readonly groups: Groups;
  readonly source: WatchSource;
}

/** See the head of this file. */
export class ResourceCache {
  /** The prefix of the resource, and the factory of its entries. */
  readonly resource: CacheResource;
  readonly #hub: Hub;
  readonly #timeline: Timeline;
  /** Created for the first watcher. */
  #watchers: Watchers | undefined;
  #closed: CacheError | undefined;
  /** Whether its objects were released. */
  #dropped = false;

  /** The hub creates it, and then calls {@link ResourceCache.reset}. */
  constructor(hub: Hub, resource: CacheResource, timeline: Timeline = new Timeline(hub)) {
    this.#hub = hub;
    this.resource = resource;
    this.#timeline = timeline;
  }

  /** The current object of a key. @throws CacheError when the resource was removed or has failed */
  get(key: string): Entry | undefined {
    const entry = this.#timeline.get(key);
    if (entry === undefined) this.#checkServed();
    return entry;
  }

  /** The error that ended this resource. */
  get closed(): CacheError | undefined {
    return this.#closed;
  }

  /** The revision of the last change: while it is the same, so is every object. */
  get since(): number {
    return this.#timeline.since;
  }

  /** The keys of the changes after a revision, oldest first; undefined where the history in memory starts later. */
  keysSince(revision: number): readonly string[] | undefined {
    const { history } = this.#timeline;
    return revision < history.start ? undefined : history.after(revision, Infinity).map(({ entry }) => entry.key);
  }

  /** The number of current objects. */
  get size(): number {
    return this.#timeline.size;
  }

  /** The current objects that cannot be read. */
  get unreadable(): readonly Entry[] {
    return this.#timeline.unreadable;
  }

  /**
   * The current state, in constant time. A list of it that has a next page keeps its revision readable.
   *
   * @throws CacheError when the resource was removed or has failed
   */
  snapshot(): Snapshot {
    this.#checkServed();
    return this.#show(this.#hub.revision, this.#timeline.current());
  }

  /**
   * The state at a revision. Recent states are kept, others are computed by undoing changes.
   *
   * @throws CacheError `compacted` when the history in memory begins later, `future` for a newer revision; those of
   *   {@link ResourceCache.snapshot}
   */
  snapshotAt(revision: number): Snapshot {
    this.#checkServed();
    if (revision > this.#hub.revision) throw future(revision, this.#hub.revision);
    return this.#show(revision, this.#timeline.at(revision));
  }

  /**
   * The state at a revision, read from the store where the history in memory begins later; the cost then grows with the number of
   * objects. Rejects with CacheError `compacted` when the store has compacted it, too, `future`, `closed` or `failed`.
   */
  async recall(revision: number): Promise<Snapshot> {
    try {
      return this.snapshotAt(revision);
    } catch (error) {
      if ((error as CacheError).code !== "compacted") throw error;
    }
    const { store, pause } = this.#hub;
    const { state, bytes } = await loadPart(store, this.resource, revision, pause).catch(fromStore);
    return this.#show(revision, this.#timeline.external(state, revision, bytes));
  }

  /**
   * As {@link ResourceCache.recall}, but of what is read from the store only the keys with a prefix, and those not kept for others.
   * Resolves to the snapshot, and the bytes that it alone keeps in memory. Rejects with {@link TooMuch}, too.
   */
  async recallPart(
    revision: number,
    part: StatePart,
  ): Promise<{ readonly snapshot: Snapshot; readonly bytes: number }> {
    try {
      return { snapshot: this.snapshotAt(revision), bytes: 0 };
    } catch (error) {
      if ((error as CacheError).code !== "compacted") throw error;
    }
    const { store, pause } = this.#hub;
    const { state, bytes } = await loadPart(store, this.resource, revision, pause, part).catch(fromStore);
    return { snapshot: new StateSnapshot(revision, state, pause, () => {}), bytes };
  }

  /** Builds the indexes for a selection, in slices of the event loop. Undefined when there is nothing to do. */
  prepare(selection: Selection): Promise<void> | undefined {
    return this.#timeline.prepare(selection, this.#hub.pause);
  }

  /**
   * Starts a watch; its sink is called later. A start in the future waits for its revision; one before the history in memory is read
   * from the store's log; one before the store's history ends with `compacted`.
   *
   * @throws CacheError when the resource is closed
   */
  watch(selection: Selection, start: WatchStart, sink: WatchSink): Watch {
    if (this.#closed) throw this.#closed;
    const { all, source } = (this.#watchers ??= this.#makeWatchers());
    const watch = new CacheWatch(source, selection, start, sink);
    all.add(watch);
    return watch;
  }

  /** The number of objects and of watchers, and the mean size of the first objects. */
  load(): { readonly objects: number; readonly meanBytes: number; readonly watchers: number } {
    const { size, meanBytes } = this.#timeline;
    return { objects: size, meanBytes, watchers: this.#watchers?.all.size ?? 0 };
  }

  stats(): ResourceStats {
    const { history, size, keptVersions, indexedLabels } = this.#timeline;
    return {
      prefix: this.resource.prefix,
      objects: size,
      historyEvents: history.length,
      historyBytes: history.bytes,
      historyStart: history.start,
      watches: this.#watchers?.all.size ?? 0,
      groups: this.#watchers?.groups.groups ?? 0,
      keptVersions,
      labelIndexes: indexedLabels,
    };
  }

  /** A copy of the current objects for another cache, without history; for the hub. */
  fork(hub: Hub): ResourceCache {
    return new ResourceCache(hub, this.resource, this.#timeline.fork(hub, hub.revision));
  }

  /** Replaces the state by one of the store, after which every watch ends with `compacted`; for the hub. */
  reset(state: ResourceState, revision: number): void {
    if (this.#dropped) return;
    this.#timeline.reset(state, revision);
    this.#eachWatch((watch) => watch.end(compacted(watch.revision, revision)));
  }

  /** Applies a committed change; for the hub. */
  apply(event: StoreEvent): void {
    const { prefix, factory, restamp } = this.resource;
    const deleted = event.type === "delete";
    const key = keyInside(prefix, event.key);
    if (deleted && this.#timeline.get(key) === undefined) return;
    const entry = factory(key, event.value, event.revision);
    if (entry.unreadable || this.#timeline.hasUnreadable) return this.#applyUnreadable(entry, deleted);
    const change = this.#timeline.apply(entry, deleted);
    this.#watchers?.groups.offer(change, restamp);
  }

  /**
   * Replaces unreadable entries by readable ones of the same version; returns their number; for the hub. No open watch covers an
   * unreadable object.
   */
  repair(entries: readonly Entry[]): number {
    const repaired = entries.filter((entry) => {
      const before = this.#timeline.get(entry.key);
      return before?.unreadable && before.revision === entry.revision && !entry.unreadable;
    });
    if (repaired.length > 0) this.#timeline.repair(repaired, this.#hub.revision);
    return repaired.length;
  }

  /** Delivers the applied changes; for the hub. */
  flush(): void {
    this.#watchers?.groups.flush(this.#hub.revision);
  }

  /** Ends every open watch with `closed`; clients can resume them. */
  endWatches(): void {
    const error = closed(this.resource.prefix);
    this.#eachWatch((watch) => watch.end(error));
  }

  /** Ends every watch, also later ones; objects can still be read; for the hub. */
  close(error: CacheError): void {
    this.#closed ??= error;
    this.#eachWatch((watch) => watch.end(error));
  }

  /** Ends every watch and releases the objects; for the hub. */
  drop(error: CacheError = closed(this.resource.prefix)): void {
    this.close(error);
    this.#timeline.reset(ResourceState.of([]), this.#hub.revision);
    this.#watchers = undefined;
    this.#dropped = true;
  }

  /** Applies a change where it or the state before may be unreadable. */
  #applyUnreadable(entry: Entry, deleted: boolean): void {
    const { restamp } = this.resource;
    const before = this.#timeline.get(entry.key);
    const isReadable = before ? !before.unreadable && (deleted || !entry.unreadable) : !entry.unreadable;
    if (isReadable) {
      // A deleted object is shown as it was, when its last value cannot be read.
      const shown = entry.unreadable ? restamp(before!, entry.revision) : entry;
      const seen = this.#timeline.apply(shown, deleted);
      this.#watchers?.groups.offer(seen, restamp);
      return;
    }
    const change = this.#timeline.applyUnreadable(entry, deleted);
    // Open watches began after it became unreadable: they have not seen it, and need no event.
    if (entry.unreadable && !deleted) this.#eachWatch((watch) => watch.end(unreadable(this.resource.prefix)));
    else if (!deleted) this.#watchers?.groups.offer(change, restamp);
  }

  #checkServed(): void {
    if (this.#dropped) throw this.#closed ?? closed(this.resource.prefix);
  }

  #show(revision: number, version: Version): Snapshot {
    return new StateSnapshot(revision, version.state, this.#hub.pause, this.#timeline.keeping(version));
  }

  #eachWatch(visit: (watch: CacheWatch) => void): void {
    for (const watch of this.#watchers?.all ?? []) visit(watch);
  }

  #makeWatchers(): Watchers {
    const all = new Set<CacheWatch>();
    const groups = new Groups();
    return { all, groups, source: this.#makeSource(all, groups) };
  }

  #makeSource(all: Set<CacheWatch>, groups: Groups): WatchSource {
    const hub = this.#hub;
    const timeline = this.#timeline;
    const historyStart = (): number => timeline.history.start;
    const { resource } = this;
    return {
      get delivered() {
        return hub.delivered;
      },
      get historyStart() {
        return historyStart();
      },
      activity: hub.activity,
      prepare: (selection) => this.prepare(selection),
      snapshot: () => this.snapshot(),
      changesAfter: (revision, limit) => timeline.history.after(revision, limit),
      seenBy: (change, selection) => change.seenBy(selection, resource.restamp),
      replay: (selection, after, sink) => replay({ store: hub.store, resource, historyStart }, selection, after, sink),
      reached: (revision, signal) => hub.reached(revision, signal),
      pause: hub.pause,
      join: (selection, member) => groups.join(selection, member),
      leave: (selection, member) => groups.leave(selection, member),
      forget: (watch) => all.delete(watch),
    };
  }
}
