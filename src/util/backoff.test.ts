import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { backoff } from "./backoff.ts";
import type { Random } from "./clock.ts";

const always = (value: number): Random => ({ next: () => value, uuid: () => "" });
const LEAST = always(0);
const MOST = always(1 - Number.EPSILON);

describe("backoff", () => {
  test("doubles with each failure, up to the maximum", () => {
    const waits = [0, 1, 2, 3, 4, 5].map((failures) => backoff(failures, { first: 100, most: 1000 }, MOST));
    expect(waits.map(Math.round)).toEqual([100, 200, 400, 800, 1000, 1000]);
  });

  test("makes half of the wait random", () => {
    expect(backoff(3, { first: 100, most: 30_000 }, LEAST)).toBe(400);
    expect(backoff(3, { first: 100, most: 30_000 }, always(0.5))).toBe(600);
  });

  test("never waits longer than the maximum, nor less than half of the first wait", () => {
    fc.assert(
      fc.property(fc.nat(), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (failures, chance) => {
        const wait = backoff(failures, { first: 50, most: 30_000 }, always(chance));
        expect(wait).toBeGreaterThanOrEqual(25);
        expect(wait).toBeLessThanOrEqual(30_000);
      }),
    );
  });
});
