import { describe, expect, test } from "vitest";
import { type Clock, ManualClock } from "../../util/clock.ts";
import { type Due, WatchWheel } from "./wheel.ts";
import { EventLoop } from "../../util/loop.ts";

/** A clock whose timers are fired by hand, and whose time moves also while they run. */
class Hand implements Clock {
  readonly loop = new EventLoop();
  time = 0;
  #timers: { at: number; work: () => void }[] = [];
  now = (): number => this.time;
  steady = (): number => this.time;
  after(ms: number, work: () => void): { cancel(): void } {
    const timer = { at: this.time + ms, work };
    this.#timers.push(timer);
    return { cancel: () => void (this.#timers = this.#timers.filter((t) => t !== timer)) };
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

  test("an item that another one of its slot cancels is not called, and one that was put elsewhere only there", () => {
    const clock = new ManualClock();
    const wheel = new WatchWheel(clock);
    const called: string[] = [];
    const item = (name: string, due = (): void => {}): Due => ({
      slot: -1,
      due() {
        called.push(name);
        due();
      },
    });
    const [cancelled, later] = [item("cancelled"), item("later")];
    const first = item("first", () => {
      wheel.cancel(cancelled);
      wheel.schedule(later, clock.steady() + 2000);
    });
    for (const each of [first, cancelled, later]) wheel.schedule(each, 100);
    clock.advance(500);
    expect(called).toEqual(["first"]);
    clock.advance(3000);
    expect(called).toEqual(["first", "later"]);
  });

  test("one timer is set, for the first slot that is taken, and none where no item waits", () => {
    const clock = new ManualClock(0);
    const wheel = new WatchWheel(clock);
    const items = [3_600_000, 60_000, 75_000].map((at): Due => {
      const item = { slot: -1, due: () => {} };
      wheel.schedule(item, at);
      return item;
    });
    const set = (): number[] => clock.timers().map(({ at }) => at);
    expect(set()).toEqual([60_500]);
    wheel.cancel(items[1]!);
    expect(set()).toEqual([75_500]);
    wheel.schedule(items[0]!, 1000);
    expect(set()).toEqual([1500]);
    for (const item of items) wheel.cancel(item);
    expect(set()).toEqual([]);
  });

  test("an idle day costs each item one call and the wheel one turn while a clock is moved by hand", () => {
    const clock = new ManualClock();
    const wheel = new WatchWheel(clock);
    let calls = 0;
    for (let i = 0; i < 100; i++) {
      const item: Due = {
        slot: -1,
        due(now) {
          calls++;
          wheel.schedule(item, now + 45_000 + i * 300);
        },
      };
      wheel.schedule(item, 45_000 + i * 300);
    }
    clock.advance(86_400_000);
    expect(calls).toBe(100);
    clock.advance(60_000);
    expect(calls).toBeGreaterThan(100);
  });
});
