/**
 * Follows a store by one watch.
 *
 *     following -> broken -> following again from the same revision
 *                         -> lost: the revision was compacted; the resources have to be loaded again
 *                         -> ended: the store is closed or has failed
 *
 * @module
 */
import { type Store, StoreError, type StoreEvent, type StoreWatch } from "../storage/contract.ts";
import type { Clock, Timer } from "../util/clock.ts";

/** Receives the events of a follower. */
export interface FollowerSink {
  events(batch: readonly StoreEvent[]): void;
  progress(revision: number): void;
  /** The watch broke and will resume. */
  broken(error: StoreError): void;
  /** The revision was compacted; the follower stops until it is started again. */
  lost(error: StoreError): void;
  /** Nothing follows. */
  ended(error: StoreError): void;
}

/** The delay after a failure of the store, in ms. */
export const RETRY_MS = 500;

/** See the head of this file. */
export class Follower {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #root: string;
  /** The revision from which a watch starts. */
  readonly #revision: () => number;
  readonly #sink: FollowerSink;
  #watch: StoreWatch | undefined;
  #timer: Timer | undefined;
  /** Counts the watches: calls of an earlier one are ignored. */
  #generation = 0;

  constructor(store: Store, clock: Clock, root: string, revision: () => number, sink: FollowerSink) {
    this.#store = store;
    this.#clock = clock;
    this.#root = root;
    this.#revision = revision;
    this.#sink = sink;
  }

  /** Follows from the current revision, in place of an earlier watch. */
  start(): void {
    this.stop();
    const generation = this.#generation;
    try {
      this.#watch = this.#store.watch(this.#root, this.#revision(), {
        events: (batch) => generation === this.#generation && this.#sink.events(batch),
        progress: (revision) => generation === this.#generation && this.#sink.progress(revision),
        ended: (error) => generation === this.#generation && this.#ended(error),
      });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.#ended(error);
    }
  }

  stop(): void {
    this.#generation++;
    this.#timer?.cancel();
    this.#watch?.close();
    this.#watch = undefined;
  }

  #ended(error: StoreError): void {
    this.stop();
    if (error.code === "closed" || error.code === "failed") return this.#sink.ended(error);
    if (error.code === "compacted") return this.#sink.lost(error);
    this.#sink.broken(error);
    this.#timer = this.#clock.after(RETRY_MS, () => this.start());
  }
}
