/**
 * The cache of one resource: its objects now, its recent past, and those who watch it.
 *
 * It does not follow the store by itself. Its {@link Hub} feeds it committed changes ({@link ResourceCache.apply}) and
 * then, when all resources have theirs, lets it deliver them ({@link ResourceCache.flush}); so whoever is called by a
 * watch sees every resource at the same revision.
 *
 * @module
 */
import type { Store, StoreEvent } from "../storage/contract.ts";
import type { Clock } from "../util/clock.ts";
import { type CacheResource, type Entry, type Selection, keyInside } from "./entry.ts";
import { type CacheError, closed, compacted, fromStore, future } from "./errors.ts";
import { Groups, type Member } from "./groups.ts";
import { Change, History, type HistoryLimits, type WatchEvent } from "./history.ts";
import { type Pause, loadState } from "./load.ts";
import { replay } from "./replay.ts";
import { ResourceState } from "./resource-state.ts";
import { type Snapshot, StateSnapshot } from "./snapshot.ts";
import { type Version, type VersionLimits, Versions } from "./versions.ts";
import { CacheWatch, type ReplaySink, type Watch, type WatchSink, type WatchSource, type WatchStart } from "./watch.ts";

/** What all resources of a cache share, and who feeds them. */
export interface Hub {
  readonly store: Store;
  readonly clock: Clock;
  readonly historyLimits: HistoryLimits;
  readonly versionLimits: VersionLimits;
  /** Every change up to this revision has been applied to all resources. */
  readonly revision: number;
  /** Every change up to this revision has been handed to all live watchers. */
  readonly delivered: number;
  reached(revision: number, signal: AbortSignal): Promise<void>;
  readonly pause: Pause;
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

/** Changes between two states that are kept so that going back in time stays fast. */
const CHECKPOINT = 4096;

/** See the head of this file. */
export class ResourceCache {
  readonly resource: CacheResource;
  readonly #hub: Hub;
  readonly #groups: Groups;
  readonly #versions: Versions;
  readonly #watches = new Set<CacheWatch>();
  readonly #source: WatchSource;
  #history: History;
  /** The entries of `#state` by key: a get is the most frequent question and need not search the tree. */
  readonly #newest = new Map<string, Entry>();
  #state = ResourceState.of([]);
  /** The revision from which `#state` holds. */
  #since = 0;
  /** Set while somebody may hold `#state`: then it must be copied before it is changed. */
  #current: Version | undefined;
  #retired = 0;
  #sinceCheckpoint = 0;
  /** The error that ended this resource. */
  #closed: CacheError | undefined;

  /** Made by the hub, which then calls {@link ResourceCache.reset}. */
  constructor(hub: Hub, resource: CacheResource) {
    this.#hub = hub;
    this.resource = resource;
    this.#groups = new Groups(resource.restamp);
    this.#versions = new Versions(hub.versionLimits);
    this.#history = new History(0, hub.historyLimits);
    this.#source = this.#makeSource();
  }

  /** The object as it is now. */
  get(key: string): Entry | undefined {
    return this.#newest.get(key);
  }

  /** How many objects there are now. */
  get size(): number {
    return this.#state.size;
  }

  /** The present state, in constant time. A list of it that leaves more for later keeps it readable by revision. */
  snapshot(): Snapshot {
    return this.#show(this.#hub.revision, this.#present());
  }

