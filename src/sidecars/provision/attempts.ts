/**
 * What a provisioner remembers of claims for which its driver was asked, while it is not known what came of it.
 *
 * Nothing of it is needed to go on after a restart: the finalizer of the claim says that the driver was asked. It only keeps the same
 * request from being made in other words, and a refused one from being made too often.
 *
 * @module
 */
import type { Prepared } from "./request.ts";

/** See the head of this file. */
export interface Attempt {
  readonly uid: string;
  /** What the driver was asked for, while it may be at work. */
  prepared?: Prepared | undefined;
  /** What it was asked for last, for who has to ask once more and cannot find out any more. */
  asked?: Prepared | undefined;
  /** A volume that is there and that nobody is to have. */
  unwanted?: string | undefined;
  /** So many times in a row the driver has said that there is none. */
  refused: number;
  /** So many times in a row it was not said whether there is a volume. */
  unclear: number;
}

/** Attempts by the key of their claim. */
export class Attempts {
  readonly #attempts = new Map<string, Attempt>();

  /** That of a claim; another one of its name begins anew. */
  of(key: string, uid: string): Attempt {
    const known = this.#attempts.get(key);
    if (known?.uid === uid) return known;
    const attempt: Attempt = { uid, refused: 0, unclear: 0 };
    this.#attempts.set(key, attempt);
    return attempt;
  }

  forget(key: string): void {
    this.#attempts.delete(key);
  }
}
