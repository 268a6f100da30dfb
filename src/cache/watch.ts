/**
 * One watcher, from its start until it ends.
 *
 *     starting -> catching up -> live -> ended
 *
 * While it catches up a watcher reads for itself, in small steps between which others run: the present state (when it
 * asked for it), then the store's log for what memory has forgotten, then the history in memory. When it has read the
 * last change of the history it joins its group, in the same turn, so that no change falls between.
 *
 * Invariant: a sink has been handed, in order and once each, exactly the selected events after the start and up to
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

/** Where the events of a watch go. */
export interface WatchSink {
  /** Takes a batch at once; a sink that cannot keep up must close its watch, it is not waited for. */
  deliver(batch: WatchBatch): void;
  /** The watch ended by itself and nothing follows: `compacted`, `closed` or `failed`. */
  ended(error: CacheError): void;
  /**
   * Asked between the parts of a long start (state and history): a promise that resolves when there is room again,
   * nothing when there is.
   */
  drained?(): Promise<void> | undefined;
}

/** A running watch. */
export interface Watch {
  /** Every selected event up to it has been delivered; what a bookmark may say. */
  readonly revision: number;
  /** Whether it is past its start and gets events as they are committed. */
  readonly live: boolean;
  /** Ends the watch; its sink is not called any more. */
  close(): void;
}

/** Where a watch starts: with the changes after a revision, or with the present state. */
export type WatchStart = { readonly after: number } | { readonly initial: true };

/** What a watch needs of its resource. */
export interface WatchSource {
  /** Everything up to this revision has been delivered to the live watchers. */
  readonly delivered: number;
  /** The history in memory has every change after this revision. */
  readonly historyStart: number;
  /** Counts watches that read for themselves. */
  readonly activity: Activity | undefined;
  /** Makes snapshots from then on answer the selection fast. */
  prepare(selection: Selection): Promise<void> | undefined;
  snapshot(): Snapshot;
  changesAfter(revision: number, most: number): readonly Change[];
  seenBy(change: Change, selection: Selection): WatchEvent | undefined;
  /**
   * Reads the store's log from `after` and hands over what the selection sees, until the history in memory goes on
   * from there; resolves to the revision that was reached. Rejects with CacheError.
   */
  replay(selection: Selection, after: number, hand: ReplaySink): Promise<number>;
  /** Resolves when the revision has come; `signal` calls the wait off. */
  reached(revision: number, signal: AbortSignal): Promise<void>;
  readonly pause: Pause;
  join(selection: Selection, member: Member): void;
  leave(selection: Selection, member: Member): void;
  /** Forgets a watcher that has ended. */
  forget(watch: CacheWatch): void;
}

/** Where a replay of the log goes. */
export interface ReplaySink {
  readonly signal: AbortSignal;
  /** Events up to a revision; resolves when more may come. */
  hand(events: readonly WatchEvent[], revision: number): Promise<void>;
}

/** Entries or changes in one step of a start. */
const STEP = 500;

/** See the head of this file. */
export class CacheWatch implements Watch, Member {
  readonly #source: WatchSource;
  /** What is watched. */
  readonly selection: Selection;
  readonly #sink: WatchSink;
  readonly #ending = new AbortController();
  #state: "catching up" | "live" | "ended" = "catching up";
  #position: number;
  /** Ends what counts as under way: reading, but neither a wait for a revision nor one for the sink. */
  #atRest: (() => void) | undefined;

  constructor(source: WatchSource, selection: Selection, start: WatchStart, sink: WatchSink) {
    this.#source = source;
    this.selection = selection;
    this.#sink = sink;
    this.#position = "after" in start ? start.after : 0;
    this.#begin();
    queueMicrotask(() => {
      void this.#catchUp("initial" in start)
        .catch((error: unknown) => this.fail(error))
        .finally(() => this.#atRest?.());
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
    // The position stays readable: a bookmark may be asked for while the stream is being closed.
    this.#position = this.revision;
    if (this.#state === "live") this.#source.leave(this.selection, this);
    this.#state = "ended";
    this.#ending.abort(closed("the watch"));
    this.#source.forget(this);
  }

  /** Ends the watch and tells the sink why. */
  end(error: CacheError): void {
    if (this.#state === "ended") return;
    this.close();
    try {
      this.#sink.ended(error);
    } catch {
      // A sink that fails while it is told of the end has nothing more to lose.
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
      await this.#rest(this.#source.reached(this.#position, this.#ending.signal));
    }
    while (this.#state === "catching up") {
      if (this.#position < this.#source.historyStart) await this.#sendLog();
      else if (this.#sendHistory()) return;
      else await this.#breathe();
    }
  }

  async #sendState(): Promise<void> {
    const preparing = this.#source.prepare(this.selection);
    if (preparing) await preparing;
    if (this.#ended()) return;
    const snapshot = this.#source.snapshot();
    let after: string | undefined;
    for (;;) {
      const range = { limit: STEP, budget: EFFORT, ...(after === undefined ? {} : { after }) };
      const { entries, next } = snapshot.list(this.selection, range);
      const events = entries.map((entry): WatchEvent => ({ type: "ADDED", entry }));
      // Until the state is complete the watch has, as far as a bookmark is concerned, nothing.
      if (next === undefined) this.#position = snapshot.revision;
      if (events.length > 0 || next === undefined) {
        this.deliver(ownBatch(events, this.#position, next === undefined));
      }
      if (next === undefined || this.#state === "ended") return;
      after = next;
      await this.#breathe();
      if (this.#ended()) return;
    }
  }

  async #sendLog(): Promise<void> {
    this.#position = await this.#source.replay(this.selection, this.#position, {
      signal: this.#ending.signal,
      hand: async (events, revision) => {
        this.#position = revision;
        if (events.length > 0) this.deliver(ownBatch(events, revision));
        await this.#breathe();
      },
    });
  }

  /** Sends a part of the history; joins the group and returns true when that was the last one. */
  #sendHistory(): boolean {
    const changes = this.#source.changesAfter(this.#position, STEP);
    const events: WatchEvent[] = [];
    let looked = 0;
    for (let effort = 0; looked < changes.length; looked++) {
      const change = changes[looked]!;
      // Changes of one revision stay together: what follows begins after a revision.
      if (effort >= EFFORT && change.revision > changes[looked - 1]!.revision) break;
      if (!covers(this.selection, change.entry.key)) continue;
      effort += effortOf(change.entry);
      const event = this.#source.seenBy(change, this.selection);
      if (event) events.push(event);
    }
    const last = looked === changes.length && looked < STEP;
    this.#position = last ? Math.max(this.#position, this.#source.delivered) : changes[looked - 1]!.revision;
    if (events.length > 0) this.deliver(ownBatch(events, this.#position));
    if (!last || this.#ended()) return last;
    this.#state = "live";
    this.#source.join(this.selection, this);
    return true;
  }

  /** Lets others run and waits until the sink has room. */
  async #breathe(): Promise<void> {
    const room = this.#sink.drained?.();
    if (room) await this.#rest(Promise.race([room, aborted(this.#ending.signal)]));
    await this.#source.pause();
  }

  #begin(): void {
    this.#atRest = this.#source.activity?.begin("start of a watch");
  }

  async #rest(until: Promise<void>): Promise<void> {
    this.#atRest?.();
    await until;
    this.#begin();
  }

  /** Whether the watch has ended: by now, whatever was known before the sink was called. */
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
