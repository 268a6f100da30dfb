import { describe, expect, test } from "vitest";
import { Mask } from "./expected.ts";
import type { Flat } from "./flat.ts";

const flat = (members: Readonly<Record<string, string>>): Flat => new Map(Object.entries(members));
const maskOf = (...forms: readonly Readonly<Record<string, string>>[]): Mask => {
  const mask = new Mask();
  const [first, ...others] = forms.map(flat);
  for (const form of [first!, ...others]) mask.know(form);
  for (const other of others) mask.add(first!, other);
  return mask;
};

describe("a mask", () => {
  test("has the members that differ between clean runs, and no others", () => {
    const mask = maskOf({ ".data.key": "a", ".data.fixed": "x" }, { ".data.key": "b", ".data.fixed": "x" });
    expect([".data.key", ".data.fixed", ".data.new"].map((path) => mask.isJudged(path))).toEqual([false, true, true]);
  });

  test("has the whole of a list without keys whose length differs, and of one that is as long only the item", () => {
    const longer = maskOf({ ".spec.args[0]": "a" }, { ".spec.args[0]": "a", ".spec.args[1]": "b" });
    const paths = [".spec.args[0]", ".spec.args[1]", ".spec.args[2].name", ".spec.argsFrom"];
    expect(paths.map((path) => longer.isJudged(path))).toEqual([false, false, false, true]);
    const asLong = maskOf(
      { ".spec.args[0]": "a", ".spec.args[1]": "b" },
      { ".spec.args[0]": "a", ".spec.args[1]": "c" },
    );
    expect(paths.map((path) => asLong.isJudged(path))).toEqual([true, false, true, true]);
  });

  test("has all keys of a map whose keys are drawn, but those that each clean run has", () => {
    const drawn = maskOf({ ".data.fixed": "x", ".data.k1": "x" }, { ".data.fixed": "x", ".data.k2": "x" });
    expect([".data.k3", ".data.fixed", ".other"].map((path) => drawn.isJudged(path))).toEqual([false, true, true]);
    const added = maskOf({ ".data.fixed": "x" }, { ".data.fixed": "x", ".data.k2": "x" });
    expect(added.isJudged(".data.k3")).toBe(true);
  });
});
