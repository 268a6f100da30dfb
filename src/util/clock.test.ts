import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ManualClock, newSystemClock, seededRandom, sleep, systemClock, systemRandom } from "./clock.ts";
import { nextPass } from "./testing/pass.ts";
import { leastCpu } from "./testing/cpu-time.ts";

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

  test("fires a timer that another timer sets, when it is due in the same move", () => {
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

  test("a cancelled timer does not fire, also when another timer cancels it", () => {
    const clock = new ManualClock(0);
    const fired: string[] = [];
    const second = clock.after(20, () => fired.push("second"));
    clock.after(10, () => second.cancel());
    clock.after(5, () => fired.push("never")).cancel();
    clock.advance(100);
    expect(fired).toEqual([]);
  });

  test("timers of one instant fire in the order in which they were set, also those that other timers set", () => {
    const clock = new ManualClock(0);
    const fired: string[] = [];
    clock.after(20, () => fired.push("far"));
    for (const name of ["a", "b", "c", "d"]) clock.after(10, () => fired.push(name));
    clock.after(10, () => void clock.after(0, () => fired.push("e")));
    clock.advance(20);
    expect(fired).toEqual(["a", "b", "c", "d", "e", "far"]);
  });

  test("the wall clock has whole milliseconds, the steady counter has fractions", () => {
    const clock = new ManualClock(1000);
    clock.advance(0.75);
    clock.advance(0.75);
    expect([clock.now(), clock.steady()]).toEqual([1001, 1.5]);
  });

  test("a copy continues at the time of another clock", () => {
    const clock = new ManualClock(1000);
    clock.advance(500);
    const copy = new ManualClock(clock.now(), clock.steady());
    clock.advance(1);
    copy.advance(10);
    expect([copy.now(), copy.steady(), clock.now()]).toEqual([1510, 510, 1501]);
  });

  test("lists pending timers with their owners, in the order in which they are due", () => {
    const clock = new ManualClock(1000);
    clock.advance(100);
    clock.after(50, () => {}, { owner: "late" });
    clock.after(20, () => {}, { owner: "wheel", upkeep: true });
    clock.after(20, () => {});
    clock.after(10, () => {}).cancel();
    expect(clock.timers()).toEqual([
      { owner: "wheel", upkeep: true, at: 1120 },
      { at: 1120 },
      { owner: "late", at: 1150 },
    ]);
  });

  test("cannot be moved from within a move", () => {
    const clock = new ManualClock();
    clock.after(10, () => clock.advance(10));
    expect(() => clock.advance(10)).toThrow("expected one move of the clock at a time");
    expect(() => clock.advance(10)).not.toThrow();
  });

  test("timers that are set for the current instant without end are an error that names their owner", () => {
    const clock = new ManualClock();
    const again = (): void => void clock.after(0, again, { owner: "hot loop" });
    again();
    expect(() => clock.advance(1)).toThrow("found that hot loop sets timers for the current instant");
  });

  test("cancelling 5 000 timers, and moving past 1 000, costs no more than keeping them in a list", async () => {
    const floor = (): void => {
      const list: object[] = [];
      for (let i = 0; i < 6000; i++) list.push({ at: (i * 7919) % 6007, work: () => {} });
      list.sort((a, b) => (a as { at: number }).at - (b as { at: number }).at);
    };
    const heap = (): void => {
      const clock = new ManualClock();
      const cancelled = Array.from({ length: 5000 }, (_, i) => clock.after((i * 7919) % 5003, () => {}));
      for (let i = 0; i < 1000; i++) clock.after((i * 7919) % 1009, () => {});
      for (const timer of cancelled) timer.cancel();
      clock.advance(3_600_000);
    };
    const [least, needed] = [await leastCpu(floor), await leastCpu(heap)];
    expect(needed).toBeLessThan(20 * least + 2);
  });
});

