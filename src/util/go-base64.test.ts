import { expect, test } from "vitest";
import { parseGoBase64Url } from "./go-base64.ts";

test.each([
  ["", ""],
  ["YWI=", "ab"],
  ["YQ==", "a"],
  ["Y\nQ=\r=\n", "a"],
  ["_-8=", "\u00ff\u00ef"],
])("%j is read", (text, bytes) => {
  expect(Buffer.from(parseGoBase64Url(text) as Uint8Array).toString("latin1")).toBe(bytes);
});

test.each([
  ["a+==", 1],
  ["a/b=", 1],
  ["YWI", 0],
  ["YWJjYQ", 4],
  ["YQ=", 3],
  ["YQ=a", 2],
  ["Y===", 1],
  ["YQ==x", 4],
  ["\u00e4", 0],
])("%j is invalid from byte %i on", (text, place) => {
  expect(parseGoBase64Url(text)).toBe(place);
});
