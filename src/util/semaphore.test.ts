import { describe, expect, test } from "vitest";
import { ManualClock } from "./clock.ts";
import { ConcurrencyLimiter, KeyedSemaphore, LimitExceeded } from "./semaphore.ts";
import { nextPass } from "./testing/pass.ts";

describe("ConcurrencyLimiter", () => {
  /** A limiter for two, with two more that wait, and work that a test ends. */
  function newLimiter() {
    const clock = new ManualClock();
    const limiter = new ConcurrencyLimiter(clock, { running: 2, waiting: 2, millis: 1000 });
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const run = (name: string): Promise<string> =>
      limiter.run(() => {
        begun.push(name);
        return new Promise((resolve) => ends.set(name, () => resolve(name)));
      });
    return { clock, limiter, begun, run, end: (name: string) => ends.get(name)!() };
  }

  test("runs so many at once, keeps the order of the others, and refuses one too many", async () => {
    const { limiter, begun, run, end } = newLimiter();
    const all = ["a", "b", "c", "d"].map(run);
    expect([begun, limiter.waiting]).toEqual([["a", "b"], 2]);
    await expect(run("e")).rejects.toThrow(LimitExceeded);
    end("b");
    await nextPass();
    expect(begun).toEqual(["a", "b", "c"]);
    for (const name of ["a", "c"]) end(name);
    await nextPass();
    end("d");
    expect(await Promise.all(all)).toEqual(["a", "b", "c", "d"]);
    const last = run("f");
    end("f");
    expect([await last, limiter.waiting]).toEqual(["f", 0]);
  });

  test("refuses work that waits too long, which then has no place in the queue", async () => {
    const { clock, begun, run, end } = newLimiter();
    const running = ["a", "b"].map(run);
    const late = run("c");
    clock.advance(999);
    const next = run("d");
    clock.advance(1);
    await expect(late).rejects.toThrow("within 1 s");
    end("a");
    await nextPass();
    expect(begun).toEqual(["a", "b", "d"]);
    for (const name of ["b", "d"]) end(name);
    expect(await Promise.all([...running, next])).toEqual(["a", "b", "d"]);
    expect(clock.timers()).toEqual([]);
  });

  test("runs the next work when one fails", async () => {
    const { limiter } = newLimiter();
    const fail = (): Promise<void> => limiter.run(() => Promise.reject(new Error("no")));
    for (let i = 0; i < 5; i++) await expect(fail()).rejects.toThrow("no");
    expect(await limiter.run(async () => "done")).toBe("done");
  });
});

describe("KeyedSemaphore", () => {
  const { signal } = new AbortController();

  test("runs work of one key while work of another waits, and keeps no unused key", async () => {
    const semaphore = new KeyedSemaphore(2);
    const gate = Promise.withResolvers<void>();
    const done: string[] = [];
    const slow = ["a", "b", "c"].map((name) =>
      semaphore.run("slow", signal, async () => {
        done.push(`begin ${name}`);
        await gate.promise;
      }),
    );
    await semaphore.run("quick", signal, async () => void done.push("quick"));
    expect(done).toEqual(["begin a", "begin b", "quick"]);
    expect(semaphore.size).toBe(1);
    gate.resolve();
    await Promise.all(slow);
    expect(done).toContain("begin c");
    expect(semaphore.size).toBe(0);
  });

  test("rejects with the reason of the signal, and work that fails releases its permit", async () => {
    const semaphore = new KeyedSemaphore(1);
    const gate = Promise.withResolvers<void>();
    const first = semaphore.run("a", signal, () => gate.promise);
    const over = new AbortController();
    const second = semaphore.run("a", over.signal, async () => {});
    over.abort(new Error("enough"));
    await expect(second).rejects.toThrow("enough");
    await expect(semaphore.run("a", over.signal, async () => {})).rejects.toThrow("enough");
    gate.reject(new Error("broken"));
    await expect(first).rejects.toThrow("broken");
    await expect(semaphore.run("a", signal, async () => 7)).resolves.toBe(7);
    expect(semaphore.size).toBe(0);
  });
});
