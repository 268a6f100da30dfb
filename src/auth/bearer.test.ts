import { expect, test } from "vitest";
import { bearerOf } from "./bearer.ts";

test.each(["Bearer t", "bearer t", "BEARER t x", " Bearer t "])("AUTHN-6: %j has a token", (header) => {
  expect(bearerOf(header)).toBe("t");
});

test.each(["", "Bearer", "Bearer ", "Bearer  t", "Basic t", "Token t", "t"])("AUTHN-6: %j has none", (header) => {
  expect(bearerOf(header)).toBeUndefined();
});
