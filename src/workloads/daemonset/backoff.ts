/**
 * How long failed Pods of a DaemonSet stay on a node before they are replaced: 1 s after the last one, doubled to 15 min (WL-DS-5).
 *
 * No object says when a Pod that is gone has failed, so this is kept in memory, as in kube-controller-manager: a restart begins anew.
 */

const FIRST_MILLIS = 1000;
const MOST_MILLIS = 15 * 60_000;

/** The failures of one node. */
interface Failures {
  readonly at: number;
  readonly delayMillis: number;
}

/** Returns the milliseconds until a failed Pod of a node may be replaced; undefined where it may be at once. */
export type WaitOf = (node: string) => number | undefined;

/** The failures of nodes in the memory of one controller, by texts that name a DaemonSet and a node. */
export class FailureMemory {
  readonly #failures = new Map<string, Failures>();
  #sizeToPrune = 1000;

  /** The number of nodes that are remembered. */
  get size(): number {
    return this.#failures.size;
  }

  /** Returns the milliseconds until a failed Pod may be replaced; undefined where it may be at once. */
  wait(key: string, now: number): number | undefined {
    const known = this.#failures.get(key);
    if (!known || hasExpired(known, now)) return undefined;
    const left = known.at + known.delayMillis - now;
    return left > 0 ? left : undefined;
  }

  /** Remembers that a failed Pod is replaced. */
  add(key: string, now: number): void {
    const known = this.#failures.get(key);
    const delayMillis = known && !hasExpired(known, now) ? Math.min(2 * known.delayMillis, MOST_MILLIS) : FIRST_MILLIS;
    this.#failures.set(key, { at: now, delayMillis });
    if (this.#failures.size > this.#sizeToPrune) this.#prune(now);
  }

  #prune(now: number): void {
    for (const [key, failures] of this.#failures) if (hasExpired(failures, now)) this.#failures.delete(key);
    this.#sizeToPrune = Math.max(1000, 2 * this.#failures.size);
  }
}

/** A node without a failure for that long begins anew. */
const hasExpired = ({ at }: Failures, now: number): boolean => now - at > 2 * MOST_MILLIS;
