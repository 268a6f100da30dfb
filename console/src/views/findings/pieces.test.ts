import { expect, test } from "vitest";
import { atOnce } from "../../../../src/util/steps.ts";
import { openedFrom, piecesOf } from "./pieces.ts";
import type { Opened, ShownFinding, TraceRow } from "./read.ts";

const row = (seq: number): TraceRow => ({
  isFirst: seq === 7,
  run: { seq, at: seq, kind: "write", text: `operator updated ConfigMap ${"x".repeat(100)}`, isPerturbed: false },
});
const finding = (name: string, rows: readonly TraceRow[]) =>
  ({
    finding: { fault: { sentence: name } },
    file: name,
    rows,
    steps: ["a"],
    state: [],
    owners: [],
    output: [],
  }) as unknown as ShownFinding;

test("a file comes out of its pieces as it was, and no piece is large", () => {
  const rows = Array.from({ length: 20_000 }, (_, i) => row(i));
  const opened: Opened = {
    title: "shop",
    summary: ["2 faults."],
    findings: [finding("first", rows), finding("without rows", []), finding("third", rows.slice(0, 3))],
  };
  const pieces = piecesOf(opened);
  expect(pieces.length).toBeGreaterThan(10);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(600_000);
  const steps = openedFrom(pieces);
  expect(steps.next().done).toBe(false);
  expect(atOnce(openedFrom(pieces))).toEqual(opened);
});
