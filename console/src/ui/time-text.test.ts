import { expect, test } from "vitest";
import { timeText } from "./time-text.ts";

test("a time is written with year, month and day, and 24 hours, whatever the language of the browser is", () => {
  expect(timeText(new Date(2026, 2, 9, 0, 5, 7).getTime())).toBe("2026-03-09 00:05:07");
  expect(timeText(new Date(2026, 10, 30, 14, 3, 10).getTime())).toBe("2026-11-30 14:03:10");
});
