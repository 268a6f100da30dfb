import { expect, test } from "vitest";
import { type LogLine, jsonLine, textLine } from "./log-format.ts";

const line = (facts: LogLine["facts"], message = "a connection was dropped"): LogLine => ({
  time: Date.UTC(2026, 0, 1, 12),
  level: "warn",
  message,
  facts,
});

test("JSON: one object per line, with time, level and msg before the facts", () => {
  expect(jsonLine(line({ limit: "address", client: "::1", held: 3, stack: "a\nb" }))).toBe(
    `{"time":"2026-01-01T12:00:00.000Z","level":"warn","msg":"a connection was dropped","limit":"address","client":"::1","held":3,"stack":"a\\nb"}\n`,
  );
});

test("text: facts are words; blanks are quoted, several lines are indented below", () => {
  const facts = {
    limit: "address",
    why: "no room",
    names: ["a", "b"],
    empty: "",
    none: undefined,
    stack: "Error\n  at x",
  };
  expect(textLine(false)(line(facts))).toBe(
    `2026-01-01T12:00:00.000Z WARN  a connection was dropped  limit=address why="no room" names=["a","b"] empty=""\n    stack:\n    Error\n      at x\n`,
  );
  expect(textLine(false)(line({}, "stopped"))).toBe("2026-01-01T12:00:00.000Z WARN  stopped\n");
});

test("text: values cannot control a terminal; only the formatter adds colours", () => {
  const written = textLine(false)(line({ agent: "\u001b[31mred\u009b", path: "a\u001b" }));
  // oxlint-disable-next-line no-control-regex -- that there is none is what is tested
  expect(written).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  expect(textLine(true)(line({}))).toContain("\u001b[33mWARN \u001b[0m");
});
