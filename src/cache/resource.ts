/**
 * The cache of one resource: its objects now, its recent past, and those who watch it.
 *
 * It does not follow the store by itself. Its {@link Hub} feeds it committed changes ({@link ResourceCache.apply}) and
 * then, when all resources have theirs, lets it deliver them ({@link ResourceCache.flush}); so whoever is called by a
 * watch sees every resource at the same revision. What an idle resource does not need is made when it is first used.
 *
 * @module
 */
import type { Store, StoreEvent } from "../storage/contract.ts";
import type { Activity } from "../util/activity.ts";
import { type CacheResource, type Entry, type Selection, keyInside } from "./entry.ts";
import { type CacheError, closed, compacted, fromStore, future, unreadable } from "./errors.ts";
import { Groups } from "./groups.ts";
import { type Pause, loadState } from "./load.ts";
import { replay } from "./replay.ts";
import { ResourceState } from "./resource-state.ts";
import { type Snapshot, StateSnapshot } from "./snapshot.ts";
import { Timeline, type TimelineSettings } from "./timeline.ts";
import type { Version } from "./versions.ts";
import { CacheWatch, type Watch, type WatchSink, type WatchSource, type WatchStart } from "./watch.ts";

/** What all resources of a cache share, and who feeds them. */
export interface Hub extends TimelineSettings {
  readonly store: Store;
  /** Every change up to this revision has been applied to all resources. */
  readonly revision: number;
  /** Every change up to this revision has been handed to all live watchers. */
  readonly delivered: number;
  reached(revision: number, signal: AbortSignal): Promise<void>;
  readonly pause: Pause;
  readonly activity: Activity | undefined;
}

/** Figures of one resource, for `/metrics`. */
export interface ResourceStats {
  readonly prefix: string;
  readonly objects: number;
  /** Changes in memory, the bytes that they hold, and the revision that they start after. */
  readonly historyEvents: number;
  readonly historyBytes: number;
  readonly historyStart: number;
  readonly watches: number;
  readonly groups: number;
  readonly keptVersions: number;
  readonly labelIndexes: number;
}

/** Those who watch a resource. */
interface Watchers {
  readonly all: Set<CacheWatch>;
  readonly groups: Groups;
  readonly source: WatchSource;
}

/** See the head of this file. */
export class ResourceCache {
  /** What the cache keeps, and how its entries are made. */
  readonly resource: CacheResource;
  readonly #hub: Hub;
  readonly #timeline: Timeline;
  /** Made when the first one comes. */
  #watchers: Watchers | undefined;
  #closed: CacheError | undefined;
  /** Whether it has nothing to show any more. */
  #dropped = false;

  /** Made by the hub, which then calls {@link ResourceCache.reset}. */
  constructor(hub: Hub, resource: CacheResource, timeline: Timeline = new Timeline(hub)) {
    this.#hub = hub;
    this.resource = resource;
    this.#timeline = timeline;
  }

  /**
   * The object as it is now.
   *
   * @throws CacheError when the resource has been removed or has failed
   */
  get(key: string): Entry | undefined {
    const entry = this.#timeline.get(key);
    if (entry === undefined) this.#checkThere();
    return entry;
  }

  /** The error that ended this resource. */
  get closed(): CacheError | undefined {
    return this.#closed;
  }

  /** The revision of the last change: as long as it is the same, so is every object. */
  get since(): number {
    return this.#timeline.since;
  }

  /** The keys of the changes after a revision, oldest first; undefined where memory does not go back so far. */
  keysSince(revision: number): readonly string[] | undefined {
    const { history } = this.#timeline;
    return revision < history.start ? undefined : history.after(revision, Infinity).map(({ entry }) => entry.key);
  }

  /** How many objects there are now. */
  get size(): number {
    return this.#timeline.size;
  }

  /** The objects of now that cannot be read. */
  get unreadable(): readonly Entry[] {
    return this.#timeline.unreadable;
  }

  /**
   * The present state, in constant time. A list of it that leaves more for later keeps it readable by revision.
   *
   * @throws CacheError when the resource has been removed or has failed
   */
  snapshot(): Snapshot {
    this.#checkThere();
    return this.#show(this.#hub.revision, this.#timeline.present());
  }

