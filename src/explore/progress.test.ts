import { describe, expect, it } from "vitest";
import type { Progress } from "./explore.ts";
import { logLines, progressText } from "./progress.ts";
import { finding } from "./report/testing/example.ts";

const progress: Progress = { plans: 12, planned: 340, left: 328, faults: 1, notices: 0 };

describe("progress", () => {
  it("says how many of the plans were tried, what was found, and the time", () => {
    expect(progressText(progress, 12_345, 60_000)).toBe("12 of 340 plans, 1 fault, 12s of 1m0s");
    expect(progressText({ ...progress, faults: 2, notices: 3 }, 999)).toBe("12 of 340 plans, 2 faults, 3 notices, 0s");
  });

  it("counts combinations apart, which have no end", () => {
    expect(progressText({ ...progress, plans: 345, left: 0 }, 1000)).toBe(
      "340 of 340 plans and 5 combinations, 1 fault, 1s",
    );
  });
});

describe("lines of a log", () => {
  it("are one for each finding at once, and one of progress now and then", () => {
    let state = { lineMillis: 0 };
    const at = (millis: number, found = false): readonly string[] => {
      const step = logLines(state, { ...progress, ...(found && { finding }) }, millis, 60_000);
      state = step.state;
      return step.lines;
    };
    expect(at(9_999)).toEqual([]);
    expect(at(10_000)).toEqual(["12 of 340 plans, 1 fault, 10s of 1m0s"]);
    expect(at(19_000)).toEqual([]);
    expect(at(19_500, true)).toEqual([`fault: ${finding.fault.sentence}`]);
    expect(at(20_000)).toHaveLength(1);
  });

  it("have no control characters of others", () => {
    const hostile = { ...finding, fault: { ...finding.fault, sentence: "a\nb\u001b[2J" } };
    expect(logLines({ lineMillis: 0 }, { ...progress, finding: hostile }, 1).lines).toEqual([
      "fault: a\uFFFDb\uFFFD[2J",
    ]);
  });
});
