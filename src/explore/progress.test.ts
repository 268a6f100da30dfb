import { describe, expect, it } from "vitest";
import type { Progress } from "./exploration.ts";
import { foundText, progressText } from "./progress.ts";
import { finding } from "./report/testing/example.ts";

const progress: Progress = { plans: 12, planned: 340, left: 328, combinations: 0, faults: 1, notices: 0 };

describe("progress", () => {
  it("says how many of the plans were tried, what was found, and the time", () => {
    expect(progressText(progress, 12_345, 60_000)).toBe("12 of 340 plans, 1 fault, 12s of 1m0s");
    expect(progressText({ ...progress, faults: 2, notices: 3 }, 999)).toBe("12 of 340 plans, 2 faults, 3 notices, 0s");
  });

  it("takes plans that are being tried for nothing", () => {
    expect(progressText({ ...progress, plans: 14 }, 1000)).toBe("12 of 340 plans, 1 fault, 1s");
  });

  it("counts combinations apart, which have no end", () => {
    expect(progressText({ ...progress, plans: 345, left: 0, combinations: 5 }, 1000)).toBe(
      "340 of 340 plans and 5 combinations, 1 fault, 1s",
    );
  });
});

describe("what was found", () => {
  it("is a line without control characters of others", () => {
    expect(foundText(finding)).toBe(`fault: ${finding.fault.sentence}`);
    const hostile = { ...finding, fault: { ...finding.fault, sentence: "a\nb\u001b[2J" } };
    expect(foundText(hostile)).toBe("fault: a\uFFFDb\uFFFD[2J");
  });
});
