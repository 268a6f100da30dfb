import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesInUse } from "../util/testing/heap.ts";
import { expectLinear } from "../util/testing/linear.ts";
import { userAgentOf, sourceIPsOf } from "./client-info.ts";

test("AUDIT-22: a long user agent is truncated", () => {
  expect(userAgentOf("kubectl/v1.35")).toBe("kubectl/v1.35");
  expect(userAgentOf("x".repeat(1024))).toBe("x".repeat(1024));
  expect(userAgentOf("x".repeat(1025))).toBe(`${"x".repeat(1024)}...TRUNCATED`);
});

test("waiting events do not keep the headers of their clients in memory", () => {
  const before = bytesInUse();
  const kept = Array.from({ length: 40 }, (_, i) => [
    userAgentOf(`${i} ${"x".repeat(1_000_000)}`),
    sourceIPsOf(`2001:db8::aaaa:${i}, ${"y".repeat(1_000_000)}`, "", "10.0.0.1"),
  ]);
  expect(bytesInUse() - before).toBeLessThan(2_000_000);
  expect(kept[7]![1]).toEqual(["2001:db8::aaaa:7", "10.0.0.1"]);
});

test("addresses are listed from the first client to the peer, each once", () => {
  expect(sourceIPsOf("10.0.0.1, fd00::1,no, 10.0.0.2", "10.0.0.3", "::ffff:10.0.0.4")).toEqual([
    "10.0.0.1",
    "fd00::1",
    "10.0.0.2",
    "10.0.0.3",
    "10.0.0.4",
  ]);
  expect(sourceIPsOf("10.0.0.1", "10.0.0.1", "10.0.0.1")).toEqual(["10.0.0.1"]);
});

test("an IPv4 address has four numbers up to 255", () => {
  const number = fc.constantFrom("0", "00", "9", "10", "99", "100", "199", "249", "250", "255", "256", "300", "01", "");
  fc.assert(
    fc.property(fc.array(number, { minLength: 3, maxLength: 5 }), (numbers) => {
      const isOne = (part: string): boolean => /^\d{1,3}$/.test(part) && Number(part) < 256 && !/^0\d\d$/.test(part);
      const is = numbers.length === 4 && numbers.every(isOne);
      expect(sourceIPsOf(numbers.join("."), "", "")).toEqual(is ? [numbers.join(".")] : []);
    }),
    { numRuns: 2000 },
  );
});

test.each(["1.", "1", ",", " ", "::"])(
  "repetitions of %j take a time that grows linearly with the header",
  async (part) => {
    await expectLinear(
      (size) => part.repeat(size / part.length),
      (text) => sourceIPsOf(text, text, ""),
    );
  },
);
