import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, humanDuration, parseTime } from "./time.ts";

const strict = { lenient: false };
const lenient = { lenient: true };

describe("DEC-5: Time", () => {
  test.each([
    ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"],
    ["2024-01-01T02:00:00+02:00", "2024-01-01T00:00:00Z"],
    ["2024-01-01T00:00:00.9Z", "2024-01-01T00:00:00Z"],
    ["2024-01-01T00:00:00.123456789-01:30", "2024-01-01T01:30:00Z"],
    ["2024-02-29T23:59:59Z", "2024-02-29T23:59:59Z"],
    ["2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z"],
    ["0099-12-31T00:00:00Z", "0099-12-31T00:00:00Z"],
  ])("%j reads as %j", (sent, canonical) => {
    expect(canonicalTime(sent)).toBe(canonical);
  });

  test("the first moment of year 1 is no time", () => {
    expect(canonicalTime("0001-01-01T00:00:00Z")).toBeNull();
    expect(canonicalTime("0001-01-01T01:00:00.5+01:00")).toBeNull();
    expect(canonicalMicroTime("0001-01-01T00:00:00.000000Z", strict)).toBeNull();
  });

  test.each([
    "",
    "never",
    "2024-01-01",
    "2024-01-01T00:00:00",
    "2024-01-01 00:00:00Z",
    "2024-01-01t00:00:00z",
    "2024-02-30T00:00:00Z",
    "2023-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2024-13-01T00:00:00Z",
    "2024-00-01T00:00:00Z",
    "2024-01-01T24:00:00Z",
    "2024-01-01T00:60:00Z",
    "2024-01-01T00:00:60Z",
    "2024-01-01T00:00:00.Z",
    "2024-01-01T00:00:00+2:00",
    "2024-01-01T00:00:00+24:00",
    "2024-01-01T00:00:00Zx",
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59-01:00",
  ])("%j is refused", (sent) => {
    expect(canonicalTime(sent)).toBeUndefined();
    expect(parseTime(sent)).toBeUndefined();
  });
});

describe("DEC-5, META-14: MicroTime", () => {
  test.each([
    ["2024-01-01T00:00:00.123456Z", "2024-01-01T00:00:00.123456Z"],
    ["2024-01-01T02:00:00.123456+02:00", "2024-01-01T00:00:00.123456Z"],
  ])("%j reads as %j in both dialects", (sent, canonical) => {
    expect(canonicalMicroTime(sent, strict)).toBe(canonical);
    expect(canonicalMicroTime(sent, lenient)).toBe(canonical);
  });

  test.each([
    ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000000Z"],
    ["2024-01-01T00:00:00.5Z", "2024-01-01T00:00:00.500000Z"],
    ["2024-01-01T00:00:00.123456789Z", "2024-01-01T00:00:00.123456Z"],
    ["2024-01-01T00:00:00.12+01:00", "2023-12-31T23:00:00.120000Z"],
  ])("%j is parsed as %j only where other numbers of digits are accepted", (sent, canonical) => {
    expect(canonicalMicroTime(sent, lenient)).toBe(canonical);
    expect(canonicalMicroTime(sent, strict)).toBeUndefined();
  });
});

test("a formatted time is canonical and reads back as the same moment", () => {
  const moments = fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(2200, 0, 1) });
  fc.assert(
    fc.property(moments, fc.nat({ max: 999 }), (ms, micros) => {
      const micro = formatMicroTime(ms, micros);
      expect(canonicalMicroTime(micro, strict)).toBe(micro);
      expect(parseTime(micro)).toBe(ms);
      const whole = formatTime(ms);
      expect(canonicalTime(whole)).toBe(whole);
      expect(parseTime(whole)).toBe(Math.floor(ms / 1000) * 1000);
    }),
  );
});

test.each([
  [-3000, "<invalid>"],
  [-1500, "0s"],
  [0, "0s"],
  [119_999, "119s"],
  [120_000, "2m"],
  [330_000, "5m30s"],
  [599_000, "9m59s"],
  [600_000, "10m"],
  [179 * 60_000, "179m"],
  [180 * 60_000, "3h"],
  [192 * 60_000, "3h12m"],
  [8 * 3600_000, "8h"],
  [47.9 * 3600_000, "47h"],
  [51 * 3600_000, "2d3h"],
  [48 * 3600_000, "2d"],
  [8 * 24 * 3600_000, "8d"],
  [729 * 24 * 3600_000, "729d"],
  [(3 * 365 + 45) * 24 * 3600_000, "3y45d"],
  [2 * 365 * 24 * 3600_000, "2y"],
  [9.5 * 365 * 24 * 3600_000, "9y"],
])("an age of %d ms is shown as %j", (ms, shown) => {
  expect(humanDuration(ms)).toBe(shown);
});
