import { describe, expect, test } from "vitest";
import { ManualClock } from "./clock.ts";
import { KeyedLock, LockTimeout } from "./keyed-lock.ts";
import { leastCpu } from "./testing/cpu-time.ts";

/** Work that a test ends, and that records its begin. */
function handmade() {
  const end = Promise.withResolvers<string>();
  let began = false;
  const work = (): Promise<string> => {
    began = true;
    return end.promise;
  };
  return { work, end, began: () => began };
}

/** Runs all microtasks. */
const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe("KeyedLock", () => {
  test("work of one key runs one after the other, in the order of the calls", async () => {
    const lock = new KeyedLock();
    const [first, second, third] = [handmade(), handmade(), handmade()];
    const results = [first, second, third].map(({ work }) => lock.run("a", work));
    await settle();
    expect([first.began(), second.began(), third.began()]).toEqual([true, false, false]);
    first.end.resolve("1");
    await settle();
    expect([second.began(), third.began()]).toEqual([true, false]);
    second.end.resolve("2");
    third.end.resolve("3");
    expect(await Promise.all(results)).toEqual(["1", "2", "3"]);
  });

  test("work without a key begins at once, and its hold ends as any other", async () => {
    const clock = new ManualClock();
    const lock = new KeyedLock({ clock, waitMillis: 10, holdMillis: 20 });
    const [a, b] = [handmade(), handmade()];
    const done = [lock.alone(a.work), lock.alone(b.work)];
    const stuck = lock.alone(({ signal }) => {
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    });
    expect([a.began(), b.began(), lock.size]).toEqual([true, true, 3]);
    a.end.resolve("a");
    b.end.resolve("b");
    expect(await Promise.all(done)).toEqual(["a", "b"]);
    clock.advance(20);
    await expect(stuck).rejects.toMatchObject({ why: "held" });
    expect(lock.size).toBe(0);
  });

  test("work of different keys runs in parallel, and the first work of a key begins at once", () => {
    const lock = new KeyedLock();
    const [a, b] = [handmade(), handmade()];
    void lock.run("a", a.work);
    void lock.run("b", b.work);
    expect([a.began(), b.began()]).toEqual([true, true]);
  });

  test("a failure reaches its own caller, and the next work begins", async () => {
    const lock = new KeyedLock();
    const failed = lock.run("a", () => Promise.reject(new Error("no")));
    const next = lock.run("a", () => Promise.resolve("yes"));
    await expect(failed).rejects.toThrow("no");
    expect(await next).toBe("yes");
  });

  test("a key is not kept when its last work has ended", async () => {
    const lock = new KeyedLock();
    const [first, second] = [handmade(), handmade()];
    void lock.run("a", first.work);
    void lock.run("a", second.work);
    void lock.run("b", () => Promise.reject(new Error("no"))).catch(() => {});
    expect(lock.size).toBe(2);
    first.end.resolve("");
    await settle();
    expect(lock.size).toBe(1);
    second.end.resolve("");
    await settle();
    expect(lock.size).toBe(0);
  });
});

