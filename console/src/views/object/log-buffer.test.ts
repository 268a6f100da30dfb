import { expect, test } from "vitest";
import { LOG_LIMIT, LogBuffer } from "./log-buffer.ts";

test("lines that come in pieces", () => {
  const buffer = new LogBuffer();
  for (const piece of ["a", "b\nc\r\n", "", "d"]) buffer.add(piece);
  expect(buffer.lines()).toEqual(["ab", "c", "d"]);
});

test("a long log has a bound in lines and in characters", () => {
  const buffer = new LogBuffer();
  for (let i = 0; i < 20_000; i++) buffer.add(`${i}\n`);
  expect(buffer.lines().length).toBeLessThanOrEqual(LOG_LIMIT.lines);
  expect(buffer.lines().at(-1)).toBe("19999");
  expect(buffer.dropped + buffer.lines().length).toBe(20_000);
  buffer.add(`${"x".repeat(LOG_LIMIT.line * 3)}\n`);
  expect(buffer.lines().at(-1)).toHaveLength(LOG_LIMIT.line);
  for (let i = 0; i < 1000; i++) buffer.add(`${"y".repeat(9000)}\n`);
  expect(buffer.lines().join("").length).toBeLessThanOrEqual(LOG_LIMIT.characters + LOG_LIMIT.line);
});
