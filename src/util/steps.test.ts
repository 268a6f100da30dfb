import { describe, expect, test } from "vitest";
import { type Steps, type Work, andThen, atOnce, forEachOf, inOneStep, isSteps, whenLarge } from "./steps.ts";

function* stepping<T>(value: T): Steps<T> {
  yield;
  return value;
}

/** How often others had their turn, and what came of the work. */
function drive<T>(work: Work<T>): [turns: number, value: T] {
  if (!isSteps(work)) return [0, work];
  for (let turns = 0; ; turns++) {
    const step = work.next();
    if (step.done) return [turns, step.value];
  }
}

describe("work that is small", () => {
  test("is done when it is asked for, and what follows from it", () => {
    expect(andThen(2, (two) => two * 21)).toBe(42);
    expect(
      andThen([1], (list) => {
        list.push(2);
        return list;
      }),
    ).toEqual([1, 2]);
  });

  test("is done with each item in one go", () => {
    const done: number[] = [];
    expect(isSteps(forEachOf([1, 2, 3], false, (item) => void done.push(item)))).toBe(false);
    expect(done).toEqual([1, 2, 3]);
  });

  test("values that look like steps are none: a member `next` of an object is no function", () => {
    expect(isSteps({ next: "page" } as object)).toBe(false);
    expect([null, undefined, 0, "", []].some((value) => isSteps(value))).toBe(false);
  });
});

describe("work that is large", () => {
  test("gives way before what follows from it, whichever of the two comes in steps", () => {
    expect(drive(andThen(stepping(2), (two) => two * 21))).toEqual([2, 42]);
    expect(drive(andThen(2, (two) => stepping(two * 21)))).toEqual([1, 42]);
    expect(drive(andThen(stepping(2), (two) => stepping(two * 21)))).toEqual([3, 42]);
  });

  test("gives way after each item", () => {
    const done: number[] = [];
    const work = forEachOf([1, 2, 3], true, (item) => void done.push(item)) as Steps<void>;
    expect(done).toEqual([]);
    work.next();
    expect(done).toEqual([1]);
    expect(drive(work)[0]).toBe(2);
    expect(done).toEqual([1, 2, 3]);
  });

  test("takes a step where nobody can cut it", () => {
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
