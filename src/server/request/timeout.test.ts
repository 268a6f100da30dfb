import { expect, test } from "vitest";
import { Query } from "./query.ts";
import { requestMillis } from "./timeout.ts";

test.each([
  ["", 60_000],
  ["timeout=5s", 5000],
  ["timeout=2h", 60_000],
  ["timeout=0", 60_000],
  ["timeout=-5s", 60_000],
])("LIMIT-3: a request with %j may take %d ms where a minute is the most", (query, millis) => {
  expect(requestMillis(new Query(query), { requestMillis: 60_000 })).toBe(millis);
});
