import { describe, expect, test } from "vitest";
import { KeyedLock } from "./keyed-lock.ts";

/** Work that a test ends by hand, and that tells when it began. */
function handmade() {
  const end = Promise.withResolvers<string>();
  let began = false;
  const work = (): Promise<string> => {
    began = true;
    return end.promise;
  };
  return { work, end, began: () => began };
}

/** Lets everything that is ready run. */
const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe("KeyedLock", () => {
  test("work of one key takes turns, in the order of the calls", async () => {
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

  test("work of different keys runs side by side, and the first of a key begins at once", () => {
    const lock = new KeyedLock();
    const [a, b] = [handmade(), handmade()];
    void lock.run("a", a.work);
    void lock.run("b", b.work);
    expect([a.began(), b.began()]).toEqual([true, true]);
  });

  test("a failure reaches its own caller, and the next one has its turn", async () => {
    const lock = new KeyedLock();
    const failed = lock.run("a", () => Promise.reject(new Error("no")));
    const next = lock.run("a", () => Promise.resolve("yes"));
    await expect(failed).rejects.toThrow("no");
    expect(await next).toBe("yes");
  });

  test("nothing is kept of a key when its last work has ended", async () => {
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