describe("ManualClock.advanceSettled", () => {
  /** A `settle` function with the number of its calls. */
  const settling = (): { settle: () => Promise<void>; times: () => number } => {
    let times = 0;
    const settle = async (): Promise<void> => {
      times++;
      await nextPass();
    };
    return { settle, times: () => times };
  };

  test("code that sleeps twice continues at both times", async () => {
    const clock = new ManualClock(0);
    const woken: number[] = [];
    void (async () => {
      for (let i = 0; i < 3; i++) {
        await sleep(clock, 100);
        await nextPass();
        woken.push(clock.steady());
      }
    })();
    await clock.advanceSettled(299, () => nextPass().then(nextPass));
    expect(woken).toEqual([100, 200]);
    expect(clock.steady()).toBe(299);
    await clock.advanceSettled(1, () => nextPass().then(nextPass));
    expect(woken).toEqual([100, 200, 300]);
  });

  test("settles before the first step: timers that are set then count from that time", async () => {
    const clock = new ManualClock(0);
    const fired: number[] = [];
    void nextPass().then(() => clock.after(10, () => fired.push(clock.steady())));
    await clock.advanceSettled(50, () => nextPass().then(nextPass));
    expect(fired).toEqual([10]);
  });

  test("settles once for each instant; between two timers of one instant all microtasks run", async () => {
    const clock = new ManualClock(0);
    const { settle, times } = settling();
    const steps: string[] = [];
    const note = (name: string) => (): void => {
      steps.push(name);
      void Promise.resolve()
        .then(() => {})
        .then(() => {})
        .then(() => steps.push(`${name} woke`));
    };
    for (const name of ["a", "b"]) clock.after(10, note(name));
    clock.after(20, note("c"));
    await clock.advanceSettled(100, settle);
    expect(steps).toEqual(["a", "a woke", "b", "b woke", "c", "c woke"]);
    // Before the move, after each of two instants, and at the end.
    expect(times()).toBe(4);
  });

  test("a settle that fails ends the move, and the clock can move again", async () => {
    const clock = new ManualClock(0);
    clock.after(10, () => {});
    const failing = (): Promise<void> => (clock.steady() < 10 ? nextPass() : Promise.reject(new Error("not settled")));
    await expect(clock.advanceSettled(100, failing)).rejects.toThrow("not settled");
    expect(clock.steady()).toBe(10);
    await clock.advanceSettled(10, nextPass);
    expect(clock.steady()).toBe(20);
  });

  test("nextSettled() moves to the next instant and not beyond, and does not move where nothing is due", async () => {
    const clock = new ManualClock(0);
    const fired: string[] = [];
    clock.after(10, () => fired.push("a"));
    clock.after(10, () => fired.push("b"));
    clock.after(30, () => fired.push("c"));
    clock.after(5, () => fired.push("upkeep"), { upkeep: true });
    expect(await clock.nextSettled(nextPass)).toBe(true);
    expect([clock.steady(), fired]).toEqual([10, ["a", "b", "upkeep"]]);
    expect(await clock.nextSettled(nextPass, 19)).toBe(false);
    expect(clock.steady()).toBe(10);
    expect(await clock.nextSettled(nextPass, 20)).toBe(true);
    expect(clock.steady()).toBe(30);
    clock.after(5, () => fired.push("upkeep"), { upkeep: true });
    expect(await clock.nextSettled(nextPass)).toBe(false);
    expect([clock.steady(), fired.length]).toEqual([30, 4]);
  });
});

describe("upkeep", () => {
  test("fires once at the end of a move, after all other timers, even where it was due several times", () => {
    const clock = new ManualClock(0);
    const fired: [string, number][] = [];
    const sweep = (): void => {
      fired.push(["sweep", clock.steady()]);
      clock.after(10, sweep, { upkeep: true });
    };
    clock.after(10, sweep, { upkeep: true });
    clock.after(100, () => fired.push(["work", clock.steady()]));
    clock.advance(100);
    expect(fired).toEqual([
      ["work", 100],
      ["sweep", 100],
    ]);
    clock.advance(9);
    expect(fired).toHaveLength(2);
    clock.advance(1);
    expect(fired.at(-1)).toEqual(["sweep", 110]);
  });

  test("timers that it sets for the current instant fire too, but upkeep does not", async () => {
    const clock = new ManualClock(0);
    const fired: string[] = [];
    clock.after(
      10,
      () => {
        clock.after(0, () => fired.push("work"));
        clock.after(0, () => fired.push("upkeep"), { upkeep: true });
      },
      { upkeep: true },
    );
    await clock.advanceSettled(50, nextPass);
    expect(fired).toEqual(["work"]);
    clock.advance(0);
    expect(fired).toEqual(["work", "upkeep"]);
  });

  test("can be cancelled", () => {
    const clock = new ManualClock(0);
    clock.after(10, () => expect.unreachable("it was cancelled"), { upkeep: true }).cancel();
    clock.advance(20);
    expect(clock.timers()).toEqual([]);
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

  test("ends when its signal is aborted, before or meanwhile, and leaves no timer", async () => {
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

  test("waits longer than the longest timeout of Node", () => {
    const days = 86_400_000;
    const work = vi.fn<() => void>();
    systemClock.after(60 * days, work);
    vi.advanceTimersByTime(60 * days - 1);
    expect(work).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(work).toHaveBeenCalledOnce();
  });

  test("a long wait can be cancelled in each of its parts", () => {
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
  test("the same seed gives the same numbers, another seed does not", () => {
    const draw = (seed: number): (number | string)[] => {
      const random = seededRandom(seed);
      return [random.next(), random.uuid(), random.next()];
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  test("a fork continues the sequence, and neither changes the other", () => {
    const random = seededRandom(7);
    random.uuid();
    const [one, two] = [random.fork(), seededRandom(random.position)];
    const drawn = [one.uuid(), one.next(), one.uuid()];
    expect([two.uuid(), two.next(), two.uuid()]).toEqual(drawn);
    expect([random.uuid(), random.next(), random.uuid()]).toEqual(drawn);
  });

  test("numbers are spread over [0, 1); uuids are of version 4", () => {
    for (const random of [seededRandom(1), systemRandom]) {
      const numbers = Array.from({ length: 2000 }, () => random.next());
      expect(numbers.every((n) => n >= 0 && n < 1)).toBe(true);
      const tenths = new Set(numbers.map((n) => Math.floor(n * 10)));
      expect(tenths.size).toBe(10);
      expect(random.uuid()).toMatch(UUID_V4);
    }
  });
});

test("the clock of the machine takes a time that has passed, or that is none, as now", async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error): void => void warnings.push(name);
  process.on("warning", note);
  for (const millis of [-0.00082, -1e9, Number.NaN]) {
    await new Promise<void>((resolve) => newSystemClock().after(millis, resolve, { holds: true }));
  }
  // A warning is emitted in the next tick.
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", note);
  expect(warnings).toEqual([]);
});
