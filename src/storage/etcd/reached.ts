/**
 * Those who wait until a revision has been handed to the watchers.
 *
 * @module
 */

interface Waiting {
  readonly revision: number;
  readonly since: number;
  readonly done: (revision: number) => void;
}

/** See the head of this file. */
export class Reached {
  #waiting: Waiting[] = [];
  #least = Infinity;

  /** Calls `done` with `revision` when {@link Reached.to} has come to it. */
  wait(revision: number, now: number, done: (revision: number) => void): void {
    this.#least = Math.min(this.#least, revision);
    this.#waiting.push({ revision, since: now, done });
  }

  /** Everything up to `revision` has been handed over. */
  to(revision: number): void {
    if (revision < this.#least) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#least = Infinity;
    for (const one of waiting) {
      if (one.revision <= revision) one.done(one.revision);
      else {
        this.#waiting.push(one);
        this.#least = Math.min(this.#least, one.revision);
      }
    }
  }

  /** Since when the first of them has waited. */
  get oldest(): number | undefined {
    return this.#waiting[0]?.since;
  }
}
