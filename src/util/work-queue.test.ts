import { describe, expect, test } from "vitest";
import { Activity, pauseCount } from "./activity.ts";
import { ManualClock, seededRandom } from "./clock.ts";
import { leastCpu } from "./testing/cpu-time.ts";
import { type Later, WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

/** Runs all microtasks. */
const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A queue whose work a test ends, key by key. */
function setUp(options: Partial<WorkQueueOptions> = {}) {
  const clock = (options.clock as ManualClock | undefined) ?? new ManualClock(0);
  const begun: string[] = [];
  const running = new Map<string, PromiseWithResolvers<Later | void>>();
  const queue = new WorkQueue({
    clock,
    random: seededRandom(1),
    work(key) {
      if (running.has(key)) throw new Error(`${key} is handled twice at the same time`);
      begun.push(key);
      const end = Promise.withResolvers<Later | void>();
      running.set(key, end);
      return end.promise;
    },
    ...options,
  });
  const end = async (key: string, how: (end: PromiseWithResolvers<Later | void>) => void): Promise<void> => {
    const promise = running.get(key)!;
    running.delete(key);
    how(promise);
    await settle();
  };
  return {
    clock,
    queue,
    begun,
    running,
    done: (key: string, later?: Later) => end(key, ({ resolve }) => resolve(later)),
    fail: (key: string) => end(key, ({ reject }) => reject(new Error(`${key} failed`))),
  };
}

describe("WorkQueue", () => {
  test("a key that waits is not added again; one that is handled is handled once more afterwards", async () => {
    const { queue, begun, done } = setUp({ workers: 1 });
    queue.add("busy");
    queue.add("waits");
    queue.add("waits");
    queue.add("busy");
    queue.add("busy");
    expect(begun).toEqual(["busy"]);
    await done("busy");
    expect(begun).toEqual(["busy", "waits"]);
    await done("waits");
    await done("busy");
    expect(begun).toEqual(["busy", "waits", "busy"]);
    expect(queue.size).toBe(0);
  });

  test("with together a key is handled once its changes have ceased to come, and once for all of them", async () => {
    const passes: (() => void)[] = [];
    const { queue, begun, done } = setUp({ together: () => new Promise((resolve) => void passes.push(resolve)) });
    const pass = async (): Promise<void> => {
      for (const resolve of passes.splice(0)) resolve();
      await settle();
    };
    queue.add("key");
    for (let change = 0; change < 5; change++) {
      queue.add("key");
      await pass();
      expect([begun, queue.size]).toEqual([[], 1]);
    }
    await pass();
    expect(begun).toEqual(["key"]);
    queue.add("key");
    await done("key");
    await pass();
    expect(begun).toEqual(["key", "key"]);
    await done("key");
    expect([queue.size, passes.length]).toEqual([0, 0]);
  });

  test("with together a key whose changes never cease is handled all the same, and none after the queue was closed", async () => {
    const adding = { isOn: true };
    const { queue, begun, done } = setUp({
      async together() {
        await settle();
        if (adding.isOn) queue.add("key");
      },
    });
    queue.add("key");
    for (let turn = 0; turn < 100 && begun.length === 0; turn++) await settle();
    expect(begun).toEqual(["key"]);
    adding.isOn = false;
    await done("key");
    const closing = queue.close();
    await closing;
    expect(begun).toEqual(["key"]);
  });

  test("of keys that are due at the same time one may add another as soon as it is handled", async () => {
    const again = { isOn: false };
    const { clock, queue, begun } = setUp({
      async work(key) {
        begun.push(key);
        if (key === "first" && again.isOn) queue.add("second");
        return again.isOn ? undefined : 1000;
      },
    });
    queue.add("first");
    queue.add("second");
    await settle();
    again.isOn = true;
    clock.advance(1000);
    await settle();
    expect(begun).toEqual(["first", "second", "first", "second"]);
    expect(queue.size).toBe(0);
  });

  test("at most as many keys as workers are handled at a time", async () => {
    const { queue, begun, running, done } = setUp({ workers: 2 });
    for (const key of ["a", "b", "c", "d"]) queue.add(key);
    expect([...running.keys()]).toEqual(["a", "b"]);
    await done("b");
    expect([...running.keys()]).toEqual(["a", "c"]);
    expect(begun).toEqual(["a", "b", "c"]);
    expect(queue.size).toBe(3);
  });

  test("a failed key is requeued after growing waits, until it succeeds", async () => {
    const failures: string[] = [];
    const retry = { first: 100, most: 1000 };
    const { queue, clock, begun, fail, done } = setUp({
      retry,
      failed: (key, error) => failures.push(`${key}: ${String(error)}`),
    });
    queue.add("a");
    const waits: number[] = [];
    for (let i = 0; i < 6; i++) {
      await fail("a");
      const from = clock.now();
      while (begun.length === i + 1) clock.advance(1);
      waits.push(clock.now() - from);
    }
    expect(failures).toHaveLength(6);
    expect(failures[0]).toBe("a: Error: a failed");
    const bounds = [100, 200, 400, 800, 1000, 1000];
    expect(waits.map((wait, i) => wait >= bounds[i]! / 2 && wait <= bounds[i]!)).toEqual(bounds.map(() => true));

    // A success resets the failures.
    await done("a");
    queue.add("a");
    await fail("a");
    clock.advance(100);
    expect(begun).toHaveLength(9);
  });

  test("a delayed key is queued once, after its delay, and does not count as activity until then", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let held: Promise<void> | undefined = promise;
    const activity = new Activity(new ManualClock());
    const { queue, begun } = setUp({ activity, ready: (key) => (key === "a" ? held : undefined) });
    queue.add("a");
    queue.add("b");
    queue.add("a");
    expect([begun, activity.count]).toEqual([["b"], 1]);
    held = undefined;
    resolve();
    await promise;
    expect(begun).toEqual(["b", "a"]);
  });

  test("work that returns a time is requeued after it", async () => {
    const { queue, clock, begun, done } = setUp();
    queue.add("a");
    await done("a", 500);
    clock.advance(499);
    expect(begun).toEqual(["a"]);
    clock.advance(1);
    expect(begun).toEqual(["a", "a"]);
  });

  test("a time that doubles does so each time in a row, up to the longest wait, and starts again after another result", async () => {
    const { clock, queue, begun, done } = setUp({ retry: { first: 50, most: 1000 } });
    const waits = async (): Promise<number> => {
      const [from, before] = [clock.steady(), begun.length];
      await done("a", { millis: 300, doubles: true });
      while (begun.length === before && clock.steady() < from + 5000) clock.advance(100);
      return clock.steady() - from;
    };
    queue.add("a");
    expect([await waits(), await waits(), await waits(), await waits()]).toEqual([300, 600, 1000, 1000]);
    await done("a");
    queue.add("a");
    expect(await waits()).toBe(300);
  });

  test("an addition replaces an earlier timer", async () => {
    const { queue, clock, begun, done } = setUp();
    queue.add("a");
    await done("a", 100);
    queue.add("a");
    await done("a");
    clock.advance(1000);
    expect(begun).toEqual(["a", "a"]);
  });

  test("closing discards waiting keys and resolves when the last key has been handled", async () => {
    const { queue, clock, begun, done } = setUp({ workers: 1 });
    queue.add("busy");
    queue.add("busy");
    queue.add("waits");
    let closed = false;
    const closing = queue.close().then(() => (closed = true));
    queue.add("after the end");
    await settle();
    expect(closed).toBe(false);
    await done("busy", 5);
    await closing;
    clock.advance(1000);
    expect(begun).toEqual(["busy"]);
    expect(queue.size).toBe(0);
    await queue.close();
  });

  test("closing an idle queue resolves at once", async () => {
    const { queue } = setUp();
    await expect(queue.close()).resolves.toBeUndefined();
  });

  test("a key that fails after an event of its own is requeued after its first wait, not at once", async () => {
    const clock = new ManualClock(0);
    const times: number[] = [];
    const queue = new WorkQueue({
      clock,
      random: { next: () => 1 - Number.EPSILON, uuid: () => "" },
      retry: { first: 100, most: 10_000 },
      work(key) {
        times.push(Math.round(clock.steady()));
        queue.add(key);
        return Promise.reject(new Error("no"));
      },
    });
    queue.add("a");
    await settle();
    expect(times).toEqual([0]);
    for (let step = 0; step < 40; step++) {
      clock.advance(10);
      await settle();
    }
    // Each event shortens the wait from 200, 400, 800 ... to the first wait.
    expect(times).toEqual([0, 100, 200, 300, 400]);
  });

  test("an event shortens the wait of a failed key, but not below its first wait", async () => {
    const { queue, clock, begun, fail } = setUp({ retry: { first: 100, most: 100_000 } });
    queue.add("a");
    for (let i = 0; i < 8; i++) {
      await fail("a");
      clock.advance(100_000);
    }
    await fail("a");
    expect(begun).toHaveLength(9);
    clock.advance(50);
    queue.add("a");
    clock.advance(49);
    expect(begun).toHaveLength(9);
    clock.advance(1);
    expect(begun).toHaveLength(10);
    await fail("a");
    clock.advance(150);
    expect(begun).toHaveLength(10);
    queue.add("a");
    expect(begun).toHaveLength(11);
  });

  test("counts the attempts since the last success; a requested requeue is no failure", async () => {
    const attempts: number[] = [];
    const outcomes: (number | false | undefined)[] = [false, false, 50, 50, undefined, false];
    const { queue, clock } = setUp({
      retry: { first: 10, most: 10 },
      work(_, attempt) {
        attempts.push(attempt);
        const outcome = outcomes.shift();
        return outcome === false ? Promise.reject(new Error("no")) : Promise.resolve(outcome);
      },
    });
    queue.add("a");
    for (let i = 0; i < 3; i++) await clock.advanceSettled(50, settle);
    await clock.advanceSettled(100, settle);
    queue.add("a");
    await clock.advanceSettled(1000, settle);
    expect(attempts).toEqual([1, 2, 3, 1, 1, 1, 2]);
  });

  test("a key has one timer: each attempt replaces or clears it", async () => {
    const { queue, clock, begun, done } = setUp();
    queue.add("a");
    await done("a", 500);
    queue.add("a");
    await done("a", 2000);
    clock.advance(1000);
    expect(begun).toHaveLength(2);
    queue.add("a");
    await done("a");
    clock.advance(10_000);
    expect(begun).toHaveLength(3);
    expect(clock.timers()).toEqual([]);
  });

  test("one of five keys is of low priority if one waits; otherwise first in, first out", async () => {
    const { queue, begun, done } = setUp({ workers: 1 });
    queue.add("first");
    for (const key of ["l1", "l2", "l3"]) queue.add(key, "low");
    for (let i = 1; i <= 10; i++) queue.add(`n${i}`);
    for (let i = 0; i < 14; i++) await done(begun.at(-1)!);
    const order = "first n1 n2 n3 n4 l1 n5 n6 n7 n8 l2 n9 n10 l3";
    expect(begun.join(" ")).toBe(order);
  });

  test("a key of low priority that is added with normal priority waits with the others", async () => {
    const { queue, begun, done } = setUp({ workers: 1 });
    queue.add("first");
    for (const key of ["a", "b", "c"]) queue.add(key, "low");
    queue.add("d");
    queue.add("c");
    queue.add("c", "low");
    expect(queue.size).toBe(5);
    for (let i = 0; i < 5; i++) await done(begun.at(-1)!);
    expect(begun).toEqual(["first", "d", "c", "a", "b"]);
  });

  test("a failed key of low priority keeps it", async () => {
    const { queue, clock, begun, done, fail } = setUp({ workers: 1, retry: { first: 100, most: 100 } });
    queue.add("low", "low");
    await fail("low");
    queue.add("busy");
    clock.advance(100);
    queue.add("normal");
    await done("busy");
    expect(begun).toEqual(["low", "busy", "normal"]);
  });

  test("keys that are handled count as activity, those that wait for a worker or a timer do not", async () => {
    const clock = new ManualClock(0);
    const activity = new Activity(clock);
    const { queue, done, fail } = setUp({ clock, activity, workers: 1, name: "queue" });
    const listed = (): string[] => activity.list().map(({ what }) => what);
    queue.add("a");
    queue.add("b");
    queue.add("a");
    expect(listed()).toEqual(["queue a"]);
    await done("a");
    expect(listed()).toEqual(["queue b"]);
    await done("b", 100);
    expect(listed()).toEqual(["queue a"]);
    await fail("a");
    expect(listed()).toEqual([]);
    clock.advance(100);
    expect(listed()).toEqual(["queue a"]);
    expect(clock.timers()).toEqual([]);
    const closed = queue.close();
    expect(listed()).toEqual(["queue a"]);
    await done("a");
    await closed;
    expect(listed()).toEqual([]);
  });

  test("nothing is running while all workers wait for the clock, whatever waits for them", async () => {
    const activity = new Activity(new ManualClock());
    const handled: string[] = [];
    const held = Promise.withResolvers<void>();
    const queue = new WorkQueue({
      clock: new ManualClock(0),
      random: seededRandom(1),
      activity,
      workers: 1,
      work: async (key) => {
        handled.push(key);
        if (key === "b") return;
        using _waiting = pauseCount();
        await held.promise;
      },
    });
    queue.add("a");
    queue.add("b");
    await activity.idle();
    expect(handled).toEqual(["a"]);
    held.resolve();
    await settle();
    expect(handled).toEqual(["a", "b"]);
  });

  test("calls back before each attempt", async () => {
    const told: string[] = [];
    const { queue, done } = setUp({ started: (key) => told.push(key) });
    queue.add("a");
    await done("a");
    queue.add("b");
    queue.add("a");
    expect(told).toEqual(["a", "b", "a"]);
  });

  test("a key costs the same in a long queue as in a short one", async () => {
    const handled = (count: number) => async (): Promise<void> => {
      const { queue } = setUp({ work: () => Promise.resolve() });
      for (let i = 0; i < count; i++) queue.add(`key ${i}`);
      await settle();
      expect(queue.size).toBe(0);
    };
    const [short, long] = [await leastCpu(handled(1000)), await leastCpu(handled(40_000))];
    expect(long).toBeLessThan(40 * short * 3 + 5);
  });
});
