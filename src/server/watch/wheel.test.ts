import { describe, expect, test } from "vitest";
import type { Clock } from "../../util/clock.ts";
import { type Due, WatchWheel } from "./wheel.ts";

/** A clock whose timers are fired by hand, and whose time moves also while they run. */
class Hand implements Clock {
  time = 0;
  #timers: { at: number; work: () => void }[] = [];
  now = (): number => this.time;
  steady = (): number => this.time;
  after(ms: number, work: () => void): { cancel(): void } {
    this.#timers.push({ at: this.time + ms, work });
    return { cancel() {} };
  }
  fire(time: number): void {
    this.time = time;
    const due = this.#timers.filter((t) => t.at <= time);
    this.#timers = this.#timers.filter((t) => t.at > time);
    for (const { work } of due) work();
  }
}

describe("the wheel of all watchers", () => {
  test("calls an item within half a second after its time", () => {
    const clock = new Hand();
    const wheel = new WatchWheel(clock);
    const called: number[] = [];
    const item: Due = { slot: -1, due: (now) => void called.push(now) };
    wheel.schedule(item, 700);
    for (let time = 100; time <= 3000; time += 100) clock.fire(time);
    expect(called).toHaveLength(1);
    expect(called[0]).toBeGreaterThanOrEqual(700);
    expect(called[0]).toBeLessThanOrEqual(1500);
  });

  test("passes no item over when a turn takes longer than a slot", () => {
    const clock = new Hand();
    const wheel = new WatchWheel(clock);
    const called: string[] = [];
    const slow: Due = {
      slot: -1,
      due: () => {
        called.push("slow");
        clock.time += 1200;
      },
    };
    const next: Due = { slot: -1, due: () => void called.push("next") };
    wheel.schedule(slow, 400);
    wheel.schedule(next, 900);
    for (let time = 100; time <= 6000; time += 100) clock.fire(Math.max(time, clock.time));
    expect(called).toEqual(["slow", "next"]);
  });

  test("forgets an item that was cancelled, and keeps one that comes back", () => {
    const clock = new Hand();
    const wheel = new WatchWheel(clock);
    let calls = 0;
    const again: Due = {
      slot: -1,
      due: (now) => {
        if (++calls < 3) wheel.schedule(again, now + 1000);
      },
    };
    const never: Due = { slot: -1, due: () => expect.unreachable("it was cancelled") };
    wheel.schedule(again, 100);
    wheel.schedule(never, 100);
    wheel.cancel(never);
    for (let time = 100; time <= 10_000; time += 100) clock.fire(time);
    expect(calls).toBe(3);
  });
});