  /**
   * The state at a revision. Recent ones are kept, others are made by undoing changes.
   *
   * @throws CacheError `compacted` when the history in memory begins after it, `future` when it has not come yet
   */
  snapshotAt(revision: number): Snapshot {
    if (revision > this.#hub.revision) throw future(revision, this.#hub.revision);
    if (revision >= this.#since) return this.#show(revision, this.#present());
    this.#expire();
    return this.#show(revision, this.#versions.at(revision) ?? this.#undo(revision));
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
    const state = await loadState(this.#hub.store, this.resource, revision, this.#hub.pause).catch(fromStore);
    // Unlike the others it shares nothing with the present: it counts as if all it holds had been replaced since.
    let bytes = 0;
    state.forEach((entry) => (bytes += entry.bytes.length));
    // How long this state lasted is not known, so it stands for its one revision.
    return this.#show(revision, { state, since: revision, until: revision, retired: this.#retired - bytes });
  }

  /**
   * Starts a watch; its sink is called from the next turn on. A start in the future waits for its revision; one that
   * memory has forgotten is read from the store's log; one that the store has forgotten ends with `compacted`.
   *
   * @throws CacheError when the resource is closed
   */
  watch(selection: Selection, start: WatchStart, sink: WatchSink): Watch {
    if (this.#closed) throw this.#closed;
    const watch = new CacheWatch(this.#source, selection, start, sink);
    this.#watches.add(watch);
    return watch;
  }

  stats(): ResourceStats {
    return {
      prefix: this.resource.prefix,
      objects: this.#state.size,
      historyEvents: this.#history.length,
      historyBytes: this.#history.bytes,
      historyStart: this.#history.start,
      watches: this.#watches.size,
      groups: this.#groups.groups,
      keptVersions: this.#versions.length,
      labelIndexes: this.#state.indexedLabels,
    };
  }

  /** Bytes that the history holds; for the hub. */
  get historyBytes(): number {
    return this.#history.bytes;
  }

  /** Lets go of the oldest history until at most `bytes` are left; for the hub. */
  shrinkHistory(bytes: number): void {
    this.#history.shrink(bytes);
  }

  /**
   * Starts anew from a state of the store; for the hub. What happened in between is not known, so every watch ends with
   * `compacted`.
   */
  reset(state: ResourceState, revision: number): void {
    this.#state = state;
    this.#newest.clear();
    state.forEach((entry) => this.#newest.set(entry.key, entry));
    this.#since = revision;
    this.#current = undefined;
    this.#versions.clear();
    this.#history = new History(revision, this.#hub.historyLimits);
    for (const watch of this.#watches) watch.end(compacted(watch.revision, revision));
  }

  /** Takes a committed change to one of its keys; for the hub. */
  apply(event: StoreEvent): void {
    const deleted = event.type === "delete";
    const key = keyInside(this.resource.prefix, event.key);
    const previous = this.#newest.get(key);
    if (deleted && previous === undefined) return;
    const entry = this.resource.factory(key, event.value, event.revision);
    const state = this.#changeable(event.revision);
    if (deleted) {
      this.#newest.delete(key);
      state.remove(key);
    } else {
      this.#newest.set(key, entry);
      state.put(entry);
    }
    const change = new Change(entry, previous, deleted, this.#hub.clock.steady());
    this.#history.push(change);
    this.#retired += previous?.bytes.length ?? 0;
    this.#groups.offer(change);
    if (++this.#sinceCheckpoint >= CHECKPOINT) this.#checkpoint();
    else if (this.#retired > this.#versions.mostRetired) this.#expire();
  }

  /** Delivers what has been applied; for the hub. */
  flush(): void {
    this.#groups.flush(this.#hub.revision);
  }

  /** Ends every watch that is open now, as `closed`; they can be taken up again where they were. */
  endWatches(): void {
    const error = closed(this.resource.prefix);
    for (const watch of this.#watches) watch.end(error);
  }

  /** Ends every watch, and those to come; for the hub. */
  close(error: CacheError = closed(this.resource.prefix)): void {
    this.#closed ??= error;
    for (const watch of this.#watches) watch.end(error);
  }

  /** The present state as a version that nobody changes any more. */
  #present(): Version {
    return (this.#current ??= { state: this.#state, since: this.#since, until: Infinity, retired: this.#retired });
  }

  /** The present state to be changed at `revision`; what snapshots hold is left to them. */
  #changeable(revision: number): ResourceState {
    if (this.#current) {
      this.#current.until = revision - 1;
      this.#current = undefined;
      this.#state = this.#state.clone();
    }
    this.#since = revision;
    return this.#state;
  }

  #show(revision: number, version: Version): Snapshot {
    return new StateSnapshot(revision, version.state, () => {
      this.#versions.keep(version, this.#hub.clock.steady());
      this.#expire();
    });
  }

  #undo(revision: number): Version {
    const history = this.#history;
    if (revision < history.start) throw compacted(revision, history.start);
    const base = this.#versions.firstAfter(revision) ?? this.#present();
    const state = base.state.clone();
    let { retired } = base;
    let until = Infinity;
    history.backwards(base.since, revision, (change) => {
      if (change.previous) state.put(change.previous);
      else state.remove(change.entry.key);
      retired -= change.previous?.bytes.length ?? 0;
      until = change.revision - 1;
    });
    const version = { state, since: history.lastUpTo(revision), until, retired };
    this.#versions.keep(version, this.#hub.clock.steady());
    return version;
  }

  #checkpoint(): void {
    this.#sinceCheckpoint = 0;
    this.#versions.checkpoint(this.#present());
    this.#expire();
  }

  #expire(): void {
    this.#versions.expire(this.#hub.clock.steady(), this.#history.start, this.#retired);
  }

  #makeSource(): WatchSource {
    const hub = this.#hub;
    const historyStart = (): number => this.#history.start;
    const source = { store: hub.store, resource: this.resource, historyStart };
    return {
      get delivered() {
        return hub.delivered;
      },
      get historyStart() {
        return historyStart();
      },
      snapshot: () => this.snapshot(),
      changesAfter: (revision, most) => this.#history.after(revision, most),
      seenBy: (change: Change, selection): WatchEvent | undefined => change.seenBy(selection, this.resource.restamp),
      replay: (selection, after, sink: ReplaySink) => replay(source, selection, after, sink),
      reached: (revision, signal) => hub.reached(revision, signal),
      pause: hub.pause,
      join: (selection, member: Member) => this.#groups.join(selection, member),
      leave: (selection, member: Member) => this.#groups.leave(selection, member),
      forget: (watch) => this.#watches.delete(watch),
    };
  }
}
