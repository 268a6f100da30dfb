import { expect, test } from "vitest";
import { TurnLimit } from "./turn-limit.ts";

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