describe("KeyedLock with limits", () => {
  /** A lock with a manual clock; work waits at most 100 ms, and holds the lock for at most 1 s. */
  const setUp = (maxWaiting?: number): { clock: ManualClock; lock: KeyedLock } => {
    const clock = new ManualClock(0);
    return { clock, lock: new KeyedLock({ clock, waitMillis: 100, holdMillis: 1000, maxWaiting }) };
  };

  test("work that waits too long times out and never begins; later work keeps its position", async () => {
    const { clock, lock } = setUp();
    const [first, second, third] = [handmade(), handmade(), handmade()];
    const done = lock.run("a", first.work);
    const gaveUp = lock.run("a", second.work);
    clock.advance(60);
    const waits = lock.run("a", third.work);
    clock.advance(40);
    await expect(gaveUp).rejects.toMatchObject({ name: "LockTimeout", why: "waited" });
    first.end.resolve("1");
    third.end.resolve("3");
    expect(await Promise.all([done, waits])).toEqual(["1", "3"]);
    expect(second.began()).toBe(false);
    expect(clock.timers()).toEqual([]);
    await settle();
    expect(lock.size).toBe(0);
  });

  test("the number that may wait for a key is bounded; running work does not count", async () => {
    const { lock } = setUp(2);
    const [first, second, third] = [handmade(), handmade(), handmade()];
    void lock.run("a", first.work);
    void lock.run("a", second.work);
    void lock.run("a", third.work);
    await expect(lock.run("a", handmade().work)).rejects.toMatchObject({ why: "crowded" });
    void lock.run("b", handmade().work);
    first.end.resolve("");
    await settle();
    const last = handmade();
    const waits = lock.run("a", last.work);
    for (const { end } of [second, third, last]) end.resolve("yes");
    expect(await waits).toBe("yes");
  });

  test("a hold is bounded from when other work waits: its signal is aborted, and the next work begins", async () => {
    const { clock, lock } = setUp();
    const [next, after] = [handmade(), handmade()];
    let signal: AbortSignal | undefined;
    const slow = lock.run("a", async (turn) => {
      await settle();
      signal = turn.signal;
      return new Promise<string>((_, reject) =>
        signal!.addEventListener("abort", () => reject(signal!.reason as Error)),
      );
    });
    clock.advance(5000);
    await settle();
    clock.advance(950);
    expect(signal?.aborted).toBe(false);
    const waits = lock.run("a", next.work);
    clock.advance(49);
    expect(next.began()).toBe(false);
    clock.advance(1);
    expect(next.began()).toBe(true);
    await expect(slow).rejects.toMatchObject({ name: "LockTimeout", why: "held" });
    // The end of the expired work does not end the hold of another one.
    const last = lock.run("a", after.work);
    await settle();
    expect(after.began()).toBe(false);
    next.end.resolve("2");
    after.end.resolve("3");
    expect(await Promise.all([waits, last])).toEqual(["2", "3"]);
  });

  test("the time counts from the first waiting work, also where the signal is read too late", async () => {
    const { clock, lock } = setUp();
    const slow = handmade();
    let late: AbortSignal | undefined;
    void lock.run("a", async (turn) => {
      await slow.work();
      late = turn.signal;
      return "";
    });
    clock.advance(10_000);
    void lock.run("a", handmade().work).catch(() => {});
    clock.advance(50);
    void lock.run("a", handmade().work).catch(() => {});
    clock.advance(10_000);
    slow.end.resolve("");
    await settle();
    expect(late?.aborted).toBe(true);
    expect(late?.reason).toBeInstanceOf(LockTimeout);
  });

  test("the hold of work that has waited is bounded too, while other work waits", async () => {
    const clock = new ManualClock(0);
    const lock = new KeyedLock({ clock, waitMillis: 10_000, holdMillis: 1000 });
    const work = [handmade(), handmade(), handmade()];
    for (const each of work) void lock.run("a", each.work);
    const began = (): number => work.filter((each) => each.began()).length;
    clock.advance(1000);
    expect(began()).toBe(2);
    clock.advance(999);
    expect(began()).toBe(2);
    clock.advance(1);
    expect(began()).toBe(3);
    // No work waits for the last one, so its hold is not bounded.
    clock.advance(100_000);
    expect(lock.size).toBe(1);
  });

  test("work that throws synchronously fails alone", async () => {
    const { lock } = setUp();
    const first = handmade();
    void lock.run("a", first.work);
    const thrown = lock.run("a", () => {
      throw new Error("at once");
    });
    const next = lock.run("a", () => Promise.resolve("next"));
    first.end.resolve("");
    await expect(thrown).rejects.toThrow("at once");
    expect(await next).toBe("next");
  });

  test("work that no other work waits for sets no timer, and costs little more than a promise in a map", async () => {
    const { clock, lock } = setUp();
    const work = (): Promise<number> => Promise.resolve(1);
    const run = lock.run("a", work);
    expect(clock.timers()).toEqual([]);
    await run;
    const map = new Map<string, Promise<number>>();
    const floor = async (): Promise<void> => {
      for (let i = 0; i < 20_000; i++) {
        const key = `k${i & 1023}`;
        const result = work();
        map.set(key, result);
        const end = (): void => void map.delete(key);
        result.then(end, end);
        await result;
      }
    };
    const locked = async (): Promise<void> => {
      for (let i = 0; i < 20_000; i++) await lock.run(`k${i & 1023}`, work);
    };
    const [least, needed] = [await leastCpu(floor), await leastCpu(locked)];
    expect(needed).toBeLessThan(2 * least + 2);
  });
});
