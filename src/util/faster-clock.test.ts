import { expect, test } from "vitest";
import { ManualClock } from "./clock.ts";
import { fasterClock } from "./faster-clock.ts";

test("an hour passes in a minute, and timers fire when it has passed", () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 1), 500);
  const fast = fasterClock(clock, 60);
  expect([fast.now(), fast.steady()]).toEqual([clock.now(), 500]);
  const fired: number[] = [];
  fast.after(3_600_000, () => fired.push(fast.now()));
  fast.after(60_000, () => fired.push(fast.now())).cancel();
  clock.advance(59_999);
  expect(fired).toEqual([]);
  clock.advance(1);
  expect(fired).toEqual([Date.UTC(2026, 0, 1, 1)]);
  expect(fast.steady()).toBe(500 + 3_600_000);
});

test("it goes on from a time", () => {
  const clock = new ManualClock();
  const fast = fasterClock(clock, 2, 1000);
  clock.advance(3);
  expect(fast.now()).toBe(1006);
});
