import { PatchError } from "./patch-error.ts";

/** How many values a patch may visit, copy or move: some 50 ms. */
export const MAX_WORK = 4_000_000;

/** What it costs to visit all members of an object: one with many is a hash table to V8, and not in the cache. */
export const membersCost = (count: number): number => (count > 1024 ? count * 8 : count);

/** What one patch has visited: a short one may speak of the same long list again and again. */
export class PatchWork {
  #done = 0;

  /** @throws PatchError `tooManyOperations` beyond {@link MAX_WORK} */
  charge(work: number): void {
    this.#done += work;
    if (this.#done <= MAX_WORK) return;
    throw new PatchError("tooManyOperations", "Expected a patch to visit and move fewer values than this one does");
  }
}
