/**
 * The states of one resource over time: the current one, and earlier ones that are in memory.
 *
 * The current state is a copy-on-write tree, so a snapshot, a fork and a kept version cost nothing until they differ. A fork copies
 * nothing else: its history and versions begin empty, and entries by key are only a cache of the tree.
 *
 * @module
 */
import type { Clock } from "../util/clock.ts";
import type { Budget } from "./budget.ts";
import type { Entry, Selection } from "./entry.ts";
import { compacted } from "./errors.ts";
import { Change, History, type HistoryLimits, costOf, costOfValues } from "./history.ts";
import type { Pause } from "./load.ts";
import { ResourceState } from "./resource-state.ts";
import { type Version, type VersionLimits, Versions } from "./versions.ts";

/** The limits and the clock of a timeline. */
export interface TimelineSettings {
  readonly clock: Clock;
  readonly historyLimits: HistoryLimits;
  readonly versionLimits: VersionLimits;
  /** Shared by the histories of all resources. */
  readonly historyBudget: Budget;
  /** Shared by the kept states of all resources. */
  readonly versionBudget: Budget;
}

/** Changes between two kept states, so that reads of old revisions stay fast. */
const CHECKPOINT = 4096;

/** Entries that are found without a search. A Map of twice as many grows in a step of some 20 ms, one of a million in 100 ms. */
const MAX_KNOWN = 262_144;

/** Objects from which the mean size is computed. */
const SAMPLE = 16;
const EVERYTHING: Selection = { id: "", prefix: "", matches: () => true };

/** See the head of this file. */
export class Timeline {
  readonly #settings: TimelineSettings;
  #history: History;
  #versions: Versions;
  #state: ResourceState;
  /** Some entries of `#state` that were read or written: a get is the most frequent call and need not search the tree. */
  #known: Map<string, Entry> | undefined;
  /** The first revision of `#state`. */
  #since: number;
  /** Set while `#state` may be shared: then it must be copied before a change. */
  #current: Version | undefined;
  #sinceCheckpoint = 0;

  constructor(settings: TimelineSettings, state: ResourceState = ResourceState.of([]), revision = 0) {
    this.#settings = settings;
    this.#state = state;
    this.#since = revision;
    this.#history = new History(revision, settings.historyLimits);
    this.#versions = new Versions(settings.versionLimits);
  }

  get history(): History {
    return this.#history;
  }

  /** The first revision of the current state. */
  get since(): number {
    return this.#since;
  }

  get size(): number {
    return this.#state.size;
  }

