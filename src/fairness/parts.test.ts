import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { divideSeats } from "./borrowing.ts";
import { Demand } from "./demand.ts";
import { deal } from "./shuffle-sharding.ts";
import { afterWrite, listWidth } from "./width.ts";

describe("APF-18: hands", () => {
  test("cards are different, of the deck, and the same for the same flow", () => {
    const decks = fc.integer({ min: 1, max: 2000 }).chain((deck) =>
      fc.record({
        deck: fc.constant(deck),
        size: fc.integer({ min: 1, max: Math.min(deck, Math.max(1, Math.floor(60 / Math.log2(Math.max(2, deck))))) }),
        flow: fc.string(),
      }),
    );
    fc.assert(
      fc.property(decks, ({ deck, size, flow }) => {
        const hand = deal(deck, size, "s", flow);
        expect(new Set(hand).size).toBe(size);
        expect(hand.every((card) => card >= 0 && card < deck)).toBe(true);
        expect(deal(deck, size, "s", flow)).toEqual(hand);
      }),
    );
  });

  test("every card is dealt about as often as any other", () => {
    const counts = Array.from({ length: 16 }, () => 0);
    for (let i = 0; i < 8000; i++) for (const card of deal(16, 4, "schema", `user-${i}`)) counts[card]!++;
    for (const count of counts) expect(Math.abs(count - 2000)).toBeLessThan(250);
  });

  test("two flows rarely have the same hand", () => {
    const hands = Array.from({ length: 1000 }, (_, i) =>
      deal(128, 6, "s", `user-${i}`)
        .toSorted((a, b) => a - b)
        .join(),
    );
    expect(new Set(hands).size).toBe(1000);
  });
});

describe("APF-14: sharing", () => {
  test("shares keep their bounds and add up, with one factor for all that are within", () => {
    const claim = fc
      .tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 100 }))
      .map(([min, room, more]) => ({ min, max: min + room, demand: min + more }));
    fc.assert(
      fc.property(fc.array(claim, { minLength: 1, maxLength: 8 }), fc.nat(1), (claims, part) => {
        const low = claims.reduce((sum, { min }) => sum + min, 0);
        const high = claims.reduce((sum, { max }) => sum + max, 0);
        const seats = Math.round(low + (high - low) * part);
        const shares = divideSeats(seats, claims);
        for (const [i, share] of shares.entries()) {
          expect(share).toBeGreaterThanOrEqual(claims[i]!.min);
          expect(share).toBeLessThanOrEqual(claims[i]!.max);
        }
        expect(Math.abs(shares.reduce((sum, share) => sum + share, 0) - seats)).toBeLessThan(0.01);
      }),
    );
  });

  test("the limits are those of kube-apiserver without load", () => {
    const levels: [lower: number, nominal: number][] = [
      [13, 13],
      [50, 74],
      [73, 98],
      [25, 25],
      [49, 98],
      [24, 245],
      [24, 49],
    ];
    const claims = levels.map(([lower, nominal]) => ({ min: lower, max: nominal + 600, demand: lower }));
    expect(divideSeats(602, claims).map(Math.round)).toEqual([30, 117, 170, 58, 114, 56, 56]);
  });

  test("the smoothed demand rises at once and falls slowly", () => {
    const demand = new Demand(0);
    demand.add(10, 0);
    demand.endPeriod(10_000);
    expect([demand.peak, demand.smoothed]).toEqual([10, 10]);
    demand.add(-10, 10_000);
    demand.endPeriod(20_000);
    expect([demand.peak, demand.smoothed]).toEqual([10, 9.77]);
    demand.endPeriod(30_000);
    expect(demand.peak).toBe(0);
  });

  test("a varying demand counts more than its mean", () => {
    const demand = new Demand(0);
    for (let at = 0; at < 10_000; at += 2000) {
      demand.add(4, at);
      demand.add(-4, at + 1000);
    }
    demand.endPeriod(10_000);
    expect(demand.smoothed).toBeCloseTo(4);
  });
});

test.each([
  [0, 0, 0, 1],
  [10_000, 1000, 0, 100],
  [500, 1000, 0, 5],
  [10_000, 1000, 100, 1],
  [3, 100_001, 0, 4],
])("APF-15: a list of %i objects of %i bytes, limit %i, takes %i seats", (objects, meanBytes, limit, seats) => {
  expect(listWidth({ objects, meanBytes }, limit)).toBe(seats);
});

test("APF-15: a write takes a seat for each ten watchers, or fewer seats for longer", () => {
  expect(afterWrite(9, 10)).toBeUndefined();
  expect(afterWrite(11, 10)).toEqual({ seats: 2, millis: 5 });
  expect(afterWrite(1000, 10)).toEqual({ seats: 10, millis: 50 });
  expect(afterWrite(1000, 4)).toEqual({ seats: 4, millis: 125 });
});
