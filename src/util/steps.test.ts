import { describe, expect, test } from "vitest";
import { type Steps, type Work, andThen, atOnce, forEachOf, inOneStep, isSteps, whenLarge } from "./steps.ts";

function* stepping<T>(value: T): Steps<T> {
  yield;
  return value;
}

/** The number of pauses and the result of the work. */
function drive<T>(work: Work<T>): [turns: number, value: T] {
  if (!isSteps(work)) return [0, work];
  for (let turns = 0; ; turns++) {
    const step = work.next();
    if (step.done) return [turns, step.value];
  }
}

describe("work that is small", () => {
  test("runs at once, with the work that follows from it", () => {
    expect(andThen(2, (two) => two * 21)).toBe(42);
    expect(
      andThen([1], (list) => {
        list.push(2);
        return list;
      }),
    ).toEqual([1, 2]);
  });

  test("runs for all items at once", () => {
    const done: number[] = [];
    expect(isSteps(forEachOf([1, 2, 3], false, (item) => void done.push(item)))).toBe(false);
    expect(done).toEqual([1, 2, 3]);
  });

  test("an object with a member `next` that is no function is a result, not steps", () => {
    expect(isSteps({ next: "page" } as object)).toBe(false);
    expect([null, undefined, 0, "", []].some((value) => isSteps(value))).toBe(false);
  });
});

describe("work that is large", () => {
  test("pauses before the work that follows from it, whichever of the two is in steps", () => {
    expect(drive(andThen(stepping(2), (two) => two * 21))).toEqual([2, 42]);
    expect(drive(andThen(2, (two) => stepping(two * 21)))).toEqual([1, 42]);
    expect(drive(andThen(stepping(2), (two) => stepping(two * 21)))).toEqual([3, 42]);
  });

  test("pauses after each item", () => {
    const done: number[] = [];
    const work = forEachOf([1, 2, 3], true, (item) => void done.push(item)) as Steps<void>;
    expect(done).toEqual([]);
    work.next();
    expect(done).toEqual([1]);
    expect(drive(work)[0]).toBe(2);
    expect(done).toEqual([1, 2, 3]);
  });

  test("takes one step where it cannot be cut", () => {
    expect(isSteps(whenLarge(true, () => 1))).toBe(true);
    expect(whenLarge(false, () => 1)).toBe(1);
    expect(atOnce(inOneStep(() => 1))).toBe(1);
  });

  test("fails where a step fails", () => {
    const failing = andThen(stepping(1), () => {
      throw new Error("no");
    });
    expect(() => atOnce(failing)).toThrow("no");
  });
});
