import { expect, test } from "vitest";
import { advance } from "./compaction.ts";

test("a revision older than the history is due, and notes before it are removed", () => {
  const notes = [
    [10, 5],
    [20, 9],
    [75, 30],
  ] as const;
  expect(advance(notes, [81, 33], 60)).toEqual({
    due: 9,
    notes: [
      [20, 9],
      [75, 30],
      [81, 33],
    ],
  });
});

test("nothing is due before the history has its full duration", () => {
  expect(advance([], [1000, 7], 60)).toEqual({ due: 0, notes: [[1000, 7]] });
  expect(advance([[1000, 7]], [1059, 9], 60).due).toBe(0);
  expect(advance([[1000, 7]], [1060, 9], 60).due).toBe(7);
});

test("the number of notes is bounded, and the history is longer by less than one interval of notes", () => {
  let notes: readonly (readonly [number, number])[] = [];
  let most = 0;
  const kept: number[] = [];
  for (let time = 0; time < 10_000; time++) {
    const next = advance(notes, [time, time], 240);
    ({ notes } = next);
    most = Math.max(most, notes.length);
    if (time > 300) kept.push(time - next.due);
  }
  expect(most).toBeLessThanOrEqual(26);
  expect(Math.min(...kept)).toBeGreaterThanOrEqual(240);
  expect(Math.max(...kept)).toBeLessThanOrEqual(251);
});
