import { expect, test } from "vitest";
import { nextTurn, oneByOne, ownTurn, turnOf } from "./turns.ts";

/** Keeps the event loop for some ms. */
function busy(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

const pass = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A short job of somebody, which takes 1 ms and is written down. */
async function job(owner: string, went: string[]): Promise<void> {
  await turnOf(owner);
  busy(1);
  went.push(owner);
}

test("some short jobs of an owner run at once, others of that pass wait", async () => {
  await pass();
  expect([1, 2, 3].map(() => turnOf("a"))).toEqual([undefined, undefined, undefined]);
  expect(turnOf("a")).toBeInstanceOf(Promise);
  expect(turnOf("b")).toBeUndefined();
  await pass();
  await pass();
  expect(turnOf("a")).toBeUndefined();
});

test("when those that run at once have had their time all others wait, whoever sends them", async () => {
  await pass();
  expect(turnOf("a")).toBeUndefined();
  busy(8);
  expect(turnOf("b")).toBeInstanceOf(Promise);
});

test("jobs are done one by one, and others have a turn when these have had their time", async () => {
  const went: string[] = [];
  const begin = (): void => {
    void Promise.resolve().then(() => {
      busy(1);
      went.push("job");
    });
  };
  oneByOne(Array.from({ length: 20 }, () => begin));
  const first = await pass().then(() => went.length);
  expect(first).toBeLessThan(10);
  while (went.length < 20) await pass();
});

test("who sends many has one of them done, then others have theirs", async () => {
  await pass();
  const went: string[] = [];
  const flood = Array.from({ length: 40 }, () => job("flood", went));
  const others = ["a", "b", "c"].map((owner) => job(owner, went));
  await Promise.all(others);
  expect(went.length).toBeLessThan(16);
  await Promise.all(flood);
  expect(went).toHaveLength(43);
});

test("what waits is done in several passes: what comes over sockets is heard between them", async () => {
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

test("a long job has its turn in each pass, also while short ones wait", async () => {
  await pass();
  const went: string[] = [];
  const flood = Promise.all(Array.from({ length: 100 }, () => job("flood", went)));
  for (let i = 0; i < 5; i++) await nextTurn();
  expect(went.length).toBeLessThan(40);
  await flood;
});

test("what this process asks of itself runs when it comes, has its time in a pass, and then waits for the next one", async () => {
  await pass();
  expect(ownTurn()).toBeUndefined();
  busy(12);
  expect(ownTurn()).toBeInstanceOf(Promise);
  await pass();
  await pass();
  expect(ownTurn()).toBeUndefined();
});

test("of many jobs of this process that come at the same moment some run at once", async () => {
  await pass();
  const waits = Array.from({ length: 100 }, () => ownTurn());
  expect(waits.filter((wait) => wait === undefined)).toHaveLength(16);
  await Promise.all(waits.filter((wait) => wait !== undefined));
});

test("answers that lead to the next request of this process end no later than a pass does, and keep their order", async () => {
  await pass();
  const went: number[] = [];
  const chain = async (): Promise<void> => {
    for (let i = 0; i < 60; i++) {
      await ownTurn();
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
  // What was left of one pass, and the next one.
  expect(Math.max(...most)).toBeLessThan(30);
  expect(went).toEqual(Array.from({ length: 60 }, (_, i) => i));
});

test("jobs of this process that have waited leave clients their time in each pass", async () => {
  await pass();
  const own = Promise.all(
    Array.from({ length: 100 }, async () => {
      await ownTurn();
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
