import { expect, test } from "vitest";
import { errorLocation } from "./error-location.ts";

const thrown = (text: string): Error => new Error(text);
const elsewhere = (text: string): Error => new Error(text);

test("errors of one location are equal, whatever their messages, and those of other locations differ", () => {
  const places = ["", "a", "b\n    at nowhere\n    at all"].map((text) => errorLocation(thrown(text)));
  expect(new Set(places).size).toBe(1);
  expect(places[0]).toMatch(/^ {4}at thrown .*error-location\.test.*\n {4}at /);
  expect(errorLocation(elsewhere("a"))).not.toBe(places[0]);
});

test("a thrown value that is no error has a location, too", () => {
  expect([errorLocation("text"), errorLocation(undefined)]).toEqual(["string", "undefined"]);
  expect(errorLocation(Object.assign(new RangeError("x"), { stack: undefined }))).toBe("RangeError");
});
