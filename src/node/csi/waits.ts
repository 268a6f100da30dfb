/**
 * What is remembered about volumes between reconciles: the last publication, and failed expansions. After a restart some
 * calls are repeated once more than necessary.
 *
 * @module
 */
import { type BackoffOptions, backoff } from "../../util/backoff.ts";
import type { Clock, Random } from "../../util/clock.ts";

/** The interval for drivers that want repeated publications (NODE-33). */
export const REPUBLISH_MS = 60_000;

const RETRY: BackoffOptions = { first: 1000, most: 120_000 };

interface Wait {
  readonly podUid: string;
  readonly publishedAt: number | undefined;
  readonly failures: number;
  /** The steady time of the next attempt to expand it. */
  readonly notBefore: number;
}

/** See the head of this file. Keys are the directories of records. */
export class Waits {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #waits = new Map<string, Wait>();

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Notes that a volume was published. */
  published(directory: string, podUid: string): void {
    this.#waits.set(directory, { ...this.#of(directory, podUid), publishedAt: this.#clock.steady() });
  }

  /** Milliseconds until the next publication; 0 where it is due or not known. */
  untilPublish(directory: string): number {
    const at = this.#waits.get(directory)?.publishedAt;
    return at === undefined ? 0 : Math.max(0, at + REPUBLISH_MS - this.#clock.steady());
  }

  /** Notes a failed expansion; returns milliseconds until the next attempt. */
  refused(directory: string, podUid: string): number {
    const wait = this.#of(directory, podUid);
    const ms = backoff(wait.failures, RETRY, this.#random);
    this.#waits.set(directory, { ...wait, failures: wait.failures + 1, notBefore: this.#clock.steady() + ms });
    return ms;
  }

  /** Notes that a volume was expanded. */
  grown(directory: string): void {
    const wait = this.#waits.get(directory);
    if (wait) this.#waits.set(directory, { ...wait, failures: 0, notBefore: 0 });
  }

  /** Milliseconds until the next attempt to expand a volume. */
  untilGrowth(directory: string): number {
    return Math.max(0, (this.#waits.get(directory)?.notBefore ?? 0) - this.#clock.steady());
  }

  /** Forgets a volume. */
  gone(directory: string): void {
    this.#waits.delete(directory);
  }

  /** Forgets the volumes of a Pod. */
  forget(podUid: string): void {
    for (const [directory, wait] of this.#waits) if (wait.podUid === podUid) this.#waits.delete(directory);
  }

  #of(directory: string, podUid: string): Wait {
    return this.#waits.get(directory) ?? { podUid, publishedAt: undefined, failures: 0, notBefore: 0 };
  }
}
