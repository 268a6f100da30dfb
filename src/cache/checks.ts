import { type Clock, type Random, type Timer, systemClock, systemRandom } from "../util/clock.ts";
import type { Cacher } from "./cacher.ts";
import type { Mismatch } from "./verify.ts";

/** Settings of {@link startChecks}. */
export interface CheckOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  /** The shortest time between two checks, in ms; up to half of it is added by chance. Default 5 minutes. */
  readonly millis?: number;
  /** Told what differed before everything is loaded anew; for a metric in production, to throw in tests. */
  readonly onMismatch: (mismatches: readonly Mismatch[]) => void;
  /** Told when a check could not be made. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Compares a cache with its store every few minutes, until closed. A cache that differs is loaded anew, and its watches
 * end with `compacted`: clients list again and are right afterwards (KEP-4988).
 */
export function startChecks(cacher: Cacher, options: CheckOptions): { close(): void } {
  const { clock = systemClock, random = systemRandom, millis = 5 * 60_000, onMismatch, onError } = options;
  let timer: Timer;
  let closed = false;
  const next = (): void => {
    if (!closed)
      timer = clock.after(millis * (1 + random.next() / 2), () => void check(), { owner: "cache check", upkeep: true });
  };
  const check = async (): Promise<void> => {
    try {
      const mismatches = await cacher.verify();
      if (mismatches.length > 0) {
        onMismatch(mismatches);
        await cacher.reload();
      }
    } catch (error) {
      onError?.(error);
    }
    next();
  };
  next();
  return {
    close() {
      closed = true;
      timer.cancel();
    },
  };
}
