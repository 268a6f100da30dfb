import { type Clock, type Random, type Timer, systemClock, systemRandom } from "../util/clock.ts";
import type { Cacher } from "./cacher.ts";
import type { Mismatch } from "./verify.ts";

/** Settings of {@link startChecks}. */
export interface CheckOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  /** The shortest time between two checks, in ms; a random part of up to half is added. Default 5 minutes. */
  readonly millis?: number;
  /** Called with the differences before the reload; counts them in production, throws in tests. */
  readonly onMismatch: (mismatches: readonly Mismatch[]) => void;
  /** Called when a check fails. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Compares a cache with its store every few minutes, until closed. A cache that differs is loaded again, and its watches end with
 * `compacted`, so that clients list again (KEP-4988).
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
