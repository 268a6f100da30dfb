import { expect, test } from "vitest";
import { printableLines } from "../util/terminal.ts";
import { painter, printable, wantsColour } from "./colours.ts";

test.each<[string, boolean, Record<string, string>, boolean]>([
  ["a terminal", true, {}, true],
  ["a pipe", false, {}, false],
  ["a terminal and NO_COLOR", true, { NO_COLOR: "1" }, false],
  ["a terminal and an empty NO_COLOR", true, { NO_COLOR: "" }, true],
  ["a dumb terminal", true, { TERM: "dumb" }, false],
  ["a pipe and FORCE_COLOR", false, { FORCE_COLOR: "1" }, true],
  ["a pipe, FORCE_COLOR and NO_COLOR", false, { FORCE_COLOR: "1", NO_COLOR: "1" }, false],
])("colours with %s: %s, %j -> %s", (_what, isTerminal, env, expected) => {
  expect(wantsColour(isTerminal, env)).toBe(expected);
});

test("a painter paints, or returns the text unchanged", () => {
  expect(painter(true)("red", "x")).toBe("\u001b[31mx\u001b[0m");
  expect(painter(false)("red", "x")).toBe("x");
});

test("control characters are replaced", () => {
  expect(printable("a\u001b[2Jb\nc")).toBe("a\uFFFD[2Jb\uFFFDc");
  expect(printable("pay \u202e001\u202c a\u009b2J")).toBe("pay \uFFFD001\uFFFD a\uFFFD2J");
  expect(printableLines("a\u001b[2J\n\tb\r")).toBe("a\uFFFD[2J\n\tb\uFFFD");
});
