import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  commonSize,
  firstFree,
  hasIndex,
  intervalsText,
  parseIntervals,
  sizeOf,
  union,
  withIndexes,
} from "./intervals.ts";

const indexes = fc.uniqueArray(fc.nat(40), { maxLength: 30 });
const sorted = (numbers: Iterable<number>): number[] => [...numbers].toSorted((a, b) => a - b);

describe("sets of indexes", () => {
  test.each([
    [[], ""],
    [[3], "3"],
    [[0, 1], "0,1"],
    [[0, 1, 2], "0-2"],
    [[4, 2, 0, 1], "0-2,4"],
    [[1, 2, 4, 5, 7, 8, 9], "1,2,4,5,7-9"],
  ])("WL-JOB-21: %j is written as %s", (numbers, text) => {
    expect(intervalsText(withIndexes([], numbers))).toBe(text);
    expect(parseIntervals(text, 100)).toEqual(withIndexes([], numbers));
  });

  test("WL-JOB-22: those that are too large are cut off, and what is no number is left out", () => {
    expect(intervalsText(parseIntervals("0-7,9", 6))).toBe("0-5");
    expect(intervalsText(parseIntervals("1,x,-,3-y,5", 10))).toBe("1,5");
    expect(parseIntervals("7-3", 10)).toEqual([]);
  });

  test("they are sets", () => {
    fc.assert(
      fc.property(indexes, indexes, fc.nat(45), fc.nat(10), (a, b, index, count) => {
        const [one, other] = [withIndexes([], a), withIndexes([], b)];
        expect(sizeOf(one)).toBe(a.length);
        expect(hasIndex(one, index)).toBe(a.includes(index));
        expect(sizeOf(union(one, other))).toBe(new Set([...a, ...b]).size);
        expect(commonSize(one, other)).toBe(a.filter((each) => b.includes(each)).length);
        expect(parseIntervals(intervalsText(one), 41)).toEqual(one);
        const free = Array.from({ length: 41 }, (_, i) => i).filter((each) => !a.includes(each));
        expect(firstFree(one, count, 41)).toEqual(sorted(free).slice(0, count));
      }),
    );
  });

  test("a text of a hundred thousand parts is read in one pass", () => {
    const text = Array.from({ length: 100_000 }, (_, i) => 2 * i).join(",");
    const before = process.cpuUsage();
    expect(sizeOf(parseIntervals(text, 200_000))).toBe(100_000);
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(1_000_000);
  });
});
