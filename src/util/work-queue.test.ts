import { describe, expect, test } from "vitest";
import { ManualClock, seededRandom } from "./clock.ts";
import { WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

/** Lets everything that is ready run. */
const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A queue whose work a test ends by hand, key by key. */
function setUp(options: Partial<WorkQueueOptions> = {}) {
  const clock = new ManualClock(0);
  const begun: string[] = [];
  const running = new Map<string, PromiseWithResolvers<number | void>>();
  const queue = new WorkQueue({
    clock,
    random: seededRandom(1),
    work(key) {
      if (running.has(key)) throw new Error(`${key} is handled twice at the same time`);
      begun.push(key);
      const end = Promise.withResolvers<number | void>();
      running.set(key, end);
      return end.promise;
    },
    ...options,
  });
  const end = async (key: string, how: (end: PromiseWithResolvers<number | void>) => void): Promise<void> => {
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
    done: (key: string, later?: number) => end(key, ({ resolve }) => resolve(later)),
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

  test("not more keys than workers are handled at a time", async () => {
    const { queue, begun, running, done } = setUp({ workers: 2 });
    for (const key of ["a", "b", "c", "d"]) queue.add(key);
    expect([...running.keys()]).toEqual(["a", "b"]);
    await done("b");
    expect([...running.keys()]).toEqual(["a", "c"]);
    expect(begun).toEqual(["a", "b", "c"]);
    expect(queue.size).toBe(3);
  });

  test("a key whose work failed comes back later and later, until it succeeds", async () => {
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

    // A success forgets the failures.
    await done("a");
    queue.add("a");
    await fail("a");
    clock.advance(100);
    expect(begun).toHaveLength(9);
  });

  test("work that asks for it comes back after its time", async () => {
    const { queue, clock, begun, done } = setUp();
    queue.add("a");
    await done("a", 500);
    clock.advance(499);
    expect(begun).toEqual(["a"]);
    clock.advance(1);
    expect(begun).toEqual(["a", "a"]);
  });

  test("of two later times the earlier one counts, whichever came first", () => {
    const { queue, clock, begun } = setUp();
    queue.addAfter("a", 100);
    queue.addAfter("a", 1000);
    queue.addAfter("b", 1000);
    queue.addAfter("b", 100);
    clock.advance(100);
    expect(begun).toEqual(["a", "b"]);
    clock.advance(5000);
    expect(queue.size).toBe(2);
  });

  test("a key that is added now does not come back for the time that was set before", async () => {
    const { queue, clock, begun, done } = setUp();
    queue.addAfter("a", 100);
    queue.add("a");
    await done("a");
    clock.advance(1000);
    expect(begun).toEqual(["a"]);
  });

  test("closing forgets what waits and resolves when the last key has been handled", async () => {
    const { queue, clock, begun, done } = setUp({ workers: 1 });
    queue.add("busy");
    queue.add("busy");
    queue.add("waits");
    queue.addAfter("later", 10);
    let closed = false;
    const closing = queue.close().then(() => (closed = true));
    queue.add("after the end");
    queue.addAfter("after the end", 1);
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
});
