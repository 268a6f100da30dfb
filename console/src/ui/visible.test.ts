import { expect, test } from "vitest";
import { shortened, visible } from "./visible.ts";

test("invisible characters, and those that change the order of others, are escaped", () => {
  expect(visible("web")).toBe("web");
  expect(visible("שלום résumé 日本 🙂")).toBe("שלום résumé 日本 🙂");
  expect(visible("a\u202Eb")).toBe(String.raw`a\u{202e}b`);
  expect(visible("a\u2066\u2069\u200B\uFEFF\u00AD")).toBe(String.raw`a\u{2066}\u{2069}\u{200b}\u{feff}\u{ad}`);
  expect(visible("line\nline\u0000\u2028")).toBe(String.raw`line\u{a}line\u{0}\u{2028}`);
  expect(visible("\u{e0041}\u3164")).toBe(String.raw`\u{e0041}\u{3164}`);
});

test("of a long text the beginning is shown, and how long it is", () => {
  expect(shortened("a\u202Eb")).toBe(String.raw`a\u{202e}b`);
  expect(shortened("x".repeat(10_000))).toBe("x".repeat(10_000));
  expect(shortened("x".repeat(1_000_000))).toBe(`${"x".repeat(10_000)}… (1000000 characters)`);
  expect(shortened(`${"x".repeat(9999)}🙂🙂`)).toBe(`${"x".repeat(9999)}… (10003 characters)`);
});
