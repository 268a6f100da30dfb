/**
 * One watcher, from its start to its end.
 *
 *     starting -> catching up -> live -> ended
 *
 * During catch-up a watcher reads in small steps with pauses: the current state (when requested), then the store's log for changes
 * before the history in memory, then that history. After the last change of the history it joins its group, in the same slice of the
 * event loop, so that it misses no change.
 *
 * Invariant: a sink has received, in order and once each, exactly the matching events after the start and up to
 * {@link Watch.revision}. It is never called before `watch` has returned, nor after `close` or `ended`.
 *
 * @module
 */
import { StoreError } from "../storage/contract.ts";
import type { Activity } from "../util/activity.ts";
import { EFFORT, type Selection, covers, effortOf } from "./entry.ts";
import { CacheError, cacheErrorOf, closed } from "./errors.ts";
import { type Member, type WatchBatch, ownBatch } from "./groups.ts";
import type { Change, WatchEvent } from "./history.ts";
import type { Pause } from "./load.ts";
import type { Snapshot } from "./snapshot.ts";

/** Receives the events of a watch. */
export interface WatchSink {
  /** Receives a batch, synchronously; a sink that is too slow must close its watch. */
  deliver(batch: WatchBatch): void;
  /** The watch ended and nothing follows: `compacted`, `closed` or `failed`. */
  ended(error: CacheError): void;
  /** Called between the parts of a long start (state and history): a promise that resolves when the sink can take more, if it must wait. */
  drained?(): Promise<void> | undefined;
}

/** A running watch. */
export interface Watch {
  /** Every matching event up to it was delivered; the revision of a bookmark. */
  readonly revision: number;
  /** Whether catch-up is done and events are delivered when they are committed. */
  readonly live: boolean;
  /** Ends the watch; its sink is not called any more. */
  close(): void;
}

/** The start of a watch: the changes after a revision, or the current state. */
export type WatchStart = { readonly after: number } | { readonly initial: true };

/** The part of a resource that a watch uses. */
export interface WatchSource {
  /** Everything up to this revision was delivered to the live watchers. */
  readonly delivered: number;
  /** The history in memory has every change after this revision. */
  readonly historyStart: number;
  /** Counts watches during catch-up. */
  readonly activity: Activity | undefined;
  /** Builds the indexes for a selection. */
  prepare(selection: Selection): Promise<void> | undefined;
  snapshot(): Snapshot;
  changesAfter(revision: number, limit: number): readonly Change[];
  seenBy(change: Change, selection: Selection): WatchEvent | undefined;
  /**
   * Reads the store's log from `after` and delivers what the selection sees, up to the history in memory; resolves to the reached
   * revision. Rejects with CacheError.
   */
  replay(selection: Selection, after: number, sink: ReplaySink): Promise<number>;
  /** Resolves when the cache has the revision; `signal` cancels the wait. */
  reached(revision: number, signal: AbortSignal): Promise<void>;
  readonly pause: Pause;
  join(selection: Selection, member: Member): void;
  leave(selection: Selection, member: Member): void;
  /** Removes a watcher that has ended. */
  forget(watch: CacheWatch): void;
}

/** Receives the events of a replay. */
export interface ReplaySink {
  readonly signal: AbortSignal;
  /** Receives events up to a revision; resolves when it can take more. */
  deliver(events: readonly WatchEvent[], revision: number): Promise<void>;
}

/** Entries or changes in one step of a start. */
const STEP_ITEMS = 500;

/** See the head of this file. */
export class CacheWatch implements Watch, Member {
  readonly #source: WatchSource;
  readonly selection: Selection;
  readonly #sink: WatchSink;
  readonly #ending = new AbortController();
  #state: "catching up" | "live" | "ended" = "catching up";
  #position: number;
  /** Ends the activity of reading; waits for a revision or for the sink do not count. */
  #endActivity: (() => void) | undefined;

