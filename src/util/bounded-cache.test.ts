import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BoundedCache } from "./bounded-cache.ts";
import { leastCpu } from "./testing/cpu-time.ts";
import { bytesInUse } from "./testing/heap.ts";

const keysOf = (cache: BoundedCache<number>, keys: readonly string[]): string[] =>
  keys.filter((key) => cache.get(key) !== undefined);

describe("a bounded cache", () => {
  test("evicts the least recently used entry when there are too many", () => {
    const cache = new BoundedCache<number>({ entries: 3, bytes: 1e6 });
    for (const key of ["a", "b", "c"]) cache.set(key, 1);
    cache.get("a");
    cache.set("b", 2);
    cache.set("d", 1);
    expect(keysOf(cache, ["a", "b", "c", "d"])).toEqual(["a", "b", "d"]);
    expect(cache.get("b")).toBe(2);
  });

  test("counts the bytes of keys", () => {
    const cache = new BoundedCache<number>({ entries: 1000, bytes: 10_000 });
    for (let i = 0; i < 1000; i++) cache.set(`${i}${"x".repeat(900)}`, i);
    expect(cache.size).toBe(5);
    expect(cache.bytes).toBeLessThanOrEqual(10_000);
  });

  test("counts the bytes of values", () => {
    const cache = new BoundedCache<string>({ entries: 1000, bytes: 10_000, weigh: ({ length }) => length });
    for (let i = 0; i < 100; i++) cache.set(String(i), "x".repeat(3000));
    expect(cache.size).toBe(3);
  });

  test("does not store a value that is too large, and removes the previous value of its key", () => {
    const cache = new BoundedCache<string>({ entries: 10, bytes: 1000, weigh: ({ length }) => length });
    cache.set("other", "");
    cache.set("a", "small");
    cache.set("a", "x".repeat(1000));
    expect([cache.get("a"), cache.get("other")]).toEqual([undefined, ""]);
  });

  test("accepts objects as keys, whose bytes do not count", () => {
    const cache = new BoundedCache<string, object>({ entries: 2, bytes: 1000 });
    const [a, b, c] = [{}, {}, {}];
    for (const key of [a, b, c]) cache.set(key, "value");
    expect([a, b, c].map((key) => cache.get(key))).toEqual([undefined, "value", "value"]);
    expect(cache.delete(b)).toBe(true);
    expect(cache.delete(b)).toBe(false);
    expect(cache.size).toBe(1);
  });

  test("does not keep the text alive that a key was cut from", () => {
    const cache = new BoundedCache<number>({ entries: 1000, bytes: 1e6 });
    const before = bytesInUse();
    for (let i = 0; i < 40; i++) {
      const path = `/api/v1/namespaces/a-namespace-with-a-name-${i}/${"x".repeat(1e6)}`;
      cache.set(path.split("/")[4]!, i);
    }
    expect(bytesInUse() - before).toBeLessThan(2e6);
    expect(cache.get("a-namespace-with-a-name-7")).toBe(7);
  });

  test("is as fast with many entries as with few", async () => {
    const costOf = (entries: number): Promise<number> => {
      const cache = new BoundedCache<number>({ entries, bytes: 1e9 });
      let next = 0;
      for (; next < entries; next++) cache.set(`key ${next}`, next);
      return leastCpu(() => {
        for (let i = 0; i < 20_000; i++) cache.set(`key ${next++}`, i);
      });
    };
    // A walk over holes would take a hundred times as long.
    expect(await costOf(50_000)).toBeLessThan(10 * (await costOf(500)));
  });

  test("behaves as a slow model for random operations", () => {
    const BOUNDS = { entries: 4, bytes: 1000, weigh: (value: number) => value };
    const step = fc.record({
      what: fc.constantFrom("set" as const, "get" as const, "delete" as const),
      key: fc.constantFrom("a", "bb", "ccc", "dddd", "eeeee", "x".repeat(300)),
      value: fc.integer({ min: 0, max: 1200 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const cache = new BoundedCache<number>(BOUNDS);
        let model: [key: string, value: number][] = [];
        const weightOf = ([key, value]: [string, number]): number => 128 + 2 * key.length + 16 + value;
        const weight = (): number => model.reduce((sum, one) => sum + weightOf(one), 0);
        for (const { what, key, value } of steps) {
          const found = model.find(([name]) => name === key);
          const answers = {
            get: () => [cache.get(key), found?.[1]],
            delete: () => [cache.delete(key), found !== undefined],
            set: () => [cache.set(key, value), undefined],
          };
          const [answer, expected] = answers[what]();
          expect(answer).toBe(expected);
          if (found || what === "set") model = model.filter(([name]) => name !== key);
          if (what === "get" && found) model.push(found);
          if (what === "set" && weightOf([key, value]) <= BOUNDS.bytes) model.push([key, value]);
          while (model.length > BOUNDS.entries || weight() > BOUNDS.bytes) model.shift();
          expect([cache.size, cache.bytes]).toEqual([model.length, weight()]);
        }
      }),
    );
  });
});