  /** The mean size in bytes of the first few objects. */
  get meanBytes(): number {
    let bytes = 0;
    let seen = 0;
    this.#state.scan(EVERYTHING, "", (entry) => {
      bytes += entry.bytes.length;
      return ++seen < SAMPLE;
    });
    return seen === 0 ? 0 : bytes / seen;
  }

  /** Whether there are unreadable entries. */
  get hasUnreadable(): boolean {
    return this.#state.hasUnreadable;
  }

  /** The unreadable entries. */
  get unreadable(): readonly Entry[] {
    return this.#state.unreadable;
  }

  /** The number of kept states. */
  get keptVersions(): number {
    return this.#versions.length;
  }

  /** The number of label indexes. */
  get indexedLabels(): number {
    return this.#state.indexedLabels;
  }

  /** The current entry of a key. */
  get(key: string): Entry | undefined {
    const known = this.#known?.get(key);
    if (known !== undefined) return known;
    const entry = this.#state.get(key);
    if (entry !== undefined) this.#know(entry);
    return entry;
  }

  /** A timeline that begins with the current state at `revision`, in constant time. */
  fork(settings: TimelineSettings, revision: number): Timeline {
    return new Timeline(settings, this.#state.clone(), revision);
  }

  /** The current state as an immutable version. */
  current(): Version {
    return (this.#current ??= {
      state: this.#state,
      since: this.#since,
      until: Infinity,
      retired: this.#versions.retired,
    });
  }

  /**
   * The state at a revision. Recent states are kept, others are computed by undoing changes.
   *
   * @throws CacheError `compacted` when the history in memory begins later
   */
  at(revision: number): Version {
    if (revision >= this.#since) return this.current();
    this.#expire();
    return this.#versions.at(revision) ?? this.#undo(revision);
  }

  /** Returns a function that keeps a version for paged lists; it has no effect after a reset. */
  keeping(version: Version): () => void {
    const versions = this.#versions;
    return () => {
      if (versions === this.#versions) this.#keep(version);
    };
  }

  /**
   * A version that was not created here, and shares nothing with those that were.
   *
   * @param bytes of its values
   */
  external(state: ResourceState, revision: number, bytes: number): Version {
    // It counts as if all of its entries had been replaced since; its other revisions are unknown.
    const retired = this.#versions.retired - costOfValues(state.size, bytes);
    return { state, since: revision, until: revision, retired };
  }

  /** Replaces the state, and deletes the history. */
  reset(state: ResourceState, revision: number): void {
    this.#state = state;
    this.#known = undefined;
    this.#since = revision;
    this.#current = undefined;
    const { historyBudget, historyLimits, versionBudget, versionLimits } = this.#settings;
    historyBudget.forget(this.#history);
    versionBudget.forget(this.#versions);
    this.#history = new History(revision, historyLimits);
    this.#versions = new Versions(versionLimits);
  }

  /** Applies a committed change: the new entry, or the last one of a deleted object. */
  apply(entry: Entry, deleted: boolean): Change {
    const { key } = entry;
    const state = this.#writable(entry.revision);
    const previous = deleted ? state.remove(key) : state.put(entry);
    if (deleted) this.#known?.delete(key);
    else this.#know(entry);
    const change = new Change(entry, previous, deleted, this.#settings.clock.steady());
    this.#history.push(change);
    this.#settings.historyBudget.count(this.#history);
    if (previous) this.#versions.retire(costOf(previous));
    if (++this.#sinceCheckpoint >= CHECKPOINT) this.#checkpoint();
    else if (this.#versions.length > 0) this.#settings.versionBudget.count(this.#versions);
    return change;
  }

  /** Applies a change to or from an unreadable entry. Its previous state has no event, so the history begins again after it. */
  applyUnreadable(entry: Entry, deleted: boolean): Change {
    const state = this.#writable(entry.revision);
    if (deleted) state.remove(entry.key);
    else state.put(entry);
    this.reset(state, entry.revision);
    return new Change(entry, undefined, deleted, this.#settings.clock.steady());
  }

  /**
   * Replaces unreadable entries without a write. No watcher has seen them, so the history begins again at the current revision.
   */
  repair(entries: readonly Entry[], revision: number): void {
    const state = this.#writable(revision);
    for (const entry of entries) state.put(entry);
    this.reset(state, revision);
  }

  /** Keeps an entry for {@link Timeline.get}; where there are enough of them, begins anew. */
  #know(entry: Entry): void {
    if (!this.#known || this.#known.size >= MAX_KNOWN) this.#known = new Map();
    this.#known.set(entry.key, entry);
  }

  /** Builds the label indexes of a selection, in slices of the event loop; undefined when there is nothing to build. */
  prepare(selection: Selection, pause: Pause): Promise<void> | undefined {
    const labels = this.#state.labelsWorthAnIndex(selection);
    return labels.length === 0 ? undefined : this.#index(labels, pause);
  }

  async #index(labels: readonly string[], pause: Pause): Promise<void> {
    for (const label of labels) while (!this.#state.extendIndex(label)) await pause();
  }

  /** The current state for a change at `revision`; a shared one is copied. */
  #writable(revision: number): ResourceState {
    if (this.#current) {
      this.#current.until = revision - 1;
      this.#current = undefined;
      this.#state = this.#state.clone();
    }
    this.#since = revision;
    return this.#state;
  }

  #undo(revision: number): Version {
    const history = this.#history;
    if (revision < history.start) throw compacted(revision, history.start);
    const base = this.#versions.firstAfter(revision) ?? this.current();
    const state = base.state.clone();
    let { retired } = base;
    let until = Infinity;
    history.backwards(base.since, revision, (change) => {
      if (change.previous) state.put(change.previous);
      else state.remove(change.entry.key);
      retired -= change.previous ? costOf(change.previous) : 0;
      until = change.revision - 1;
    });
    const version = { state, since: history.lastUpTo(revision), until, retired };
    this.#keep(version);
    return version;
  }

  #keep(version: Version): void {
    this.#versions.keep(version, this.#settings.clock.steady());
    this.#expire();
    this.#settings.versionBudget.trim();
  }

  #checkpoint(): void {
    this.#sinceCheckpoint = 0;
    this.#versions.checkpoint(this.current());
    this.#expire();
  }

  #expire(): void {
    this.#versions.expire(this.#settings.clock.steady(), this.#history.start);
    this.#settings.versionBudget.count(this.#versions);
  }
}
