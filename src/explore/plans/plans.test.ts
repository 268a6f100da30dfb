import { expect, test } from "vitest";
import type { Perturbation } from "../contract/plan.ts";
import type { Candidate } from "../perturbations/index.ts";
import { Combinations } from "./combinations.ts";
import { planHash, seedOf } from "./hash.ts";
import { rank } from "./rank.ts";

const jump = (step: number, worth: number): Candidate => ({
  perturbation: { type: "clock-jump", step, byMillis: 1 },
  worth,
});
const lost = (occurrence: number, worth: number): Candidate => ({
  perturbation: {
    type: "answer-lost",
    at: { actor: "op", protocol: "api", verb: "create", group: "", kind: "Pod", occurrence },
  },
  worth,
});

test("the most telling comes first, once, and no type waits until another is done", () => {
  const jumps = Array.from({ length: 50 }, (_, i) => jump(i, 50 - i / 100));
  const ranked = rank([...jumps, lost(0, 20), jump(7, 99), jump(3, 1)]);
  expect(ranked).toHaveLength(51);
  expect(ranked[0]).toMatchObject({ perturbation: { step: 7 }, worth: 99 });
  const at = ranked.findIndex(({ perturbation }) => perturbation.type === "answer-lost");
  expect(at).toBeGreaterThan(10);
  expect(at).toBeLessThan(40);
});

test("a hash does not depend on the order, and tells plans apart", () => {
  const [a, b] = [jump(0, 1).perturbation, lost(0, 1).perturbation];
  expect(planHash([a, b])).toBe(planHash([b, a]));
  const hashes = Array.from({ length: 20_000 }, (_, i) =>
    planHash([jump(i % 200, 1).perturbation, jump(i, 1).perturbation]),
  );
  expect(new Set(hashes).size).toBe(20_000);
  expect(hashes.every(Number.isSafeInteger)).toBe(true);
  expect(new Set(Array.from({ length: 10_000 }, (_, i) => seedOf(1, i))).size).toBe(10_000);
});

test("combinations are drawn by worth, never the same, and larger ones where smaller ones are used up", () => {
  const candidates = [jump(0, 50), jump(1, 50), jump(2, 1), jump(3, 1), lost(0, 20)];
  const tried = new Set<number>();
  const combinations = new Combinations(candidates, 3, tried);
  const plans: (readonly Perturbation[])[] = [];
  for (let next = combinations.next(); next; next = combinations.next()) plans.push(next.plan);
  expect(new Set(plans.map(planHash)).size).toBe(plans.length);
  // 26 sets of two to five; those with the retry of the lost response come on top.
  expect(plans.length).toBeGreaterThanOrEqual(26);
  expect(Math.max(...plans.map(({ length }) => length))).toBeGreaterThanOrEqual(4);
  expect(plans.some((plan) => plan.some((p) => p.type === "answer-lost" && p.at.occurrence === 1))).toBe(true);
  const early = plans.slice(0, 5).flat();
  expect(early.filter((p) => p.type === "clock-jump" && p.step < 2).length).toBeGreaterThan(
    early.filter((p) => p.type === "clock-jump" && p.step >= 2).length,
  );
});

test("there are no combinations of nothing or of one that cannot come again", () => {
  expect(new Combinations([], 1, new Set()).next()).toBeUndefined();
  expect(new Combinations([jump(0, 1)], 1, new Set()).next()).toBeUndefined();
});
