import { expect, test } from "vitest";
import { Query } from "./query.ts";
import { askedMillis, requestMillis } from "./request-time.ts";

test.each([
  ["30s", 30_000],
  ["1m30s", 90_000],
  ["1.5h", 5_400_000],
  [".5s", 500],
  ["1.s", 1000],
  ["5us", 0.005],
  ["5µs", 0.005],
  ["2ns", 2e-6],
  ["+2h", 7_200_000],
  ["-1s", -1000],
  ["0", 0],
  ["1d", undefined],
  ["30", undefined],
  ["", undefined],
  [`${"1".repeat(100)}s`, undefined],
])("%j is so many ms: %s", (text, millis) => {
  expect(askedMillis(text)).toBe(millis);
});

test.each([
  ["", 60_000],
  ["timeout=5s", 5000],
  ["timeout=2h", 60_000],
  ["timeout=0", 60_000],
  ["timeout=-5s", 60_000],
])("LIMIT-3: a request with %j may take %d ms where a minute is the most", (query, millis) => {
  expect(requestMillis(new Query(query), { requestMillis: 60_000 })).toBe(millis);
});
