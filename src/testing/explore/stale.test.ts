import { expect, test } from "vitest";
import { staleUrl } from "./stale.ts";

const LIST = "/api/v1/configmaps";

test.each([
  [`${LIST}?resourceVersion=0&limit=500`, `${LIST}?resourceVersion=7&resourceVersionMatch=Exact`],
  [`${LIST}?resourceVersion=0&watch=true`, `${LIST}?resourceVersion=7&watch=true&keelsonInitialState=true`],
  [
    `${LIST}?resourceVersion=0&watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
    `${LIST}?resourceVersion=7&watch=1&keelsonInitialState=end`,
  ],
  [
    `${LIST}?resourceVersion=0&watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`,
    `${LIST}?resourceVersion=7&watch=1`,
  ],
])("%s shows an older state", (url, stale) => {
  expect(staleUrl("GET", url, 7)).toBe(stale);
});

test.each([LIST, `${LIST}?limit=5`, `${LIST}?resourceVersion=3&watch=true`, `${LIST}?watch=true`])(
  "%s asks for the latest state, or for a version",
  (url) => {
    expect(staleUrl("GET", url, 7)).toBe(url);
  },
);

test("a write is no read", () => {
  expect(staleUrl("DELETE", `${LIST}?resourceVersion=0`, 7)).toBe(`${LIST}?resourceVersion=0`);
});
