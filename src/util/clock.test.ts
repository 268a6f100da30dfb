import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ManualClock, seededRandom, sleep, systemClock, systemRandom } from "./clock.ts";

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("ManualClock", () => {
  test("stands still until it is moved, and moves both of its times", () => {
    const clock = new ManualClock(1000);
    expect([clock.now(), clock.steady()]).toEqual([1000, 0]);
    clock.advance(250);
    expect([clock.now(), clock.steady()]).toEqual([1250, 250]);
  });

  test("fires timers in the order of their time, each at its own time", () => {
    const clock = new ManualClock(0);
    const fired: [string, number][] = [];
    const note = (name: string) => (): void => void fired.push([name, clock.now()]);
    clock.after(30, note("c"));
    clock.after(10, note("a"));
    clock.after(20, note("b"));
    clock.after(31, note("later"));
    clock.advance(30);
    expect(fired).toEqual([
      ["a", 10],
      ["b", 20],
      ["c", 30],
    ]);
  });

  test("fires what a timer sets, when it becomes due in the same move", () => {
    const clock = new ManualClock(0);
    const fired: number[] = [];
    const tick = (): void => {
      fired.push(clock.now());
      clock.after(10, tick);
    };
    clock.after(10, tick);
    clock.advance(35);
    expect(fired).toEqual([10, 20, 30]);
  });

  test("a timer that was called off does not fire, also when another one calls it off", () => {
    const clock = new ManualClock(0);
    const fired: string[] = [];
    const second = clock.after(20, () => fired.push("second"));
    clock.after(10, () => second.cancel());
    clock.after(5, () => fired.push("never")).cancel();
    clock.advance(100);
    expect(fired).toEqual([]);
  });
});

describe("sleep", () => {
  /** Whether a promise has resolved by now. */
  const isDone = async (promise: Promise<void>): Promise<boolean> => {
    let done = false;
    void promise.then(() => (done = true));
    await Promise.resolve();
    return done;
  };

  test("ends after its time, not before", async () => {
    const clock = new ManualClock();
    const sleeping = sleep(clock, 100);
    clock.advance(99);
    expect(await isDone(sleeping)).toBe(false);
    clock.advance(1);
    expect(await isDone(sleeping)).toBe(true);
  });

  test("ends when its signal is aborted, before or meanwhile, and leaves nothing with the clock", async () => {
    const clock = new ManualClock();
    const cancelled = vi.fn<() => void>();
    const after = vi.spyOn(clock, "after").mockReturnValue({ cancel: cancelled });
    expect(await isDone(sleep(clock, 100, AbortSignal.abort()))).toBe(true);
    expect(after).not.toHaveBeenCalled();
    const stop = new AbortController();
    const sleeping = sleep(clock, 100, stop.signal);
    expect(await isDone(sleeping)).toBe(false);
    stop.abort();
    expect(await isDone(sleeping)).toBe(true);
    expect(cancelled).toHaveBeenCalledOnce();
  });
});

describe("systemClock", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("waits longer than a timer of the machine can, in one piece for the caller", () => {
    const days = 86_400_000;
    const work = vi.fn<() => void>();
    systemClock.after(60 * days, work);
    vi.advanceTimersByTime(60 * days - 1);
    expect(work).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(work).toHaveBeenCalledOnce();
  });

  test("a long wait can be called off in each of its parts", () => {
    const days = 86_400_000;
    const work = vi.fn<() => void>();
    const timer = systemClock.after(60 * days, work);
    vi.advanceTimersByTime(30 * days);
    timer.cancel();
    vi.advanceTimersByTime(60 * days);
    expect(work).not.toHaveBeenCalled();
  });
});

describe("chance", () => {
  test("the same seed repeats itself, another one does not", () => {
    const draw = (seed: number): (number | string)[] => {
      const random = seededRandom(seed);
      return [random.next(), random.uuid(), random.next()];
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  test("numbers lie in [0, 1) and spread over all of it; uuids are of version 4", () => {
    for (const random of [seededRandom(1), systemRandom]) {
      const numbers = Array.from({ length: 2000 }, () => random.next());
      expect(numbers.every((n) => n >= 0 && n < 1)).toBe(true);
      const tenths = new Set(numbers.map((n) => Math.floor(n * 10)));
      expect(tenths.size).toBe(10);
      expect(random.uuid()).toMatch(UUID_V4);
    }
  });
});
