import fc from "fast-check";
import { expect, test } from "vitest";
import { smallestChange } from "./smallest-change.ts";

test("the change makes the other text, and leaves out what both begin and end with", () => {
  expect(smallestChange("abc", "abc")).toBeUndefined();
  expect(smallestChange("a: 1\nb: 2\n", "a: 1\nb: 3\n")).toEqual({ from: 8, to: 9, insert: "3" });
  expect(smallestChange("aa", "aaa")).toEqual({ from: 2, to: 2, insert: "a" });
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const change = smallestChange(before, after);
      const made = change ? before.slice(0, change.from) + change.insert + before.slice(change.to) : before;
      expect(made).toBe(after);
    }),
  );
});
