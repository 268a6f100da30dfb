import { setTimeout as wait } from "node:timers/promises";
import type { Random } from "../../src/util/clock.ts";

/** Something bad that can be done to a part of a world, and that ends by itself. */
export interface Fault {
  readonly name: string;
  /** How often it is chosen, compared with others. */
  readonly weight: number;
  /** Does it; resolves when the part is whole again, at the latest soon after `signal`. */
  readonly run: (random: Random, signal: AbortSignal) => Promise<void>;
}

/** Waits so long, or until `signal`. */
export const pause = (millis: number, signal: AbortSignal): Promise<void> =>
  wait(millis, undefined, { signal }).catch(() => {});

/** Causes one random fault after the other, until it is stopped; counts them by name. */
export async function harm(
  faults: readonly Fault[],
  random: Random,
  signal: AbortSignal,
  restMillis: number,
  counts: Map<string, number>,
): Promise<void> {
  const total = faults.reduce((sum, { weight }) => sum + weight, 0);
  for (;;) {
    await pause((0.3 + random.next()) * restMillis, signal);
    if (signal.aborted) return;
    let left = random.next() * total;
    const fault = faults.find(({ weight }) => (left -= weight) < 0) ?? faults[0]!;
    counts.set(fault.name, (counts.get(fault.name) ?? 0) + 1);
    await fault.run(random, signal);
  }
}
