import { expect, test } from "vitest";
import { Findings } from "./findings.ts";
import { Intervals } from "./intervals.ts";
import { match } from "./matching.ts";
import { Times } from "./times.ts";

/** Bounds of revisions: `[7, ">", 10]` was committed at 10 or later. */
function conclude(...bounds: readonly [revision: number, is: ">" | "<", at: number][]): {
  times: Times;
  broken: number;
} {
  const times = new Times();
  const findings = new Findings();
  for (const [revision, is, at] of bounds) {
    if (is === ">") times.notBefore(revision, at, () => `${revision} is after ${at}`);
    else times.notAfter(revision, at, () => `${revision} is before ${at}`);
  }
  times.conclude(findings);
  return { times, broken: findings.violations.length };
}

test("moments grow with revisions: a bound of one is a bound of others", () => {
  const { times, broken } = conclude([5, ">", 10], [7, "<", 40], [6, ">", 5], [9, "<", 90]);
  expect(broken).toBe(0);
  expect([4, 5, 6, 8].map((revision) => times.earliest(revision))).toEqual([-Infinity, 10, 10, 10]);
  expect([4, 7, 8, 10].map((revision) => times.latest(revision))).toEqual([40, 40, 90, Infinity]);
});

test("bounds that cannot hold together are reported, also those of different revisions", () => {
  expect(conclude([8, "<", 40], [8, ">", 50]).broken).toBe(1);
  expect(conclude([8, "<", 40], [7, ">", 50]).broken).toBe(1);
  expect(conclude([8, "<", 40], [9, ">", 50]).broken).toBe(0);
  expect(conclude([8, "<", 40], [8, ">", 40]).broken).toBe(0);
});

test("intervals that touch are one", () => {
  const known = new Intervals();
  known.add(10, 20);
  known.add(30, 40);
  known.add(20, 25);
  expect([known.covers(10, 25), known.covers(15, 22), known.covers(25, 31), known.covers(9, 12)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect([known.reach(12), known.reach(27), known.reach(40)]).toEqual([25, 27, 40]);
});

test("a matching gives way where that helps another", () => {
  expect(match([[0, 1], [0]])).toEqual([1, 0]);
  expect(match([[0], [0]])).toEqual([0, undefined]);
  expect(match([[1, 2], [1], [2, 0]])).toEqual([2, 1, 0]);
});
