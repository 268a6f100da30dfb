import { expect, test } from "vitest";
import type { Steps } from "../../../src/util/steps.ts";
import { Sliced, sliceOf } from "./sliced.ts";

/** A browser whose clock moves by a millisecond with each look at it, and that goes on when a test says so. */
function fakeBrowser() {
  const waiting: (() => void)[] = [];
  let time = 0;
  return {
    steady: () => time++,
    later: (call: () => void) => void waiting.push(call),
    waiting,
    async pass(): Promise<void> {
      waiting.shift()?.();
      await new Promise<void>((resolve) => queueMicrotask(resolve));
      for (let i = 0; i < 5; i++) await Promise.resolve();
    },
  };
}

function* count(to: number): Steps<number> {
  for (let i = 0; i < to; i++) yield;
  return to;
}

test("a slice is over after 8 ms, and starts again after its pause", async () => {
  const browser = fakeBrowser();
  const slice = sliceOf(browser);
  let steps = 0;
  while (!slice.isOver) steps++;
  expect(steps).toBe(7);
  const pause = slice.pause();
  await browser.pass();
  await pause;
  expect(slice.isOver).toBe(false);
});

test("small work is done at once, large work in slices, and the result before stays meanwhile", async () => {
  const browser = fakeBrowser();
  let done = 0;
  const sliced = new Sliced<number>(() => done++, browser);
  sliced.start(() => count(3));
  expect([sliced.value, done]).toEqual([3, 0]);
  sliced.start(() => count(20));
  expect(sliced.value).toBe(3);
  let passes = 0;
  for (; sliced.value === 3; passes++) await browser.pass();
  expect([sliced.value, done]).toEqual([20, 1]);
  expect(passes).toBeGreaterThan(1);
});

test("of work that comes meanwhile only the last is done, and none after the end", async () => {
  const browser = fakeBrowser();
  const begun: number[] = [];
  const work = (to: number) => () => {
    begun.push(to);
    return count(to);
  };
  const sliced = new Sliced<number>(() => undefined, browser);
  for (const to of [20, 21, 22]) sliced.start(work(to));
  while (browser.waiting.length > 0) await browser.pass();
  expect([sliced.value, begun]).toEqual([22, [20, 22]]);
  sliced.start(work(30));
  sliced.start(work(31));
  sliced.close();
  while (browser.waiting.length > 0) await browser.pass();
  expect(begun).toEqual([20, 22, 30]);
});
