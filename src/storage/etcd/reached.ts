/**
 * Those who wait until a revision has been handed to the watchers.
 *
 * @module
 */

/** See the head of this file. */
export class Reached {
  #waiting: { readonly revision: number; readonly since: number; readonly resolve: () => void }[] = [];
  #least = Infinity;

  /** Resolves when {@link Reached.to} has come to `revision`. */
  wait(revision: number, now: number): Promise<void> {
    this.#least = Math.min(this.#least, revision);
    return new Promise((resolve) => {
      this.#waiting.push({ revision, since: now, resolve });
    });
  }

  /** Everything up to `revision` has been handed over. */
  to(revision: number): void {
    if (revision < this.#least) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#least = Infinity;
    for (const one of waiting) {
      if (one.revision <= revision) one.resolve();
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
