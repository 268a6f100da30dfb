import { describe, expect, test } from "vitest";
import { asRanges, idsIn } from "../../tools/compatibility/rule-ids.ts";
import { type Section, sortRules } from "../../tools/compatibility/rules.ts";

describe("IDs of rules", () => {
  // None of the numbering's own: these are the names of tests, and would count as proofs.
  test.each([
    ["XX-23: alone", ["XX-23"]],
    ["XX-30..33, YYY-2: four and one", ["XX-30", "XX-31", "XX-32", "XX-33", "YYY-2"]],
    ["in brackets (XX-36, YYY-4) too", ["XX-36", "YYY-4"]],
    ["XX-YYY-5..6: those of a group are not those of its second part", ["XX-YYY-5", "XX-YYY-6"]],
    ["CVE-2023-44487, RFC 7386 and a-1 are none", []],
  ])("are found: %s", (text, ids) => {
    expect(idsIn(text)).toEqual(ids);
  });

  test("are written as ranges where they follow each other", () => {
    const ids = ["A", "AB-1", "AB-2", "AB-3", "AB-5", "CD-6", "CD-7"].slice(1);
    expect(asRanges(ids)).toBe("AB-1..3, AB-5, CD-6..7");
    expect(idsIn(asRanges(ids))).toEqual(ids);
    expect(asRanges(["XX-YYY-5", "XX-YYY-6", "YYY-7"])).toBe("XX-YYY-5..6, YYY-7");
    expect(asRanges([])).toBe("");
  });
});

describe("sortRules", () => {
  const SECTIONS: Section[] = [
    { kind: "rule", section: "First", ids: "AA-1..4" },
    { kind: "decision", section: "Second", ids: "BB-1" },
  ];
  const passed = (fullName: string) => ({ fullName, status: "passed" });
  const sort = (tests: Parameters<typeof sortRules>[1], not: Record<string, string> = {}) =>
    sortRules(SECTIONS, tests, not);

  test("a rule is proven by a test that passed, by its group's name too, and open else", () => {
    const [first, second] = sort([passed("AA-1: yes"), passed("group of AA-3..4 and a test"), passed("no ID")]);
    expect(first).toMatchObject({ proven: ["AA-1", "AA-3", "AA-4"], open: ["AA-2"], notObservable: [] });
    expect(second).toMatchObject({ kind: "decision", proven: [], open: ["BB-1"] });
  });

  test("a rule with a failed test beside one that passed is not proven, and a skipped one proves nothing", () => {
    const tests = [
      passed("AA-1"),
      { fullName: "AA-1 and AA-2", status: "failed" },
      { fullName: "AA-3", status: "skipped" },
    ];
    expect(sort(tests)[0]).toMatchObject({ proven: [], open: ["AA-1", "AA-2", "AA-3", "AA-4"] });
  });

  test("what is not observable is not open, and proven where a test proves it all the same", () => {
    const [first] = sort([passed("AA-1")], { "AA-1": "others", "AA-2": "others" });
    expect(first).toMatchObject({ proven: ["AA-1"], notObservable: ["AA-2"], open: ["AA-3", "AA-4"] });
  });

  test("an ID that the numbering does not have is an error, in a test's name and in the list", () => {
    expect(() => sort([passed("AA-5: mistyped")])).toThrow(
      'expected an ID of the numbering, got AA-5 in "AA-5: mistyped"',
    );
    expect(() => sort([], { "ZZ-1": "others" })).toThrow("got ZZ-1");
    expect(() => sort([passed("CVE-2023 is of another numbering")])).not.toThrow();
  });
});
