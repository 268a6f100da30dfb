import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { ShortLivedMap, ShortLivedSet } from "./short-lived.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as (options: { type: "major" | "minor" }) => void;
setFlagsFromString("--no-expose-gc");

const SOME = 20;
const MANY = 3000;
const MEMBERS = 500;

const thing = (): object => Array.from({ length: MEMBERS }, (_, i) => i + 0.5);

/** Bytes of the heap after minor collections, when many entries have come and gone since a full one. */
function left(add: (i: number) => void, remove: (i: number) => void): number {
  for (let i = 0; i < SOME; i++) add(i);
  collect({ type: "major" });
  const before = process.memoryUsage().heapUsed;
  for (let i = SOME; i < MANY; i++) {
    add(i);
    remove(i - SOME);
    if (i % 100 === 0) collect({ type: "minor" });
  }
  collect({ type: "minor" });
  return process.memoryUsage().heapUsed - before;
}

describe("short-lived entries", () => {
  const most = (MANY / 4) * MEMBERS * 8;

  it("is not kept by a map that was in use during a full collection", () => {
    const map = new ShortLivedMap<number, object>();
    expect(
      left(
        (i) => map.set(i, thing()),
        (i) => map.delete(i),
      ),
    ).toBeLessThan(most);
    expect(map.size).toBe(SOME);
  });

  it("is not kept by such a set", () => {
    const things: object[] = [];
    const set = new ShortLivedSet<object>();
    const add = (i: number): void => set.add((things[i % (2 * SOME)] = thing()));
    expect(left(add, (i) => set.delete(things[i % (2 * SOME)]!))).toBeLessThan(most);
    expect(set.size).toBe(SOME);
  });

  it("is there in the order in which it was added, however often the map started again", () => {
    const map = new ShortLivedMap<number, string>();
    for (let i = 0; i < 1000; i++) {
      map.set(i, `${i}`);
      map.delete(i - 3);
    }
    expect([...map]).toEqual([997, 998, 999].map((i) => [i, `${i}`]));
    expect([...map.keys()]).toEqual([997, 998, 999]);
    expect([...map.values()]).toEqual(["997", "998", "999"]);
    expect([map.get(996), map.get(999)]).toEqual([undefined, "999"]);
    map.clear();
    expect([map.size, map.delete(999)]).toEqual([0, false]);
  });
});
