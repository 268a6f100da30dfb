import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../src/util/clock.ts";
import { check } from "./check.ts";
import { MUTATIONS, broken } from "./testing/mutations.ts";
import { simulate } from "./testing/simulate.ts";

const seeds = fc.integer({ min: 0, max: 1e9 });

test("a history that keeps every promise is accepted, even where a part of it was not seen", () => {
  fc.assert(
    fc.property(seeds, fc.integer({ min: 10, max: 1200 }), fc.boolean(), (seed, steps, complete) => {
      const report = check(simulate(seededRandom(seed), steps, complete));
      expect(report.violations).toEqual([]);
      expect(report.undecided).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test("nearly all that a complete history says is checked", () => {
  const { checked, skipped, changes, events, searched } = check(simulate(seededRandom(7), 5000, true));
  expect(skipped).toBeLessThan(checked / 50);
  expect(Math.min(changes, events, searched)).toBeGreaterThan(300);
});

describe("a history in which one thing is wrong is refused", () => {
  test.for(MUTATIONS)("$name: $breaks", (mutation) => {
    let applied = 0;
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = seededRandom(seed);
        const history = broken(simulate(random, 600, true), mutation, random);
        if (!history) return;
        applied++;
        const properties = check(history).violations.map(({ property }) => property);
        expect(properties).toContain(mutation.breaks);
      }),
      { numRuns: 40 },
    );
    expect(applied).toBeGreaterThan(10);
  });
});
