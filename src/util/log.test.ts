import { expect, test } from "vitest";
import { type LogFacts, newLog } from "./log.ts";

function world() {
  const lines: [level: string, message: string, facts?: LogFacts | undefined, per?: string | undefined][] = [];
  return { lines, log: newLog((...line) => void lines.push(line)) };
}

test("a line is written as it is, with its level", () => {
  const { lines, log } = world();
  const facts = { text: "a\nb", count: 7, list: ["a"], none: undefined, nothing: null, yes: true };
  log.warn("refused", facts, "a limit");
  log.error("lost");
  expect(lines).toEqual([
    ["warn", "refused", facts, "a limit"],
    ["error", "lost", undefined, undefined],
  ]);
});

test("every part of a line is bounded", () => {
  const { lines, log } = world();
  const long = "é".repeat(20_000);
  log.warn(long, { error: long, list: [long], object: { [long]: 1 } }, long);
  const [[, message, facts, per]] = lines as [(typeof lines)[0]];
  expect(
    [message, per, facts!["error"], facts!["list"], facts!["object"]].map((text) => String(text).slice(-4)),
  ).toEqual(Array.from({ length: 5 }, () => "é..."));
  expect(Buffer.byteLength(JSON.stringify([message, facts, per]))).toBeLessThan(15_000);
});
