import { expect, test } from "vitest";
import { bytesText, shortNumber } from "./bytes.ts";

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1536, "1.5 KiB"],
  [5 * 1024 ** 3, "5 GiB"],
])("%d bytes are printed as %s", (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});

test.each([
  [0, "0"],
  [0.123, "0.12"],
  [12.34, "12.3"],
  [1234.5, "1235"],
])("%d is printed as %s", (value, text) => {
  expect(shortNumber(value)).toBe(text);
});
