import { expect, test } from "vitest";
import { momentText, parseMoment } from "./moment.ts";

test("a moment is read back from a URL, and anything else is now", () => {
  for (const moment of [
    { resourceVersion: "12", time: "" },
    { resourceVersion: "18446744073709551615", time: "2026-11-30T07:00:00.123Z" },
  ])
    expect(parseMoment(momentText(moment))).toEqual(moment);
  for (const text of ["", "0", "-1", "x", "1@2@3", "1@yesterday", "9".repeat(21)])
    expect(parseMoment(text)).toBeUndefined();
  expect(parseMoment("1@")).toEqual({ resourceVersion: "1", time: "" });
});
