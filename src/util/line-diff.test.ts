import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DiffLine, diffLines, hunksOf } from "./line-diff.ts";
import { cpuMillis } from "../util/testing/cpu-time.ts";

const without = (lines: readonly DiffLine[], sign: DiffLine["sign"]): string[] =>
  lines.filter((line) => line.sign !== sign).map(({ text }) => text);

/** The length of the longest common subsequence, by the textbook algorithm. */
function common(a: readonly string[], b: readonly string[]): number {
  const row = Array.from({ length: b.length + 1 }, () => 0);
  for (const text of a) {
    let corner = 0;
    for (let j = 1; j <= b.length; j++) {
      const above = row[j]!;
      row[j] = text === b[j - 1] ? corner + 1 : Math.max(above, row[j - 1]!);
      corner = above;
    }
  }
  return row[b.length]!;
}

const texts = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 20 });

test("a diff has the lines of both texts and the fewest changes", () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const lines = diffLines(before, after);
      expect(without(lines, "+")).toEqual(before);
      expect(without(lines, "-")).toEqual(after);
      expect(lines.filter(({ sign }) => sign === " ")).toHaveLength(common(before, after));
    }),
    { numRuns: 2000 },
  );
});

test("texts with little in common are shown as replaced, fast enough", () => {
  const lines = (n: number): string[] => Array.from({ length: 20_000 }, (_, i) => `${n} ${i}`);
  const begin = cpuMillis();
  const found = diffLines(["same", ...lines(1)], ["same", ...lines(2)]);
  expect(cpuMillis() - begin).toBeLessThan(2000);
  expect([found[0]!.sign, found[1]!.sign, found.at(-1)!.sign, found.length]).toEqual([" ", "-", "+", 40_001]);
});

describe("hunks", () => {
  const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `${i + 1}`);
  const shapes = (before: string[], after: string[]): unknown[] =>
    hunksOf(diffLines(before, after)).map(({ from, to, lines }) => [
      from,
      to,
      lines.map(({ sign, text }) => sign + text).join(","),
    ]);

  test("there is none between equal texts", () => {
    expect(shapes(numbered(9), numbered(9))).toEqual([]);
  });

  test("have three lines of context", () => {
    expect(shapes(numbered(9), numbered(9).toSpliced(4, 1, "x"))).toEqual([[2, 2, " 2, 3, 4,-5,+x, 6, 7, 8"]]);
  });

  test("are cut at the ends of the text", () => {
    expect(shapes(numbered(9), ["0", ...numbered(8)])).toEqual([
      [1, 1, "+0, 1, 2, 3"],
      [6, 7, " 6, 7, 8,-9"],
    ]);
  });

  test("that are adjacent are one", () => {
    const changed = (second: number): string[] => numbered(20).with(4, "x").with(second, "y");
    expect(shapes(numbered(20), changed(11))).toHaveLength(1);
    expect(shapes(numbered(20), changed(12))).toEqual([
      [2, 2, " 2, 3, 4,-5,+x, 6, 7, 8"],
      [10, 10, " 10, 11, 12,-13,+y, 14, 15, 16"],
    ]);
  });
});
