import fc from "fast-check";
import { expect, test } from "vitest";
import { expectLinear } from "../util/testing/linear.ts";
import { sourcesOf } from "./sender.ts";

test("addresses are told from the first sender to the peer, each once", () => {
  expect(sourcesOf("10.0.0.1, fd00::1,no, 10.0.0.2", "10.0.0.3", "::ffff:10.0.0.4")).toEqual([
    "10.0.0.1",
    "fd00::1",
    "10.0.0.2",
    "10.0.0.3",
    "10.0.0.4",
  ]);
  expect(sourcesOf("10.0.0.1", "10.0.0.1", "10.0.0.1")).toEqual(["10.0.0.1"]);
});

test("what is an address of IPv4 has four numbers up to 255", () => {
  const number = fc.constantFrom("0", "00", "9", "10", "99", "100", "199", "249", "250", "255", "256", "300", "01", "");
  fc.assert(
    fc.property(fc.array(number, { minLength: 3, maxLength: 5 }), (numbers) => {
      const isOne = (part: string): boolean => /^\d{1,3}$/.test(part) && Number(part) < 256 && !/^0\d\d$/.test(part);
      const is = numbers.length === 4 && numbers.every(isOne);
      expect(sourcesOf(numbers.join("."), "", "")).toEqual(is ? [numbers.join(".")] : []);
    }),
    { numRuns: 2000 },
  );
});

test.each(["1.", "1", ",", " ", "::"])("%j again and again costs a time that grows with the header", async (part) => {
  await expectLinear(
    (size) => part.repeat(size / part.length),
    (text) => sourcesOf(text, text, ""),
  );
});
