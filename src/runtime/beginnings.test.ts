import { expect, test } from "vitest";
import { Activity } from "../util/activity.ts";
import { ManualClock } from "../util/clock.ts";
import { EventLoop } from "../util/loop.ts";
import { Beginnings } from "./beginnings.ts";

/** Beginnings of 50 ms each on a loop whose passes a test makes. */
function slow(isTimed: boolean) {
  let now = 0;
  const later: (() => void)[] = [];
  const loop = new EventLoop({ later: (work) => void later.push(work), steady: () => now, isTimed });
  const activity = new Activity(new ManualClock());
  const failed: unknown[] = [];
  const beginnings = new Beginnings({ loop, activity, failed: (error) => failed.push(error) });
  const begun: string[] = [];
  const add = (name: string): void =>
    beginnings.add(() => {
      now += 50;
      begun.push(name);
      if (name === "bad") throw new Error(name);
    });
  const pass = async (): Promise<void> => {
    for (const work of later.splice(0)) work();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { add, begun, failed, activity, pass };
}

test("controllers that begin at the same moment do so in passes of the loop, in order, and one that fails stops no other", async () => {
  const { add, begun, failed, activity, pass } = slow(true);
  for (const name of ["a", "bad", "c"]) add(name);
  expect(begun).toEqual(["a"]);
  expect(activity.count).toBe(1);
  const seen: number[] = [];
  for (let passes = 0; passes < 10; passes++) {
    await pass();
    seen.push(begun.length);
  }
  expect(begun).toEqual(["a", "bad", "c"]);
  expect(seen).toContain(2);
  expect(failed).toEqual([new Error("bad")]);
  expect(activity.count).toBe(0);
});

test("where slices have no time, all begin at once", async () => {
  const { add, begun, failed } = slow(false);
  for (const name of ["a", "bad", "c"]) add(name);
  expect(begun).toEqual(["a", "bad", "c"]);
  expect(failed).toHaveLength(1);
});
