import { expect, test } from "vitest";
import { TurnLimit, givingNoWay } from "./turn-limit.ts";

/** Keeps the event loop for some ms. */
function busy(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

test("a loop pauses when it has held the event loop for long, and others have had a turn then", async () => {
  const limit = new TurnLimit();
  busy(12);
  let others = 0;
  setImmediate(() => others++);
  await limit.pause();
  expect(others).toBe(1);
});

test("a turn that has just begun goes on, also after a pause", async () => {
  const limit = new TurnLimit();
  expect(limit.pause()).toBeUndefined();
  busy(12);
  await limit.pause();
  expect(limit.pause()).toBeUndefined();
});

test("of several loops that pause one goes on in each pass of the event loop", async () => {
  const went: string[] = [];
  const job = async (name: string): Promise<void> => {
    const limit = new TurnLimit();
    busy(12);
    await limit.pause();
    went.push(name);
  };
  const jobs = Promise.all(["a", "b", "c"].map(job));
  const pass = (): number => setImmediate(() => went.push("|")) && went.length;
  for (let i = 0; i < 3; i++) {
    pass();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  await jobs;
  expect(went.join("").replaceAll(/\|+/g, "|")).toMatch(/^\|?a\|b\|c\|?$/);
});

test("while somebody asks for it no loop pauses, however long it has held the event loop", () => {
  const limit = new TurnLimit();
  busy(12);
  const [one, other] = [givingNoWay(), givingNoWay()];
  expect(limit.pause()).toBeUndefined();
  for (const _ of [1, 2]) one[Symbol.dispose]();
  expect(limit.pause()).toBeUndefined();
  other[Symbol.dispose]();
  expect(limit.pause()).toBeInstanceOf(Promise);
});
