import { expect, test } from "vitest";
import { memoizeLast, once } from "./once.ts";

test("a value is made once, on first use, also where it is undefined", () => {
  let made = 0;
  const value = once(() => void made++);
  expect(made).toBe(0);
  expect([value(), value(), made]).toEqual([undefined, undefined, 1]);
});

test("the last result is kept until the argument changes", () => {
  const made: number[] = [];
  const double = memoizeLast((n: number) => {
    made.push(n);
    return 2 * n;
  });
  expect([1, 1, 2, 2, 1].map(double)).toEqual([2, 2, 4, 4, 2]);
  expect(made).toEqual([1, 2, 1]);
});
