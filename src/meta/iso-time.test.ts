import fc from "fast-check";
import { expect, test } from "vitest";
import { isoTime } from "./iso-time.ts";

test("a time is written as Date writes it, whatever it is", () => {
  const first = Date.parse("0000-01-01T00:00:00.000Z");
  const last = Date.parse("9999-12-31T23:59:59.999Z");
  fc.assert(
    fc.property(fc.integer({ min: first, max: last }), (time) => {
      expect(isoTime(time)).toBe(new Date(time).toISOString());
    }),
    { numRuns: 3000 },
  );
  for (const time of [first, last, 0, -1, 1.9, -1.9, Date.parse("2000-02-29T12:00:00Z"), Date.parse("1900-03-01")]) {
    expect(isoTime(time)).toBe(new Date(time).toISOString());
  }
});

test("every day of four hundred years is the one that it is", () => {
  for (let day = 0; day < 146_100; day++) {
    expect(isoTime(day * 86_400_000)).toBe(new Date(day * 86_400_000).toISOString());
  }
});

test("years of other than four digits have a sign and six", () => {
  expect(isoTime(-62_167_219_200_001)).toBe("-000001-12-31T23:59:59.999Z");
  expect(isoTime(253_402_300_800_000)).toBe("+010000-01-01T00:00:00.000Z");
});

test.each([Number.NaN, Infinity, 8.64e15 + 1])("%d is no time", (time) => {
  expect(() => isoTime(time)).toThrow(RangeError);
});
