/**
 * The states of one resource over time: the present one, and those before it that memory can still show.
 *
 * The present state is a tree that is copied on write, so a snapshot, a fork and a kept version cost nothing until they
 * differ. Beside it there is nothing that a fork would have to copy: the history and the versions of a fork begin empty,
 * and what is known by key is only a memory of what the tree has been asked for.
 *
 * @module
 */
import type { Clock } from "../util/clock.ts";
import type { Budget } from "./budget.ts";
import type { Entry, Selection } from "./entry.ts";
import { compacted } from "./errors.ts";
import { Change, History, type HistoryLimits, costOf } from "./history.ts";
import type { Pause } from "./load.ts";
import { ResourceState } from "./resource-state.ts";
import { type Version, type VersionLimits, Versions } from "./versions.ts";

/** What a timeline is bounded by, and what it tells the time with. */
export interface TimelineSettings {
  readonly clock: Clock;
  readonly historyLimits: HistoryLimits;
  readonly versionLimits: VersionLimits;
  /** What the histories of all resources share. */
  readonly historyBudget: Budget;
  /** What the past states that are kept of all resources share. */
  readonly versionBudget: Budget;
}

/** Changes between two states that are kept so that going back in time stays fast. */
const CHECKPOINT = 4096;

/** Objects that are looked at for the mean size of all. */
const SAMPLE = 16;
const EVERYTHING: Selection = { id: "", prefix: "", matches: () => true };

/** See the head of this file. */
export class Timeline {
  readonly #settings: TimelineSettings;
  #history: History;
  #versions: Versions;
  #state: ResourceState;
  /** Entries of `#state` that were asked for or written: a get is the most frequent question and need not search the tree. */
  #known: Map<string, Entry> | undefined;
  /** The revision from which `#state` holds. */
  #since: number;
  /** Set while somebody may hold `#state`: then it must be copied before it is changed. */
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

  /** The revision from which the present state holds. */
  get since(): number {
    return this.#since;
  }

  get size(): number {
    return this.#state.size;
  }

  /** The mean size of objects in bytes, that of the first few. */
  get meanBytes(): number {
    let bytes = 0;
    let seen = 0;
    this.#state.scan(EVERYTHING, "", (entry) => {
      bytes += entry.bytes.length;
      return ++seen < SAMPLE;
    });
    return seen === 0 ? 0 : bytes / seen;
  }

  /** Whether some entries cannot be read now. */
  get hasUnreadable(): boolean {
    return this.#state.hasUnreadable;
  }

  /** Those that cannot. */
  get unreadable(): readonly Entry[] {
    return this.#state.unreadable({ prefix: "" });
  }

  /** Versions that are kept whole. */
  get keptVersions(): number {
    return this.#versions.length;
  }

  /** Labels that have an index now. */
  get indexedLabels(): number {
    return this.#state.indexedLabels;
  }

  /** The object as it is now. */
  get(key: string): Entry | undefined {
    const known = this.#known?.get(key);
    if (known !== undefined) return known;
    const entry = this.#state.get(key);
    if (entry !== undefined) (this.#known ??= new Map()).set(entry.key, entry);
    return entry;
  }

  /** A timeline of its own that begins with the present state at `revision`, in constant time. */
  fork(settings: TimelineSettings, revision: number): Timeline {
    return new Timeline(settings, this.#state.clone(), revision);
  }

  /** The present state as a version that nobody changes any more. */
  present(): Version {
    return (this.#current ??= {
      state: this.#state,
      since: this.#since,
      until: Infinity,
      retired: this.#versions.retired,
    });
  }

  /**
   * The state at a revision that is not after the present. Recent ones are kept, others are made by undoing changes.
   *
   * @throws CacheError `compacted` when the history in memory begins after it
   */
  at(revision: number): Version {
    if (revision >= this.#since) return this.present();
    this.#expire();
    return this.#versions.at(revision) ?? this.#undo(revision);
  }

  /** What keeps a version for those who read a list page by page; it does nothing once all has started anew. */
  keeping(version: Version): () => void {
    const versions = this.#versions;
    return () => {
      if (versions === this.#versions) this.#keep(version);
    };
  }

  /** A version that was not made here, and shares nothing with those that were. */
  foreign(state: ResourceState, revision: number): Version {
    // It counts as if all it holds had been replaced since; how long it lasted is not known, so it stands for its one revision.
    let bytes = 0;
    state.forEach((entry) => (bytes += costOf(entry)));
    return { state, since: revision, until: revision, retired: this.#versions.retired - bytes };
  }

  /** Starts anew with a state of which nothing before is known. */
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

  /** Takes a committed change: an entry that is there from now on, or the last one of an object that is deleted. */
  apply(entry: Entry, deleted: boolean): Change {
    const { key } = entry;
    const state = this.#changeable(entry.revision);
    const previous = deleted ? state.remove(key) : state.put(entry);
    if (deleted) this.#known?.delete(key);
    else (this.#known ??= new Map()).set(key, entry);
    const change = new Change(entry, previous, deleted, this.#settings.clock.steady());
    this.#history.push(change);
    this.#settings.historyBudget.count(this.#history);
    if (previous) this.#versions.retire(costOf(previous));
    if (++this.#sinceCheckpoint >= CHECKPOINT) this.#checkpoint();
    else if (this.#versions.length > 0) this.#settings.versionBudget.count(this.#versions);
    return change;
  }

  /**
   * Takes a change to or from an entry that cannot be read. What was before cannot be told to anybody, so the history begins
   * anew behind it.
   */
  applyUnreadable(entry: Entry, deleted: boolean): Change {
    const state = this.#changeable(entry.revision);
    if (deleted) state.remove(entry.key);
    else state.put(entry);
    this.reset(state, entry.revision);
    return new Change(entry, undefined, deleted, this.#settings.clock.steady());
  }

  /**
   * Puts entries in the place of those that could not be read, though nothing has been written. Nobody has seen what was there,
   * so the history begins anew at the present revision.
   */
  heal(entries: readonly Entry[], revision: number): void {
    const state = this.#changeable(revision);
    for (const entry of entries) state.put(entry);
    this.reset(state, revision);
  }

  /** Builds the label indexes that make a selection fast, in turns; undefined when there is nothing to build. */
  prepare(selection: Selection, pause: Pause): Promise<void> | undefined {
    const labels = this.#state.labelsWorthAnIndex(selection);
    return labels.length === 0 ? undefined : this.#index(labels, pause);
  }

  async #index(labels: readonly string[], pause: Pause): Promise<void> {
    for (const label of labels) while (!this.#state.extendIndex(label)) await pause();
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

  #undo(revision: number): Version {
    const history = this.#history;
    if (revision < history.start) throw compacted(revision, history.start);
    const base = this.#versions.firstAfter(revision) ?? this.present();
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
    this.#versions.checkpoint(this.present());
    this.#expire();
  }

  #expire(): void {
    this.#versions.expire(this.#settings.clock.steady(), this.#history.start);
    this.#settings.versionBudget.count(this.#versions);
  }
}
