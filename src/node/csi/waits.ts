/**
 * What is remembered of volumes between two looks at them: when a driver was called last, and how often it has refused.
 *
 * Who has forgotten it calls once more than necessary.
 *
 * @module
 */
import { type BackoffOptions, backoff } from "../../util/backoff.ts";
import type { Clock, Random } from "../../util/clock.ts";

/** How often a driver is called again that wants it (NODE-33), in ms. */
export const REPUBLISH_MS = 60_000;

const RETRY: BackoffOptions = { first: 1000, most: 120_000 };

interface Wait {
  readonly podUid: string;
  readonly publishedAt: number | undefined;
  readonly failures: number;
  /** Before when it is not tried again to make it grow. */
  readonly notBefore: number;
}

/** See the head of this file. Volumes are named by the directories of their records. */
export class Waits {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #waits = new Map<string, Wait>();

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  /** A volume was published. */
  published(directory: string, podUid: string): void {
    this.#waits.set(directory, { ...this.#of(directory, podUid), publishedAt: this.#clock.steady() });
  }

  /** Milliseconds until it is to be published again; 0 where that is due, or where nobody knows. */
  untilPublish(directory: string): number {
    const at = this.#waits.get(directory)?.publishedAt;
    return at === undefined ? 0 : Math.max(0, at + REPUBLISH_MS - this.#clock.steady());
  }

  /** It could not grow: milliseconds after which it is tried again. */
  refused(directory: string, podUid: string): number {
    const wait = this.#of(directory, podUid);
    const ms = backoff(wait.failures, RETRY, this.#random);
    this.#waits.set(directory, { ...wait, failures: wait.failures + 1, notBefore: this.#clock.steady() + ms });
    return ms;
  }

  /** It has grown. */
  grown(directory: string): void {
    const wait = this.#waits.get(directory);
    if (wait) this.#waits.set(directory, { ...wait, failures: 0, notBefore: 0 });
  }

  /** Milliseconds before which it is not tried to make it grow. */
  untilGrowth(directory: string): number {
    return Math.max(0, (this.#waits.get(directory)?.notBefore ?? 0) - this.#clock.steady());
  }

  /** A volume is gone. */
  gone(directory: string): void {
    this.#waits.delete(directory);
  }

  /** A Pod is gone. */
  forget(podUid: string): void {
    for (const [directory, wait] of this.#waits) if (wait.podUid === podUid) this.#waits.delete(directory);
  }

  #of(directory: string, podUid: string): Wait {
    return this.#waits.get(directory) ?? { podUid, publishedAt: undefined, failures: 0, notBefore: 0 };
  }
}
