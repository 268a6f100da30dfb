import { expect, test } from "vitest";
import { EventLoop } from "./loop.ts";

/** The time of jobs; no other time passes. */
let time = 1;
const loop = new EventLoop({ steady: () => time });

/** Blocks the event loop for some ms. */
function busy(ms: number): void {
  time += ms;
}

const pass = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A short job of an owner: it takes 1 ms and is recorded. */
async function job(owner: string, went: string[]): Promise<void> {
  await loop.admit(owner);
  busy(1);
  went.push(owner);
}

test("some short jobs of an owner run at once, others of that pass wait", async () => {
  await pass();
  expect([1, 2, 3].map(() => loop.admit("a"))).toEqual([undefined, undefined, undefined]);
  expect(loop.admit("a")).toBeInstanceOf(Promise);
  expect(loop.admit("b")).toBeUndefined();
  await pass();
  await pass();
  expect(loop.admit("a")).toBeUndefined();
});

test("when the jobs that run at once have used their time all others wait, of whichever client", async () => {
  await pass();
  expect(loop.admit("a")).toBeUndefined();
  busy(8);
  expect(loop.admit("b")).toBeInstanceOf(Promise);
});

test("jobs run one by one, and other work runs when they have used their time", async () => {
  const went: string[] = [];
  const begin = (): void => {
    void Promise.resolve().then(() => {
      busy(1);
      went.push("job");
    });
  };
  loop.runInOrder(Array.from({ length: 20 }, () => begin));
  const first = await pass().then(() => went.length);
  expect(first).toBeLessThan(10);
  while (went.length < 20) await pass();
});

test("one job of a client with many runs, then those of others", async () => {
  await pass();
  const went: string[] = [];
  const flood = Array.from({ length: 40 }, () => job("flood", went));
  const others = ["a", "b", "c"].map((owner) => job(owner, went));
  await Promise.all(others);
  expect(went.length).toBeLessThan(16);
  await Promise.all(flood);
  expect(went).toHaveLength(43);
});

test("waiting jobs run in several passes: events of sockets are handled between them", async () => {
  await pass();
  const went: string[] = [];
  const flood = Promise.all(Array.from({ length: 30 }, () => job("flood", went)));
  const most: number[] = [];
  for (let before = went.length; went.length < 30; before = went.length) {
    await pass();
    most.push(went.length - before);
  }
  await flood;
  expect(Math.max(...most)).toBeLessThan(16);
});

test("a long job continues in each pass, also while short ones wait", async () => {
  await pass();
  const went: string[] = [];
  const flood = Promise.all(Array.from({ length: 100 }, () => job("flood", went)));
  for (let i = 0; i < 5; i++) await loop.yield();
  expect(went.length).toBeLessThan(40);
  await flood;
});

test("a request of this process runs when it comes, until such requests have used their time in the pass", async () => {
  await pass();
  expect(loop.admitInternal()).toBeUndefined();
  busy(12);
  expect(loop.admitInternal()).toBeInstanceOf(Promise);
  await pass();
  await pass();
  expect(loop.admitInternal()).toBeUndefined();
});

test("of many jobs of this process that come at the same moment some run at once", async () => {
  await pass();
  const waits = Array.from({ length: 100 }, () => loop.admitInternal());
  expect(waits.filter((wait) => wait === undefined)).toHaveLength(16);
  await Promise.all(waits.filter((wait) => wait !== undefined));
});

test("requests of this process that follow from responses end with the pass, and keep their order", async () => {
  await pass();
  const went: number[] = [];
  const chain = async (): Promise<void> => {
    for (let i = 0; i < 60; i++) {
      await loop.admitInternal();
      busy(1);
      went.push(i);
    }
  };
  const done = chain();
  const most: number[] = [];
  for (let before = 0; went.length < 60; before = went.length) {
    await pass();
    most.push(went.length - before);
  }
  await done;
  // The rest of one pass, and the next one.
  expect(Math.max(...most)).toBeLessThan(30);
  expect(went).toEqual(Array.from({ length: 60 }, (_, i) => i));
});

test("waiting jobs of this process leave clients their time in each pass", async () => {
  await pass();
  const own = Promise.all(
    Array.from({ length: 100 }, async () => {
      await loop.admitInternal();
      busy(1);
    }),
  );
  const went: string[] = [];
  await pass();
  await Promise.all(["a", "b"].map((owner) => job(owner, went)));
  let isOver = false;
  void own.then(() => (isOver = true));
  await Promise.resolve();
  expect([went, isOver]).toEqual([["a", "b"], false]);
  await own;
});

test("a slice pauses when it has lasted long, and other work runs then", async () => {
  const limit = loop.slice();
  busy(12);
  let others = 0;
  setImmediate(() => others++);
  await limit.pause();
  expect(others).toBe(1);
});

test("a new slice continues, also after a pause", async () => {
  const limit = loop.slice();
  expect(limit.pause()).toBeUndefined();
  busy(12);
  await limit.pause();
  expect(limit.pause()).toBeUndefined();
});

test("of several slices that pause one continues in each pass of the event loop", async () => {
  const went: string[] = [];
  const work = async (name: string): Promise<void> => {
    const limit = loop.slice();
    busy(12);
    await limit.pause();
    went.push(name);
  };
  const jobs = Promise.all(["a", "b", "c"].map(work));
  const mark = (): number => setImmediate(() => went.push("|")) && went.length;
  for (let i = 0; i < 3; i++) {
    mark();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  await jobs;
  expect(went.join("").replaceAll(/\|+/g, "|")).toMatch(/^\|?a\|b\|c\|?$/);
});

test("where the clock stands still no job waits because time has passed", async () => {
  const still = new EventLoop({ steady: () => time, isTimed: false });
  const slice = still.slice();
  busy(12);
  expect([slice.isOver, slice.pause(), still.admitInternal()]).toEqual([false, undefined, undefined]);
  expect(Array.from({ length: 40 }, () => still.admitInternal()).every((wait) => wait === undefined)).toBe(true);
  still.isTimed = true;
  expect(slice.pause()).toBeInstanceOf(Promise);
});

test("a loop does not run the jobs of another one", async () => {
  const [crowded, other] = [1, 2].map(() => new EventLoop({ steady: () => time })) as [EventLoop, EventLoop];
  const slices = [crowded.slice(), other.slice()];
  const waits = Array.from({ length: 20 }, () => [crowded.yield(), crowded.admit("a")]).flat();
  expect([other.admit("a"), other.admitInternal()]).toEqual([undefined, undefined]);
  busy(5);
  expect(slices.map(({ isOver }) => isOver)).toEqual([true, false]);
  await Promise.all(waits.filter((wait) => wait !== undefined));
});
