import fc from "fast-check";
import { expect, test } from "vitest";
import { endOfDigits, trimSpace, withoutTrailing } from "./scan.ts";
import { expectLinear } from "./testing/linear.ts";

const texts = fc.string({ unit: fc.constantFrom("0", "9", "/", ".", "a", "٣") });

test("the digits end with the longest run of ASCII digits", () => {
  fc.assert(
    fc.property(texts, fc.nat(12), (text, from) => {
      const run = /^[0-9]*/.exec(text.slice(from))![0];
      expect(endOfDigits(text, from)).toBe(from + run.length);
    }),
  );
});

test("characters at the end are removed, and no others", () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(withoutTrailing(text, "/")).toBe(text.replace(/\/+$/, ""));
      expect(withoutTrailing(text, "/.")).toBe(text.replace(/[/.]+$/, ""));
    }),
  );
});

test("characters that are not at the end take linear time", async () => {
  await expectLinear(
    (size) => `${"/".repeat(size)}x`,
    (text) => withoutTrailing(text, "/"),
  );
});

// The spaces of Go's unicode.IsSpace, and their neighbours.
const SPACES = "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2005\u200a\u2028\u2029\u202f\u205f\u3000";
const OTHERS = "\b\u000e\u001f\u0084\u0086\u009f\u180e\u200b\u2060\ufeffx";

test("all white space of Unicode is removed from both ends, and nothing else", () => {
  expect(trimSpace(`${SPACES}a b${SPACES}`)).toBe("a b");
  expect(trimSpace(SPACES)).toBe("");
  for (const char of OTHERS) expect(trimSpace(` ${char} `)).toBe(char);
});

test.each(["\t", " ", "\u3000", " \u2028"])("%j between other characters takes linear time", async (space) => {
  await expectLinear((size) => `x${space.repeat(size / space.length)}x`, trimSpace);
  await expectLinear((size) => space.repeat(size / space.length), trimSpace);
});
