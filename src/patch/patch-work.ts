import { PatchError } from "./patch-error.ts";

/** How many values a patch may visit, copy or move: about 50 ms. */
export const MAX_WORK = 4_000_000;

/** The cost of a visit to all members of an object; a large object is a hash table in V8, outside the CPU cache. */
export const membersCost = (count: number): number => (count > 1024 ? count * 8 : count);

/** Counts the work of one patch: a short patch may change the same long list many times. */
export class PatchWork {
  #done = 0;

  /** @throws PatchError `tooManyOperations` beyond {@link MAX_WORK} */
  charge(work: number): void {
    this.#done += work;
    if (this.#done <= MAX_WORK) return;
    throw new PatchError("tooManyOperations", "Expected a patch to visit and move fewer values than this one does");
  }
}