  constructor(source: WatchSource, selection: Selection, start: WatchStart, sink: WatchSink) {
    this.#source = source;
    this.selection = selection;
    this.#sink = sink;
    this.#position = "after" in start ? start.after : 0;
    this.#beginActivity();
    queueMicrotask(() => {
      void this.#catchUp("initial" in start)
        .catch((error: unknown) => this.fail(error))
        .finally(() => this.#endActivity?.());
    });
  }

  get revision(): number {
    return this.#state === "live" ? this.#source.delivered : this.#position;
  }

  get live(): boolean {
    return this.#state === "live";
  }

  close(): void {
    if (this.#state === "ended") return;
    // Keep the position: a bookmark may read it while the stream is being closed.
    this.#position = this.revision;
    if (this.#state === "live") this.#source.leave(this.selection, this);
    this.#state = "ended";
    this.#ending.abort(closed("the watch"));
    this.#source.forget(this);
  }

  /** Ends the watch and notifies the sink. */
  end(error: CacheError): void {
    if (this.#state === "ended") return;
    this.close();
    try {
      this.#sink.ended(error);
    } catch {
      // The watch has ended; an error of the sink changes nothing.
    }
  }

  deliver(batch: WatchBatch): void {
    if (this.#state === "ended") return;
    try {
      this.#sink.deliver(batch);
    } catch (error) {
      this.fail(error);
    }
  }

  fail(cause: unknown): void {
    if (cause instanceof CacheError) return this.end(cause);
    if (cause instanceof StoreError) return this.end(cacheErrorOf(cause));
    this.end(new CacheError("failed", "Expected the watch to be served, got an error", cause));
  }

  async #catchUp(initial: boolean): Promise<void> {
    if (this.#ended()) return;
    if (initial) await this.#sendState();
    else if (this.#position > this.#source.delivered) {
      await this.#idle(this.#source.reached(this.#position, this.#ending.signal));
    }
    while (this.#state === "catching up") {
      if (this.#position < this.#source.historyStart) await this.#sendLog();
      else if (this.#sendHistory()) return;
      else await this.#pause();
    }
  }

  async #sendState(): Promise<void> {
    const preparing = this.#source.prepare(this.selection);
    if (preparing) await preparing;
    if (this.#ended()) return;
    const snapshot = this.#source.snapshot();
    let after: string | undefined;
    for (;;) {
      const range = { limit: STEP_ITEMS, budget: EFFORT, ...(after === undefined ? {} : { after }) };
      const { entries, next } = snapshot.list(this.selection, range);
      const events = entries.map((entry): WatchEvent => ({ type: "ADDED", entry }));
      // A bookmark may have the revision only when the state is complete.
      if (next === undefined) this.#position = snapshot.revision;
      if (events.length > 0 || next === undefined) {
        this.deliver(ownBatch(events, this.#position, next === undefined));
      }
      if (next === undefined || this.#state === "ended") return;
      after = next;
      await this.#pause();
      if (this.#ended()) return;
    }
  }

  async #sendLog(): Promise<void> {
    this.#position = await this.#source.replay(this.selection, this.#position, {
      signal: this.#ending.signal,
      deliver: async (events, revision) => {
        this.#position = revision;
        if (events.length > 0) this.deliver(ownBatch(events, revision));
        await this.#pause();
      },
    });
  }

  /** Sends a part of the history; after the last one it joins the group and returns true. */
  #sendHistory(): boolean {
    const changes = this.#source.changesAfter(this.#position, STEP_ITEMS);
    const events: WatchEvent[] = [];
    let looked = 0;
    for (let effort = 0; looked < changes.length; looked++) {
      const change = changes[looked]!;
      // Changes of one revision stay together, because the next part begins after a revision.
      if (effort >= EFFORT && change.revision > changes[looked - 1]!.revision) break;
      if (!covers(this.selection, change.entry.key)) continue;
      effort += effortOf(change.entry);
      const event = this.#source.seenBy(change, this.selection);
      if (event) events.push(event);
    }
    const last = looked === changes.length && looked < STEP_ITEMS;
    this.#position = last ? Math.max(this.#position, this.#source.delivered) : changes[looked - 1]!.revision;
    if (events.length > 0) this.deliver(ownBatch(events, this.#position));
    if (!last || this.#ended()) return last;
    this.#state = "live";
    this.#source.join(this.selection, this);
    return true;
  }

  /** Returns to the event loop, and waits for the sink. */
  async #pause(): Promise<void> {
    const drained = this.#sink.drained?.();
    if (drained) await this.#idle(Promise.race([drained, aborted(this.#ending.signal)]));
    await this.#source.pause();
  }

  #beginActivity(): void {
    this.#endActivity = this.#source.activity?.begin("start of a watch");
  }

  async #idle(until: Promise<void>): Promise<void> {
    this.#endActivity?.();
    await until;
    this.#beginActivity();
  }

  /** Whether the watch has ended; the sink may have closed it in a call. */
  #ended(): boolean {
    return this.#state === "ended";
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
