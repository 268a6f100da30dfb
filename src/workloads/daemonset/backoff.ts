/**
 * How long a failed Pod of a DaemonSet stays on its node before it is replaced: 1 s after the last failure, doubled up to 15 min (WL-DS-5).
 *
 * No object records the failures of deleted Pods, so they are kept in memory, as in kube-controller-manager, and lost with a restart.
 */

const FIRST_MILLIS = 1000;
const MOST_MILLIS = 15 * 60_000;

/** The failures of one node. */
interface Failures {
  readonly at: number;
  readonly delayMillis: number;
}

/** Returns the milliseconds until a failed Pod of a node may be replaced; undefined where that is now. */
export type WaitOf = (node: string) => number | undefined;

/** The failures of nodes in the memory of one controller, by keys that name a DaemonSet and a node. */
export class FailureMemory {
  readonly #failures = new Map<string, Failures>();
  #sizeToPrune = 1000;

  /** The number of nodes that are remembered. */
  get size(): number {
    return this.#failures.size;
  }

  /** Returns the milliseconds until a failed Pod may be replaced; undefined where that is now. */
  wait(key: string, now: number): number | undefined {
    const known = this.#failures.get(key);
    if (!known || hasExpired(known, now)) return undefined;
    const left = known.at + known.delayMillis - now;
    return left > 0 ? left : undefined;
  }

  /** Records that a failed Pod is replaced. */
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

/** The backoff of a node without a failure for this long is reset. */
const hasExpired = ({ at }: Failures, now: number): boolean => now - at > 2 * MOST_MILLIS;
