import fc from "fast-check";
import { expect, test } from "vitest";
import { fit, widthOf } from "./width.ts";

test.each([
  ["as it is, where there is room", "colour", 6, "colour"],
  ["the beginning of one that is too long", "colours", 6, "colou…"],
  ["a wide character whole or not at all", "日本語", 4, "日…"],
  ["as it is with wide characters, where there is room", "日本語", 6, "日本語"],
  ["an accent with its letter", "e\u0301e\u0301e\u0301", 2, "e\u0301…"],
  ["a picture of two units", "🙂🙂🙂", 5, "🙂🙂…"],
  ["nothing where there is no place", "a", 0, ""],
])("a text is kept %s", (_what, text, places, expected) => {
  expect(fit(text, places)).toBe(expected);
});

test("a text is cut to its width, and unchanged if it fits", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), (text, places) => {
      const shown = fit(text, places);
      expect(widthOf(shown)).toBeLessThanOrEqual(places);
      expect(shown === text).toBe(widthOf(text) <= places);
    }),
  );
});
