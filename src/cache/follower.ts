/**
 * Keeps one watch on the store going.
 *
 *     following -> broken -> following again from where it was
 *                         -> lost: the place is compacted, somebody has to load anew
 *                         -> over: the store is closed or has failed
 *
 * @module
 */
import { type Store, StoreError, type StoreEvent, type StoreWatch } from "../storage/contract.ts";
import type { Clock, Timer } from "../util/clock.ts";

/** What a follower reports. */
export interface FollowerSink {
  events(batch: readonly StoreEvent[]): void;
  progress(revision: number): void;
  /** The watch broke and will be taken up again. */
  broken(error: StoreError): void;
  /** The store has forgotten the place; the follower rests until it is started again. */
  lost(error: StoreError): void;
  /** Nothing will ever follow. */
  over(error: StoreError): void;
}

/** How long to wait before the store is asked again after it failed, in ms. */
export const RETRY_MS = 500;

/** See the head of this file. */
export class Follower {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #root: string;
  /** Where to go on from, at any time. */
  readonly #revision: () => number;
  readonly #sink: FollowerSink;
  #watch: StoreWatch | undefined;
  #timer: Timer | undefined;
  /** Counts the watches: what an earlier one still says is not listened to. */
  #turn = 0;

  constructor(store: Store, clock: Clock, root: string, revision: () => number, sink: FollowerSink) {
    this.#store = store;
    this.#clock = clock;
    this.#root = root;
    this.#revision = revision;
    this.#sink = sink;
  }

  /** Follows from the present revision on, instead of whatever it did before. */
  start(): void {
    this.stop();
    const turn = this.#turn;
    try {
      this.#watch = this.#store.watch(this.#root, this.#revision(), {
        events: (batch) => turn === this.#turn && this.#sink.events(batch),
        progress: (revision) => turn === this.#turn && this.#sink.progress(revision),
        ended: (error) => turn === this.#turn && this.#ended(error),
      });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.#ended(error);
    }
  }

  stop(): void {
    this.#turn++;
    this.#timer?.cancel();
    this.#watch?.close();
    this.#watch = undefined;
  }

  #ended(error: StoreError): void {
    this.stop();
    if (error.code === "closed" || error.code === "failed") return this.#sink.over(error);
    if (error.code === "compacted") return this.#sink.lost(error);
    this.#sink.broken(error);
    this.#timer = this.#clock.after(RETRY_MS, () => this.start());
  }
}
