import fc from "fast-check";
import { expect, test } from "vitest";
import { isPortName } from "./ports.ts";

test.each(["http", "http-web", "a", "1a", "a1", "0-x-0", "fifteen-letters"])("%j names a port", (name) => {
  expect(isPortName(name)).toBe(true);
});

test.each(["", "1", "123", "-a", "a-", "a--b", "A", "a.b", "a_b", "sixteen-letters1", "a\n", "é"])(
  "%j names none",
  (name) => {
    expect(isPortName(name)).toBe(false);
  },
);

test("names are those of one expression that looks ahead", () => {
  const form = /^(?=.*[a-z])(?!.*--)[a-z0-9](?:[a-z0-9-]{0,13}[a-z0-9])?$/;
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "z", "0", "-", "A"), maxLength: 18 }), (name) => {
      expect(isPortName(name)).toBe(form.test(name));
    }),
    { numRuns: 2000 },
  );
});
