import fc from "fast-check";
import { expect, test } from "vitest";
import { cutText, errorText } from "./cut-text.ts";
import { bytesInUse } from "./testing/heap.ts";

test.each([
  ["short", 10, "short"],
  ["exactly ten", 11, "exactly ten"],
  ["more than ten", 10, "more th..."],
  ["äöü", 6, "äöü"],
  ["äöü", 5, "ä..."],
  ["a😀😀", 8, "a😀..."],
  ["abc", 0, "..."],
])("%j of at most %i bytes is %j", (text, most, cut) => {
  expect(cutText(text, most)).toBe(cut);
});

test("a text is cut to a prefix in whole characters, and not too long", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.integer({ min: 3, max: 100 }), (text, most) => {
      const cut = cutText(text, most);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(most);
      if (cut === text) return;
      expect(Buffer.byteLength(text)).toBeGreaterThan(most);
      expect(cut.endsWith("...") && text.startsWith(cut.slice(0, -3))).toBe(true);
    }),
  );
});

test("the result does not keep the longer text alive", () => {
  const before = bytesInUse();
  const kept = Array.from({ length: 40 }, (_, i) => cutText(`${i}${"x".repeat(1e6)}`, 200));
  expect(bytesInUse() - before).toBeLessThan(2e6);
  expect(kept[7]).toMatch(/^7x{196}\.\.\.$/);
});

test("the text of an error has at most a kilobyte, whatever was thrown", () => {
  expect(errorText(new Error("no room"))).toBe("no room");
  expect(errorText("no room")).toBe("no room");
  expect(Buffer.byteLength(errorText(new Error("ü".repeat(20_000))))).toBeLessThanOrEqual(1024);
});
