import type { Clock } from "./clock.ts";

/**
 * A clock on which time passes `speed` times as fast as on another one, with the loop of that one. Its steady counter begins at the value
 * of the other one.
 *
 * @param start its current time, in milliseconds since the epoch; that of the other clock by default
 */
export function fasterClock(clock: Clock, speed: number, start: number = clock.now()): Clock {
  const since = clock.steady();
  const passed = (): number => (clock.steady() - since) * speed;
  return {
    loop: clock.loop,
    // A wall clock has no fractions of a millisecond.
    now: () => Math.floor(start + passed()),
    steady: () => since + passed(),
    after: (ms, work, options) => clock.after(Math.max(0, ms / speed), work, options),
  };
}
