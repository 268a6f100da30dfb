import { expect, test } from "vitest";
import { expectNoLongSlice } from "../util/testing/slices.ts";
import { issuesText } from "./issues.ts";

test("each issue has its line, and a caret below its place", () => {
  const issues = [
    { at: 7, message: "second" },
    { at: 0, message: "first" },
  ];
  expect(issuesText("a +\n\tb c\nd", issues)).toBe(
    "ERROR: <input>:1:1: first\n | a +\n | ^\nERROR: <input>:2:4: second\n |  b c\n | ...^",
  );
});

test("dots and caret are as wide as what stands above them", () => {
  expect(issuesText("é😀b😀", [{ at: 3, message: "m" }])).toBe("ERROR: <input>:1:4: m\n | é😀b😀\n | ．．.＾");
  expect(issuesText("éb", [{ at: 1, message: "m" }])).toBe("ERROR: <input>:1:2: m\n | éb\n | ．^");
});

test("an issue at the end of a text of several lines is reported in the last one", () => {
  expect(issuesText("a\n", [{ at: 2, message: "m" }])).toBe("ERROR: <input>:2:1: m\n | \n | ^");
});

test.each(["x", "é", "😀"])(
  "many issues of a long line of %s are reported up to a megabyte, in a slice that is not long",
  async (letter) => {
    const source = `${letter} `.repeat(50_000);
    const issues = Array.from({ length: 200 }, (_, i) => ({ at: 90_000 + i, message: "undeclared reference" }));
    let text = "";
    await expectNoLongSlice(
      () => {},
      () => void (text = issuesText(source, issues)),
    );
    expect(text.length).toBeLessThan(1_500_000);
    expect(text).toMatch(/\n1\d\d more errors were truncated$/);
  },
);
