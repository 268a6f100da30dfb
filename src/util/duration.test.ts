import { expect, test } from "vitest";
import { type Duration, durationText, millisOf, parseDuration } from "./duration.ts";
import { expectLinear } from "./testing/linear.ts";

test.each<[Duration, number]>([
  [0, 0],
  [250, 250],
  ["500ms", 500],
  ["1.5s", 1500],
  ["10m", 600_000],
  ["24h", 86_400_000],
  ["7d", 604_800_000],
])("%j is %i ms", (duration, millis) => {
  expect(millisOf(duration)).toBe(millis);
});

test.each(["", "5", "5 s", "-1s", "s", "1w", -1, Number.NaN, Number.POSITIVE_INFINITY, "1e3s"])(
  "%j is no duration",
  (duration) => {
    expect(() => millisOf(duration as Duration)).toThrow("expected a duration such as 500");
  },
);

test("a text may have several parts, in any order", () => {
  expect([parseDuration("1h30m"), parseDuration("30s1h"), parseDuration("1h 30m")]).toEqual([
    5_400_000,
    3_630_000,
    undefined,
  ]);
});

test.each([
  [0, "0s"],
  [0.0123, "12µs"],
  [0.9996, "1ms"],
  [312.5, "312.5ms"],
  [700, "700ms"],
  [15_250, "15.25s"],
  [60_500, "1m0.5s"],
  [3_723_000, "1h2m3s"],
])("%d ms are printed as %s", (millis, text) => {
  expect(durationText(millis)).toBe(text);
});

test.each(["1.s", ".5s", "1ms2", "m5", "1.5.5s", "5msm", "5μs", "1h-5m"])("%j is not a duration", (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test.each(["0000s", "0", "1ms", "1.", "5m"])(
  "%s again and again costs a time that grows with the text",
  async (part) => {
    await expectLinear((size) => `${part.repeat(size / part.length)}x`, parseDuration);
  },
);