  /**
   * The state at a revision. Recent ones are kept, others are made by undoing changes.
   *
   * @throws CacheError `compacted` when the history in memory begins after it, `future` when it has not come yet; those
   *   of {@link ResourceCache.snapshot}
   */
  snapshotAt(revision: number): Snapshot {
    this.#checkThere();
    if (revision > this.#hub.revision) throw future(revision, this.#hub.revision);
    return this.#show(revision, this.#timeline.at(revision));
  }

  /**
   * The state at a revision that memory may have forgotten, read from the store if need be; its cost grows with the
   * number of objects. Rejects with CacheError `compacted` when the store has forgotten it too, `future`, `closed` or `failed`.
   */
  async recall(revision: number): Promise<Snapshot> {
    try {
      return this.snapshotAt(revision);
    } catch (error) {
      if ((error as CacheError).code !== "compacted") throw error;
    }
    const { store, pause } = this.#hub;
    const state = await loadState(store, this.resource, revision, pause).catch(fromStore);
    return this.#show(revision, this.#timeline.foreign(state, revision));
  }

  /**
   * Makes the snapshots from then on answer a selection fast; in turns, so that nothing else is held up. Undefined when
   * there is nothing to do.
   */
  prepare(selection: Selection): Promise<void> | undefined {
    return this.#timeline.prepare(selection, this.#hub.pause);
  }

  /**
   * Starts a watch; its sink is called from the next turn on. A start in the future waits for its revision; one that
   * memory has forgotten is read from the store's log; one that the store has forgotten ends with `compacted`.
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

  /** How much it holds, and how many watch it; the mean size is that of its first objects. */
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

  /** The same resource in another cache, as it is now and without its past; for the hub. */
  fork(hub: Hub): ResourceCache {
    return new ResourceCache(hub, this.resource, this.#timeline.fork(hub, hub.revision));
  }

  /**
   * Starts anew from a state of the store; for the hub. What happened in between is not known, so every watch ends with
   * `compacted`.
   */
  reset(state: ResourceState, revision: number): void {
    if (this.#dropped) return;
    this.#timeline.reset(state, revision);
    this.#eachWatch((watch) => watch.end(compacted(watch.revision, revision)));
  }

  /** Takes a committed change to one of its keys; for the hub. */
  apply(event: StoreEvent): void {
    const { prefix, factory, restamp } = this.resource;
    const deleted = event.type === "delete";
    const key = keyInside(prefix, event.key);
    if (deleted && this.#timeline.get(key) === undefined) return;
    const entry = factory(key, event.value, event.revision);
    if (entry.unreadable || this.#timeline.hasUnreadable) return this.#applyNear(entry, deleted);
    const change = this.#timeline.apply(entry, deleted);
    this.#watchers?.groups.offer(change, restamp);
  }

  /**
   * Puts entries in the place of the same versions, as far as those could not be read; answers how many; for the hub. Watches
   * that are open look elsewhere: over what cannot be read there is none.
   */
  heal(entries: readonly Entry[]): number {
    const healed = entries.filter((entry) => {
      const before = this.#timeline.get(entry.key);
      return before?.unreadable && before.revision === entry.revision && !entry.unreadable;
    });
    if (healed.length > 0) this.#timeline.heal(healed, this.#hub.revision);
    return healed.length;
  }

  /** Delivers what has been applied; for the hub. */
  flush(): void {
    this.#watchers?.groups.flush(this.#hub.revision);
  }

  /** Ends every watch that is open now, as `closed`; they can be taken up again where they were. */
  endWatches(): void {
    const error = closed(this.resource.prefix);
    this.#eachWatch((watch) => watch.end(error));
  }

  /** Ends every watch, and those to come; what is in memory can be read on; for the hub. */
  close(error: CacheError): void {
    this.#closed ??= error;
    this.#eachWatch((watch) => watch.end(error));
  }

  /** Ends every watch and gives up what is in memory, whoever still holds this cache; for the hub. */
  drop(error: CacheError = closed(this.resource.prefix)): void {
    this.close(error);
    this.#timeline.reset(ResourceState.of([]), this.#hub.revision);
    this.#watchers = undefined;
    this.#dropped = true;
  }

  /** Takes a change where it or what was there before may be unreadable. */
  #applyNear(entry: Entry, deleted: boolean): void {
    const { restamp } = this.resource;
    const before = this.#timeline.get(entry.key);
    const isReadable = before ? !before.unreadable && (deleted || !entry.unreadable) : !entry.unreadable;
    if (isReadable) {
      // What goes is shown as it was, whether or not its last value can be read.
      const shown = entry.unreadable ? restamp(before!, entry.revision) : entry;
      const seen = this.#timeline.apply(shown, deleted);
      this.#watchers?.groups.offer(seen, restamp);
      return;
    }
    const change = this.#timeline.applyUnreadable(entry, deleted);
    // Watches that are open have begun after it became unreadable: they have not seen it, and do not miss it.
    if (entry.unreadable && !deleted) this.#eachWatch((watch) => watch.end(unreadable(this.resource.prefix)));
    else if (!deleted) this.#watchers?.groups.offer(change, restamp);
  }

  #checkThere(): void {
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
      changesAfter: (revision, most) => timeline.history.after(revision, most),
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
